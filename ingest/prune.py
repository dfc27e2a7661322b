"""What is no longer in the files it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.merging.sightings import Sightings
from rag.catalogue import Catalogue
from rag.shelving import put_sources, remove


@dataclass(frozen=True, slots=True)
class Gone:
    """`ids`: abstracts none of whose sources is left; `left`: the sources that others keep."""

    ids: tuple[str, ...]
    left: Mapping[str, list[tuple[str, str]]]


def find_gone(catalogue: Catalogue, names: Sequence[str], sightings: Sightings) -> Gone:
    """Compare the sources that lie under the paths `names` with what a run saw there.

    A file that is there but gave nothing in this run could not be read: what came from it stays.
    """
    read = sightings.paths()
    roots = [Path(name).expanduser().resolve() for name in names if name != "-"]
    ids: list[str] = []
    left: dict[str, list[tuple[str, str]]] = {}
    for identity, sources in catalogue.all_sources():
        kept = [
            (path, place)
            for path, place in sources
            if not _under(path, roots) or sightings.saw(identity, path) or (path not in read and Path(path).exists())
        ]
        if not kept:
            ids.append(identity)
        elif len(kept) < len(sources):
            left[identity] = kept
    return Gone(tuple(ids), left)


def remove_gone(catalogue: Catalogue, gone: Gone) -> list[str]:
    """Take them out of the catalogue's open transaction; returns the passages that the vector store must forget."""
    stale = [p.id for some in catalogue.passages(gone.ids).values() for p in some]
    remove(catalogue, gone.ids)
    for identity, sources in gone.left.items():
        put_sources(catalogue, identity, sources)
    if stale:
        catalogue.set_meta({"dirty": "1"})
    return stale


def _under(path: str, roots: Sequence[Path]) -> bool:
    file = Path(path)
    return any(file == root or root in file.parents or file.match(str(root)) for root in roots)
