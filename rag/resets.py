"""At most one reset in a stream."""

from __future__ import annotations

from collections.abc import Generator

from rag.draft import Draft
from rag.types import Delta, Reset


def resetting_once(events: Generator[Delta | Reset, None, Draft]) -> Generator[Delta | Reset, None, Draft]:
    """The same with one reset at most: what follows the first is held back until nothing can withdraw it any more."""
    reset, held = False, list[Delta]()
    try:
        while True:
            event = next(events)
            if isinstance(event, Delta) and not reset:
                yield event
            elif isinstance(event, Delta):
                held.append(event)
            else:
                held = []
                if not reset:
                    yield event
                reset = True
    except StopIteration as end:
        yield from held
        draft: Draft = end.value
        return draft
    finally:
        events.close()
