"""The map: each abstract a dot, alike ones near each other, coloured by topic; a click opens one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from rag.atlas.map import Map, map_of
from rag.library import Library
from rag.ui import places
from rag.ui.shelf import Shelf, conversations, worker

CURRENT = "current-chat"
"""Where the session keeps the conversation shown last."""
HEIGHT = 520
INSIDE = 0.55
"""How far from the middle words may stand, so that a phone does not cut them."""
RAISED = -13
"""Pixels from a topic's highest dot to the middle of its words."""
DRAWN = 2000
"""Dots that a browser draws at once without a pause; of a larger shelf as many are shown, evenly spread."""


class Look(NamedTuple):
    """The page's colour, and those of topics, alike in lightness. Their words stand on the map, so none is needed."""

    behind: str
    topics: list[str]


LIGHT = Look(
    "#fdfcf9",
    ["#2f62a8", "#b5452e", "#3d7a3a", "#7d4b93", "#8f6800", "#1d7a7a", "#a9527c", "#5f5f2e", "#666666", "#8f461f"],
)
DARK = Look(
    "#1a1917",
    ["#8fb4ea", "#f0937d", "#93cc8e", "#cba6dc", "#e0bd5b", "#7fcccc", "#eaa6c5", "#bdbd84", "#b5b5b5", "#dba079"],
)


def draw(shelf: Shelf) -> None:
    """The map, and what it means."""
    generation = worker().read(lambda: shelf.library.catalogue.generation)
    found = _map(shelf.library, generation)
    if found is None:
        st.caption("A map needs at least three abstracts.")
        return
    marked = _marked(shelf)
    event = st.altair_chart(
        _drawn(shelf.library, generation, found, marked, _look()),
        on_select="rerun",
        selection_mode="dot",
        key="map",
        alt=f"Map of {len(found.ids):,} abstracts in {len(found.names)} topics: {'; '.join(found.names)}",
    )
    st.caption(legend(found, marked))
    picked = _picked(event)
    if picked is not None:
        places.go("library", paper=picked, view="Map")


def legend(found: Map, marked: Mapping[str, int]) -> str:
    """What the map shows, and how much of the shelf."""
    return (
        "Abstracts that mean alike lie near each other; the directions mean nothing. Click a dot to open it."
        + (f" One in {_every(found)} is shown." if _every(found) > 1 else "")
        + (" Rings: the sources of the answer you saw last." if marked else "")
    )


@st.cache_resource(
    show_spinner="Drawing the map …", max_entries=2, hash_funcs={Library: lambda library: str(library.settings.home)}
)
def _map(library: Library, generation: int) -> Map | None:  # noqa: ARG001 - a new generation is a new map
    return worker().work_out(lambda: map_of(library.catalogue, library.index))


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs={Library: lambda library: str(library.settings.home)})
def _drawn(library: Library, generation: int, _found: Map, marked: dict[str, int], look: Look) -> Any:  # noqa: ARG001 - as above
    return chart(_found, worker().read(lambda: _labels(library)), marked, look)


def _labels(library: Library) -> dict[str, str]:
    query = "SELECT id, coalesce(title, substr(text, 1, 90)) FROM abstract"
    return dict(library.catalogue.connection.execute(query).fetchall())


def _every(found: Map) -> int:
    """One in how many abstracts is shown."""
    return -(-len(found.ids) // DRAWN)


def _marked(shelf: Shelf) -> dict[str, int]:
    """The sources of the last answer of the conversation shown last, with their numbers."""
    store = conversations(shelf.settings.home)
    chat = st.session_state.get(CURRENT)
    said = store.turns(chat, 1) if store is not None and chat else []
    answer = said[0].answer if said else None
    return {citation.id: citation.number for citation in answer.citations} if answer else {}


def chart(found: Map, labels: Mapping[str, str], marked: Mapping[str, int], look: Look) -> Any:
    """The map as an Altair chart; the selection `dot` carries the id of the abstract clicked.

    `look` holds its colours.
    """
    import altair as alt
    import pandas as pd

    every = _every(found)
    rows: list[dict[str, Any]] = [
        {"id": identity, "x": float(x), "y": float(y), "topic": found.names[topic], "title": labels.get(identity, "")}
        for n, (identity, (x, y), topic) in enumerate(zip(found.ids, found.points, found.topics, strict=True))
        if n % every == 0 or identity in marked
    ]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-1.08, 1.08]))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-1.08, 1.08]))
    colour = alt.Color("topic:N", legend=None, scale=alt.Scale(domain=list(found.names), range=look.topics))
    size = 60 if len(rows) < 1000 else 22
    dots = (
        alt.Chart(pd.DataFrame(rows))
        .mark_circle(size=size, opacity=0.75, cursor="pointer")
        .encode(x=x, y=y, color=colour, tooltip=[alt.Tooltip("title:N"), alt.Tooltip("topic:N")])
        .add_params(alt.selection_point("dot", fields=["id"], on="click"))
    )
    layers: list[Any] = [dots]
    ringed = [{**row, "number": str(marked[row["id"]])} for row in rows if row["id"] in marked]
    if ringed:
        base = alt.Chart(pd.DataFrame(ringed)).encode(x=x, y=y)
        layers.append(base.mark_point(size=260, strokeWidth=2.2, filled=False, color="#c99a1b"))
        layers.append(base.mark_text(dx=13, dy=-9, fontWeight="bold", color="#c99a1b").encode(text="number:N"))
    words = alt.Chart(pd.DataFrame(_places(found))).encode(x=x, y=y, text="topic:N")
    bold: dict[str, Any] = {"fontSize": 13, "fontWeight": "bold", "dy": RAISED}
    layers.append(words.mark_text(**bold, stroke=look.behind, strokeWidth=4, strokeOpacity=0.85))
    layers.append(words.mark_text(**bold).encode(color=colour))
    return alt.layer(*layers).properties(height=HEIGHT).configure_view(stroke=None)


def _places(found: Map) -> list[dict[str, Any]]:
    """Where topics' words stand: above the dots of a topic, or amid them where so many leave no room."""
    topics = np.array(found.topics)
    above = 1.0 if _every(found) == 1 else 0.5
    points = [found.points[topics == topic] for topic in range(len(found.names))]
    return [
        {
            "topic": name,
            "x": float(np.clip(np.median(some[:, 0]), -INSIDE, INSIDE)),
            "y": float(np.quantile(some[:, 1], above)),
        }
        for name, some in zip(found.names, points, strict=True)
    ]


def _look() -> Look:
    return DARK if st.context.theme.type == "dark" else LIGHT


def _picked(event: Any) -> str | None:
    chosen = (event or {}).get("selection", {}).get("dot") or []
    return str(chosen[0]["id"]) if chosen and "id" in chosen[0] else None
