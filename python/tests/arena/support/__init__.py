"""What the tests of the client are made with."""
