# Unit tests of src/json: they link that layer and those under it, nothing else.
