"""Tools for the tests of the client."""
