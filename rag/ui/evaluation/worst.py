"""The cases that came out worst, each with its answer."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from rag.evaluate.metrics import METRICS
from rag.evaluate.run import Run
from rag.evaluate.summary import ALL
from rag.ui import markdown, places, reply

WORST = 10
"""Cases that are listed."""
MAIN = ("ndcg@10", "recall@10", "facts", "gold_cited", "citation_precision", "alce_recall", "answered", "refused")


def draw(runs: Mapping[str, Run]) -> None:
    """A list by a metric of one's choice."""
    metrics = [name for name in MAIN if any(name in run.summary.get(ALL, {}) for run in runs.values())]
    if not metrics:
        return
    st.subheader("Worst cases", anchor=False)
    chosen = st.selectbox("By", metrics, format_func=lambda name: METRICS[str(name)].title, key="worst-by")
    name = st.selectbox("In", list(runs), key="worst-in") if len(runs) > 1 else next(iter(runs))
    run = runs[name or next(iter(runs))]
    for place, (identity, value) in enumerate(worst(run, chosen or metrics[0]), 1):
        answer = run.answers.get(identity, {})
        question = str(answer.get("question") or identity)
        with st.expander(f"{value:.2f} · {markdown.line(question)}"):
            _case(run, identity, answer, place)


def worst(run: Run, metric: str) -> list[tuple[str, float]]:
    """Ids of the cases with the worst values of a metric, and these."""
    better = METRICS[metric].better or 1
    scored = [(score.id, score.values[metric]) for score in run.scores if metric in score.values]
    return sorted(scored, key=lambda pair: (better * pair[1], pair[0]))[:WORST]


def _case(run: Run, identity: str, answer: Mapping[str, object], place: int) -> None:
    from rag.chats.codec import answer_of

    case = next((case for case in run.cases if case.get("id") == identity), {})
    if wanted := case.get("answer"):
        st.markdown(f"**Wanted:** {markdown.line(str(wanted))}")
    for name in case.get("gold") or []:
        places.link("library", f"Gold: {markdown.line(str(name))}", paper=str(name))
    if answer:
        reply.draw(answer_of(answer), place)
    else:
        st.caption("There is no answer.")
