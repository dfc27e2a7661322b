"""The pages of the chat in the browser: `streamlit run app.py`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rag.ui import chat, places, preferences
from rag.ui.library import page as library

# A file of our own: Streamlit fetches emoji and named icons for the tab from elsewhere.
ICON = Path(chat.__file__).with_name("icon.svg")

st.set_page_config(page_title="Footnote", page_icon=str(ICON), layout="centered")
pages = {
    "ask": st.Page(chat.page, title="Ask", icon=":material/forum:", url_path="ask", default=True),
    "library": st.Page(library.page, title="Library", icon=":material/menu_book:", url_path="library"),
    "settings": st.Page(preferences.page, title="Settings", icon=":material/settings:", url_path="settings"),
}
st.session_state[places.PAGES] = pages
st.navigation(list(pages.values())).run()
