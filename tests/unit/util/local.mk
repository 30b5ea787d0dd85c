# Unit tests of src/util: they link that layer and those under it, nothing else.
