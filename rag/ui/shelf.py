"""What all pages of the process share: the settings, the open library, the worker and the conversations."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from rag.config import Settings, load_settings
from rag.library import Library, check_identity, open_library
from rag.ui.conversation import Conversations
from rag.ui.examples import examples
from rag.ui.worker import Worker


@dataclass(frozen=True, slots=True)
class Shelf:
    """An open library; `abstracts` is how many it holds now."""

    library: Library
    abstracts: int

    @property
    def settings(self) -> Settings:
        """The settings the library was opened with."""
        return self.library.settings

    def questions(self) -> list[str]:
        """Questions to begin with."""
        return worker().read(lambda: examples(self.library.catalogue))


@st.cache_resource(show_spinner=False, on_release=Worker.close)
def worker() -> Worker:
    """The threads of this process."""
    return Worker()


@st.cache_resource(show_spinner=False)
def conversations() -> Conversations:
    """The conversations of this process."""
    return Conversations()


def open_shelf() -> Shelf:
    """The shelf of the settings as they are now; raises FootnoteError where it cannot answer.

    Nothing of a failure or of an empty index is kept: once the index is mended, the next call finds it so.
    """
    library = _library(load_settings())
    return worker().read(lambda: _look(library))


@st.cache_resource(show_spinner="Opening the shelf …", max_entries=4, hash_funcs={Settings: hash})
def _library(settings: Settings) -> Library:
    library = open_library(settings)
    worker().warm_up(library)
    return library


def _look(library: Library) -> Shelf:
    abstracts, _ = library.catalogue.counts()
    if abstracts:
        check_identity(library.catalogue, library.index, library.settings.home)
    return Shelf(library, abstracts)
