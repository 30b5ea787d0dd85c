# Unit tests of src/tui: they link that layer and those under it, nothing else.
