# Unit tests of src/provider: they link that layer and those under it, nothing else.
