"""Who may do what."""

from __future__ import annotations

from .._call import Call, Ref, name_of, path
from .._decode import reader
from .._encode import given
from .._inputs import Scope, Time
from .._operation import operation
from .._types import Done, Key, KeyList, NewKey
from .duels import done


class Keys:
    """Keys."""

    @operation
    def keys(self) -> Call[tuple[Key, ...]]:
        """List keys, without their secrets."""
        read = reader(KeyList)
        return Call("GET", "/v1/keys", lambda said: read(said).keys, repeatable=True)

    @operation
    def make_key(
        self,
        scope: Scope,
        *,
        experiment: Ref | None = None,
        label: str | None = None,
        expires_at: Time | None = None,
    ) -> Call[NewKey]:
        """Make a key. It is shown this once. If the connection breaks this is not sent again."""
        only = None if experiment is None else name_of(experiment)
        body = given(scope=scope, experiment=only, label=label, expires_at=expires_at)
        return Call("POST", "/v1/keys", reader(NewKey), body=body)

    @operation
    def revoke_key(self, key: Ref) -> Call[Done]:
        """Revoke a key, by its id."""
        return done("DELETE", path("/v1/keys/{}", key))
