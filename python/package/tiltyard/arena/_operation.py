"""Makes the methods of both clients from one description.

A method is made from one function that describes the work. In a blocking client, the method does the work at once. In
an asynchronous client, it returns a coroutine or an asynchronous iterator.
"""

from __future__ import annotations

import abc
import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from dataclasses import replace
from types import MethodType
from typing import Any, Generic, ParamSpec, TypeVar, overload

from ._call import Call, Flow, Work

P = ParamSpec("P")
T = TypeVar("T")


class Blocking(abc.ABC):
    """A client whose methods block until the answer is there."""

    @abc.abstractmethod
    def _carry_out(self, work: Work[T]) -> T: ...

    @abc.abstractmethod
    def _iterate(self, flow: Flow[T]) -> Generator[T, None, None]: ...


class Awaiting(abc.ABC):
    """A client whose methods are awaited."""

    @abc.abstractmethod
    async def _carry_out(self, work: Work[T]) -> T: ...

    @abc.abstractmethod
    def _iterate(self, flow: Flow[T]) -> AsyncGenerator[T, None]: ...


class _Described:
    """The base of both kinds of methods: one function per client, bound when it is looked up."""

    def __init__(self, blocking: Callable[..., Any], awaiting: Callable[..., Any]) -> None:
        self._blocking = blocking
        self._awaiting = awaiting
        self.__doc__ = blocking.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        for function in (self._blocking, self._awaiting):
            function.__name__ = name
            function.__qualname__ = f"{owner.__qualname__}.{name}"

    def _bound(self, client: object, owner: type) -> Any:
        function = self._awaiting if issubclass(owner, Awaiting) else self._blocking
        return function if client is None else MethodType(function, client)


class Operation(_Described, Generic[P, T]):
    """A method that returns an answer."""

    def __init__(self, describe: Callable[P, Work[T]]) -> None:
        def blocking(client: Blocking, *args: P.args, **kwargs: P.kwargs) -> T:
            return client._carry_out(describe(*args, **kwargs))

        async def awaiting(client: Awaiting, *args: P.args, **kwargs: P.kwargs) -> T:
            return await client._carry_out(describe(*args, **kwargs))

        super().__init__(_dressed(blocking, describe, "{}"), _dressed(awaiting, describe, "{}"))

    @overload
    def __get__(self, client: Blocking, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: Awaiting, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...
    def __get__(self, client: object, owner: type) -> Any:
        return self._bound(client, owner)


class Series(_Described, Generic[P, T]):
    """A method that yields one item after another, until the caller closes it."""

    def __init__(self, describe: Callable[P, Flow[T]]) -> None:
        def blocking(client: Blocking, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
            return client._iterate(describe(*args, **kwargs))

        def awaiting(client: Awaiting, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
            return client._iterate(describe(*args, **kwargs))

        super().__init__(
            _dressed(blocking, describe, "Generator[{}, None, None]"),
            _dressed(awaiting, describe, "AsyncGenerator[{}, None]"),
        )

    @overload
    def __get__(self, client: Blocking, owner: type) -> Callable[P, Generator[T, None, None]]: ...
    @overload
    def __get__(self, client: Awaiting, owner: type) -> Callable[P, AsyncGenerator[T, None]]: ...
    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...
    def __get__(self, client: object, owner: type) -> Any:
        return self._bound(client, owner)


def operation(describe: Callable[P, Work[T]]) -> Operation[P, T]:
    """Makes a method from a description that ends with an answer."""
    return Operation(describe)


def repeatable(describe: Callable[P, Call[T]]) -> Operation[P, T]:
    """The same for a request whose repetition has no further effect."""

    @functools.wraps(describe)
    def again(*args: P.args, **kwargs: P.kwargs) -> Call[T]:
        return replace(describe(*args, **kwargs), repeatable=True)

    return Operation(again)


def series(describe: Callable[P, Flow[T]]) -> Series[P, T]:
    """Makes a method from a description that yields one item after another."""
    return Series(describe)


def _dressed(method: Callable[..., Any], describe: Callable[..., Any], gives: str) -> Callable[..., Any]:
    """Gives a method the docstring and the signature of its description, with its own return type."""
    functools.update_wrapper(method, describe)
    signature = inspect.signature(describe)
    client = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    # Annotations are strings here, such as `Call[Duel]`.
    _, _, inside = str(signature.return_annotation).removesuffix("]").partition("[")
    told = signature.replace(
        parameters=[client, *signature.parameters.values()], return_annotation=gives.format(inside)
    )
    method.__signature__ = told  # type: ignore[attr-defined]
    return method
