"""A reply whose reader can leave at any time, also while the model is silent."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, wait

EVERY = 0.1
"""Seconds between two looks at whether to stop."""


def stoppable(pieces: Generator[str, None, None], stopping: Callable[[], bool]) -> Iterator[str]:
    """The pieces until they end or `stopping` says so; raises what reading them raises.

    They are read in a thread of its own, which closes them once the piece it waits for is there.
    """
    reader = ThreadPoolExecutor(1, thread_name_prefix="reply")
    try:
        while not stopping():
            ahead = reader.submit(next, pieces, None)
            while not wait([ahead], EVERY).done:
                if stopping():
                    ahead.add_done_callback(lambda _: pieces.close())
                    return
            piece = ahead.result()
            if piece is None:
                return
            yield piece
        pieces.close()
    finally:
        reader.shutdown(wait=False)
