# tests/net
