"""The pages of the chat in the browser: `streamlit run app.py`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rag.ui import chat, places, preferences
from rag.ui.evaluation import page as evaluation
from rag.ui.library import page as library
from rag.ui.questions import page as questions

# A file of our own: Streamlit fetches emoji and named icons for the tab from elsewhere.
ICON = Path(chat.__file__).with_name("icon.svg")


def run(first: str = "ask") -> None:
    """Draw the page that the address names; `first` is the one it names by naming none."""
    st.set_page_config(page_title="Footnote", page_icon=str(ICON), layout="centered")
    parts = {
        "ask": (chat.page, "Ask", ":material/forum:"),
        "library": (library.page, "Library", ":material/menu_book:"),
        "questions": (questions.page, "Questions", ":material/checklist:"),
        "evaluation": (evaluation.page, "Evaluation", ":material/monitoring:"),
        "settings": (preferences.page, "Settings", ":material/settings:"),
    }
    pages = {
        name: st.Page(page, title=title, icon=icon, url_path=name, default=name == first)
        for name, (page, title, icon) in parts.items()
    }
    st.session_state[places.PAGES] = pages
    st.navigation(list(pages.values())).run()


if __name__ == "__main__":
    run()
