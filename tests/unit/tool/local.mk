# Unit tests of src/tool: they link that layer and those under it, nothing else.
