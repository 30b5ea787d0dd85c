# tests/screen
