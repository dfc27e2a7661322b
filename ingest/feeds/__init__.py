"""One file per service: a query -> pages in the service's own format, which the readers of that format read.

A module here that defines `SERVICE` is a feed; nothing else has to be told of it.
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ingest.web.service import Service

PREFIX = re.compile(r"([a-z][a-z-]+):(.*)", re.DOTALL)


@cache
def services() -> dict[str, Service]:
    """Every service there is a feed for, by name."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return {module.SERVICE.name: module.SERVICE for module in modules}


def is_feed(name: str) -> bool:
    """Whether a name means a query to a service: `arxiv:QUERY`, and no file is called so."""
    match = PREFIX.fullmatch(name)
    return match is not None and match[1] in services() and not os.path.lexists(name)


def parts(name: str) -> tuple[Service, str]:
    """The service and the query of a feed's name."""
    match = PREFIX.fullmatch(name)
    assert match is not None  # noqa: S101 - `is_feed` said so
    return services()[match[1]], match[2].strip()
