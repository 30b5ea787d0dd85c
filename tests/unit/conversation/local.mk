# Unit tests of src/conversation: they link that layer and those under it, nothing else.
