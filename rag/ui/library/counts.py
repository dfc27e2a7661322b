"""How many abstracts there are by year and by file."""

from __future__ import annotations

import streamlit as st

from rag import browse
from rag.ui.shelf import Shelf, worker

FILES = 12
"""Files that are shown with their counts."""


def draw(shelf: Shelf) -> None:
    """Bars by year, and a list by file."""
    import altair as alt
    import pandas as pd

    years = worker().read(lambda: browse.years(shelf.library.catalogue))
    known = [{"year": str(year), "abstracts": number} for year, number in years if year is not None]
    without = sum(number for year, number in years if year is None)
    if len(known) > 1:
        bars = (
            alt.Chart(pd.DataFrame(known), height=110)
            .mark_bar()
            .encode(
                x=alt.X("year:O", title=None, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
                y=alt.Y("abstracts:Q", title=None, axis=alt.Axis(tickMinStep=1, tickCount=3)),
                tooltip=["year:O", "abstracts:Q"],
            )
        )
        st.altair_chart(bars, alt="Abstracts by year")
    if known and without:
        st.caption(f"{without:,} without a year")
    files = shelf.files()
    more = f", {len(files) - FILES} files more" if len(files) > FILES else ""
    st.caption(", ".join(_named(one) for one in files[:FILES]) + more)


def _named(one: browse.Counted) -> str:
    from rag.ui import markdown

    return f"{markdown.line(one.name)} {one.abstracts:,}"
