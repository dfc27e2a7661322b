"""Files dropped on the page, on their way to the shelf, and what became of every record in them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import streamlit as st

from rag.config import Settings
from rag.ui import banners, markdown
from rag.ui.frame import count, notice
from rag.ui.jobs import Jobs, Standing, Tell
from rag.ui.shelf import embedder, jobs, settings

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from ingest.report import Conflict, Merge, Report
    from rag.embedding import Embedder

FOLDER = "uploads"
"""Where in the shelf's folder the files are kept, so that they can be ingested again."""
POLL = 0.5
LISTED = 200
"""Records that are listed of each kind."""
_KINDS = (
    "Text, JSON, CSV, Excel, BibTeX, RIS, PubMed and more; also archives of them. Adding a file again changes nothing."
)


def draw() -> None:
    """The place for files, and how the last ones fared."""
    current = settings()
    key = f"ingest {current.home.resolve()}"
    standing = jobs().standing(key)
    if standing is not None and not standing.finished:
        _running(key)
        return
    generation = st.session_state.setdefault("uploads", 0)
    dropped = st.file_uploader(
        "Drop files of abstracts here", accept_multiple_files=True, help=_KINDS, key=f"files-{generation}"
    )
    if dropped and st.button(f"Add {count(len(dropped), 'file')}", type="primary", key="add"):
        paths, known = keep(dropped, current.home), embedder(current)
        jobs().start(key, "Ingest", lambda tell: _ingest(current, known, paths, tell))
        st.session_state["uploads"] = generation + 1  # an empty field the next time
        st.rerun()
    if standing is not None:
        _ended(jobs(), key, standing)


def keep(files: Sequence[UploadedFile], home: Path) -> list[Path]:
    """Write files below the shelf's folder; one of a known name and other content gets a name of its own."""
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return [_kept(folder, file.name, file.getvalue()) for file in files]


def _kept(folder: Path, name: str, content: bytes) -> Path:
    plain = PurePath(name.replace("\\", "/")).name.lstrip(".") or "file"
    path = folder / plain
    if path.exists() and path.read_bytes() != content:
        path = path.with_stem(f"{path.stem}-{hashlib.sha256(content).hexdigest()[:8]}")
    path.write_bytes(content)
    return path


def _ingest(current: Settings, embedder: Embedder, paths: Sequence[Path], tell: Tell) -> Report:
    from ingest.pipeline import ingest

    return ingest([str(path) for path in paths], current, embedder, progress=tell)


@st.fragment(run_every=POLL)
def _running(key: str) -> None:
    standing = jobs().standing(key)
    if standing is None or standing.finished:
        st.rerun()
    doing = markdown.line(standing.doing) or "reading"
    if standing.of:
        st.progress(min(1.0, standing.done / standing.of), f"{doing}: {standing.done:,} of {standing.of:,}")
    else:
        st.progress(0.0, f"{doing}: {standing.done:,}" if standing.done else f"{doing} …")


def _ended(known: Jobs, key: str, standing: Standing) -> None:
    if standing.failure is not None:
        notice(banners.of_failure(standing.failure))
    else:
        _report(standing.result)
    st.button("Close", key="close-report", type="tertiary", on_click=known.forget, args=(key,))


def _report(report: Report) -> None:
    value = report.to_dict()
    parts = [f"{value[name]:,} {name}" for name in ("new", "changed", "same", "merged", "rejected") if value[name]]
    st.success(f"Read {count(report.read, 'record')}: {', '.join(parts) or 'nothing'}.", icon=":material/check:")
    st.caption(f"The shelf holds {count(report.abstracts, 'abstract')} now.")
    _listed(
        "Rejected", report.rejected, [f"{_place(one.where)}: {markdown.line(one.reason)}" for one in report.rejects]
    )
    _listed("Merged", report.merged, [_joined(one) for one in report.merges])
    _listed("Other text than before", len(report.conflicts), [_joined(one) for one in report.conflicts])
    alike = [f"{' and '.join(map(_place, one.places))}: {markdown.line(one.reason)}" for one in report.doubts]
    _listed("Alike, and kept apart", len(report.doubts), alike)


def _listed(title: str, number: int, rows: Sequence[str]) -> None:
    if rows:
        with st.expander(f"{title} ({number:,})", expanded=title == "Rejected"):
            st.markdown("  \n".join(rows[:LISTED]))
            if len(rows) > LISTED:
                st.caption(f"{len(rows) - LISTED:,} more are not listed.")


def _joined(one: Merge | Conflict) -> str:
    """Which record met which, and why."""
    return f"{_place(one.where)} with {_place(one.with_)}: {markdown.line(one.reason)}"


def _place(where: str) -> str:
    return f"**{markdown.line(PurePath(where).name)}**"
