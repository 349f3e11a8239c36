"""Functions that pause (generators, coroutines, asynchronous generators) with a context around each stretch that runs.

A context that stayed open over a pause would cover whatever runs meanwhile, and two such contexts would not nest.
"""

import functools
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractContextManager
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import Any, Self

Mark = AbstractContextManager[Any]


def marked(function: Callable[..., Any], mark: Mark) -> Callable[..., Any] | None:
    """Return ``function`` with each of its stretches inside ``mark``; ``None`` if it does not pause.

    Parameters
    ----------
    function
        A generator function, a coroutine function or an asynchronous generator function.
    mark
        A context manager that can be entered many times.
    """
    if iscoroutinefunction(function):
        return _coroutine(function, mark)
    if isgeneratorfunction(function):
        return _generator(function, mark)
    return _async_generator(function, mark) if isasyncgenfunction(function) else None


class Steps(Generator[Any, Any, Any]):
    """What a generator or an awaitable does between two pauses happens inside a mark."""

    def __init__(self, body: Generator[Any, Any, Any], mark: Mark) -> None:
        self._body, self._mark = body, mark

    def __await__(self) -> Self:
        return self

    def send(self, value: Any) -> Any:  # noqa: ANN401
        """Go on to the next pause."""
        with self._mark:
            return self._body.send(value)

    def throw(self, *error: Any) -> Any:  # noqa: ANN401
        """Go on with an exception to the next pause."""
        with self._mark:
            return self._body.throw(*error)


class AsyncSteps(AsyncGenerator[Any, Any]):
    """The same for an asynchronous generator."""

    def __init__(self, body: AsyncGenerator[Any, Any], mark: Mark) -> None:
        self._body, self._mark = body, mark

    async def asend(self, value: Any) -> Any:  # noqa: ANN401
        """Go on to the next value."""
        return await _awaited(self._body.asend(value), self._mark)

    async def athrow(self, *error: Any) -> Any:  # noqa: ANN401
        """Go on with an exception to the next value."""
        return await _awaited(self._body.athrow(*error), self._mark)


def _awaited(body: Awaitable[Any], mark: Mark) -> Steps:
    return Steps(body.__await__(), mark)


def _generator(function: Callable[..., Any], mark: Mark) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*arguments: Any, **named: Any) -> Generator[Any, Any, Any]:  # noqa: ANN401
        return (yield from Steps(function(*arguments, **named), mark))

    return run


def _coroutine(function: Callable[..., Any], mark: Mark) -> Callable[..., Any]:
    @functools.wraps(function)
    async def run(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        return await _awaited(function(*arguments, **named), mark)

    return run


def _async_generator(function: Callable[..., Any], mark: Mark) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*arguments: Any, **named: Any) -> AsyncSteps:  # noqa: ANN401
        return AsyncSteps(function(*arguments, **named), mark)

    return run
