# Unit tests of src/loop: they link that layer and those under it, nothing else.
