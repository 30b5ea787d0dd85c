# Unit tests of src/app: they link that layer and those under it, nothing else.
