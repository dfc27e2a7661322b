"""Runs and comparisons as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rag.evaluate.compare import Compared, Comparison
from rag.evaluate.gates import Verdict
from rag.evaluate.run import Run
from rag.evaluate.summary import ALL, MetricSummary

NONE = "-"
SHOWN_CHANGES = 5


def run_as_text(run: Run) -> str:
    """Every metric over all cases with its interval, the baselines beside it; then the main ones by type."""
    names = list(run.baselines)
    lines = [f"{'':20s}{'mean':>10s}  {'95 % interval':22s}{'n':>5s}{'unscored':>9s}" + _cells(names)]
    for name, one in run.summary[ALL].items():
        others = [_number(baseline.summary[ALL].get(name)) for baseline in run.baselines.values()]
        lines.append(
            f"{name:20s}{_number(one):>10s}  {_interval(one.ci95):22s}{one.n:5d}{one.unscored:9d}{_cells(others)}"
        )
        if one.reasons:
            lines.append("  unscored: " + ", ".join(f"{count} {reason}" for reason, count in one.reasons.items()))
    return "\n".join([*lines, "", *_by_type(run)])


def _by_type(run: Run) -> Iterator[str]:
    names = ("ndcg@10", "recall@10", "facts", "gold_cited", "alce_recall", "answered", "refused")
    yield f"{'':20s}{'cases':>7s}" + "".join(f"{name:>12s}" for name in names)
    for kind, metrics in run.summary.items():
        if kind != ALL:
            cases = sum(score.type == kind for score in run.scores)
            yield f"{kind:20s}{cases:7d}" + "".join(f"{_number(metrics.get(name)):>12s}" for name in names)


def comparison_as_text(comparison: Comparison) -> str:
    """What differs between the runs, every metric's difference, and the cases that changed most."""
    lines = [f"{comparison.cases} cases"]
    lines += [f"  {name}: {a} -> {b}" for name, a, b in comparison.settings] or ["  made with the same settings"]
    lines.append("")
    lines.append(
        f"{'':20s}{'A':>10s}{'B':>10s}{'B - A':>10s}  {'95 % interval':22s}{'p':>8s}{'McNemar':>9s}{'could show':>11s}"
        f"{'n':>5s}{'won':>5s}{'lost':>5s}"
    )
    lines += [_difference(name, one) for name, one in comparison.metrics.items()]
    lines += [f"{name:20s}not compared: {why}" for name, why in comparison.left_out.items()]
    for name, one in comparison.metrics.items():
        lines += _changes(name, one)
    return "\n".join(lines)


def _difference(name: str, one: Compared) -> str:
    d = one.difference
    won, lost = (sum(counts[key] for counts in one.by_type.values()) for key in ("wins", "losses"))
    text = (
        f"{name:20s}{d.mean_a:10.4f}{d.mean_b:10.4f}{d.mean:+10.4f}  {_interval(d.ci95):22s}{_p(d.p):>8s}"
        f"{_p(d.p_mcnemar):>9s}{_plain(d.smallest):>11s}{d.n:5d}{won:5d}{lost:5d}"
    )
    return text + (f"  ({one.unpaired} scored in one run only)" if one.unpaired else "")


def _changes(name: str, one: Compared) -> Iterator[str]:
    """Wins and losses by type, and the largest changes; not of what an answer cost."""
    if not one.changed or one.metric.group in ("cost", "form"):
        return
    counts = [f"{kind} +{c['wins']} -{c['losses']}" for kind, c in one.by_type.items() if c["wins"] or c["losses"]]
    yield f"\n{name}: {', '.join(counts)}"
    shown = (
        one.changed
        if len(one.changed) <= 2 * SHOWN_CHANGES
        else (
            *one.changed[:SHOWN_CHANGES],
            *one.changed[-SHOWN_CHANGES:],
        )
    )
    for change in shown:
        yield f"  {change.id} ({change.type}) {change.a:.3f} -> {change.b:.3f}"
    if len(shown) < len(one.changed):
        yield f"  and {len(one.changed) - len(shown)} more (--json has them all)"


def gate_line(verdict: Verdict) -> str:
    """One gate."""
    return f"{'ok  ' if verdict.ok else 'FELL'}  {verdict.gate.text}: {verdict.detail}"


def problems_of(run: Run) -> list[str]:
    """What of a run cannot stand as it is: errors, missing answers, broken contracts; one line each."""
    answers: Mapping[str, Mapping[str, Any]] = run.answers
    missing = [case["id"] for case in run.cases if case["id"] not in answers]
    errors = [identity for identity, answer in answers.items() if answer["status"] == "error"]
    broken = [f"{score.id}: {breach}" for score in run.scores for breach in score.violations]
    said = (("without an answer", missing), ("ended in an error", errors), ("violate the answer contract", broken))
    return [f"{len(some)} {what}: {_some(some)}." for what, some in said if some]


def _some(items: Sequence[str], most: int = 5) -> str:
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")


def _number(one: MetricSummary | None) -> str:
    return NONE if one is None or one.mean is None else f"{one.mean:.4f}"


def _plain(value: float | None) -> str:
    return NONE if value is None else f"{value:.4f}"


def _p(value: float | None) -> str:
    return NONE if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"


def _interval(ci95: tuple[float, float] | None) -> str:
    return NONE if ci95 is None else f"[{ci95[0]:.4f}, {ci95[1]:.4f}]"


def _cells(texts: Sequence[str]) -> str:
    return "".join(f"{text:>10s}" for text in texts)
