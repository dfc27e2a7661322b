"""A run as a page to look at, as a table for a pull request, and as test results for a CI server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rag.evaluate.run import REPORT, Run

JUNIT, MARKDOWN = "junit.xml", "report.md"


def write_reports(run: Run, folder: Path, fell: Sequence[str] = ()) -> None:
    """Write `report.html`, `junit.xml` and `report.md`. `fell`: gates that did not hold. Raises InputError."""
    from rag.evaluate.report.junit import write_junit
    from rag.evaluate.report.page import write_report
    from rag.evaluate.report.summary_text import write_markdown

    write_report(run, folder / REPORT)
    write_junit(run, folder / JUNIT, fell)
    write_markdown(run, folder / MARKDOWN, fell)
