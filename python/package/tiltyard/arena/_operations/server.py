"""How the server is."""

from __future__ import annotations

from .._call import Call
from .._decode import reader
from .._operation import operation
from .._types import Health


class Server:
    """How the server is."""

    @operation
    def health(self) -> Call[Health]:
        """See that the process lives, and which version it is."""
        return Call("GET", "/healthz", reader(Health), repeatable=True)

    @operation
    def ready(self) -> Call[Health]:
        """See that requests are welcome.

        While they are not, this asks again as other methods do, and raises in the end.
        """
        return Call("GET", "/readyz", reader(Health), repeatable=True)
