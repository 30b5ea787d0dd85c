# Unit tests of src/config: they link that layer and those under it, nothing else.
