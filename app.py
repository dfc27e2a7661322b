"""The pages of the chat in the browser: `streamlit run app.py`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rag.ui import chat

# A file of our own: Streamlit fetches emoji and named icons for the tab from elsewhere.
ICON = Path(chat.__file__).with_name("icon.svg")

st.set_page_config(page_title="Footnote", page_icon=str(ICON), layout="centered")
st.navigation([st.Page(chat.page, title="Ask", icon=":material/forum:", url_path="ask", default=True)]).run()
