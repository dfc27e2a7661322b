"""Threads that work through an iterator, a bounded number of items at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, TypeVar, cast

Item = TypeVar("Item")
Result = TypeVar("Result")

TICK = 1.0
"""Seconds after which `work` yields also when nothing has finished."""


class Finished(NamedTuple, Generic[Result]):
    """What came out of one item: its result, or what was raised."""

    result: Result | None
    error: BaseException | None = None


def work(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int, may_start: Callable[[int], bool]
) -> Iterator[list[Result]]:
    """Results as they finish, in lists; an empty one about every second in which none did.

    An item is started when fewer than `threads` are unfinished, those just yielded included, and `may_start` (told
    how many are) allows it; the iterator ends when none is left that runs or may start. What a function raises is
    raised here. The threads are daemons: a program that has to end does not wait for them.
    """
    todo: SimpleQueue[Item | None] = SimpleQueue()
    done: SimpleQueue[Finished[Result]] = SimpleQueue()
    waiting = iter(items)
    started = unfinished = 0
    exhausted = False
    try:
        while True:
            while not exhausted and unfinished < threads and may_start(unfinished):
                item = next(waiting, None)
                if item is None:
                    exhausted = True
                    break
                if started < threads:
                    threading.Thread(target=_serve, args=(function, todo, done), daemon=True).start()
                todo.put(item)
                started += 1
                unfinished += 1
            if not unfinished:
                return
            results = list(_results(done))
            yield results
            unfinished -= len(results)
    finally:
        for _ in range(min(started, threads)):
            todo.put(None)


def _serve(
    function: Callable[[Item], Result], todo: SimpleQueue[Item | None], done: SimpleQueue[Finished[Result]]
) -> None:
    while (item := todo.get()) is not None:
        try:
            done.put(Finished(function(item)))
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits for it
            done.put(Finished(None, error))


def _results(done: SimpleQueue[Finished[Result]]) -> Iterator[Result]:
    """All that is there, waiting a moment for the first."""
    timeout = TICK
    while True:
        try:
            finished = done.get(timeout=timeout) if timeout else done.get_nowait()
        except Empty:
            return
        if finished.error is not None:
            raise finished.error
        yield cast(Result, finished.result)
        timeout = 0.0
