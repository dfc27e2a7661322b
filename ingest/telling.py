"""The report of a run as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.report import Report

SHOWN = 20
"""Lines of a kind where not all are asked for; `--json` and `--report` have all."""
PLACES = 6
COUNTERS = ("new", "changed", "same", "merged", "rejected", "removed", "joined")


def told(report: Report, *, dry_run: bool = False, rebuilt: bool = False, limit: int | None = SHOWN) -> str:
    """The counts, what became of records that are not simply kept, and what the shelf holds now."""
    return "\n".join([*_counts(report, dry_run, rebuilt), *_listed(report, limit), _totals(report, dry_run)])


def _counts(report: Report, dry_run: bool, rebuilt: bool) -> Iterator[str]:
    counts = [f"{number:,} {name}" for name in COUNTERS if (number := getattr(report, name))]
    if not rebuilt:
        yield f"{'Would read' if dry_run else 'Read'} {report.read:,} records: {', '.join(counts) or 'nothing'}."


def _listed(report: Report, limit: int | None) -> Iterator[str]:
    kinds = {
        "merged": [f"{m.where} into {m.id} ({m.with_}): {m.reason}" for m in report.merges],
        "conflict": [f"{c.where} with {c.with_}: {c.reason} (--update takes it)" for c in report.conflicts],
        "rejected": [f"{r.where}: {r.reason}" for r in report.rejects if not r.reason.startswith("conflict: ")],
        "look at": [f"{d.reason}: {_places(d.places, d.ids)}" for d in report.doubts],
    }
    for kind, lines in kinds.items():
        yield from (f"  {kind:<9} {line}" for line in lines[:limit])
    hidden = sum(len(lines) - len(lines[:limit]) for lines in kinds.values())
    if hidden:
        yield f"  and {hidden:,} more; --report FILE and --json have all."


def _places(places: tuple[str, ...], ids: tuple[str, ...]) -> str:
    named = places or ids
    more = f" and {len(named) - PLACES} more" if len(named) > PLACES else ""
    return ", ".join(named[:PLACES]) + more


def _totals(report: Report, dry_run: bool) -> str:
    return (
        f"{'Would hold' if dry_run else 'The shelf holds'} {report.abstracts:,} abstracts in {report.passages:,} "
        f"passages; {report.embedded:,} {'to embed' if dry_run else 'embedded now'} ({report.seconds:.1f} s)."
    )
