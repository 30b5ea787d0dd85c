# Unit tests of src/store: they link that layer and those under it, nothing else.
