# Unit tests of src/agent: they link that layer and those under it, nothing else.
