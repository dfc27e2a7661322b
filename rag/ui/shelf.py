"""What all pages of the process share: the settings, the open library, the worker and the conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from rag import browse
from rag.config import Settings, load_settings
from rag.conversations import Conversations
from rag.embedding import Embedder, make_embedder
from rag.errors import FootnoteError
from rag.library import Library, check_identity
from rag.shelves import home_of
from rag.ui import places
from rag.ui.examples import examples
from rag.ui.jobs import Jobs
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

    def files(self) -> list[browse.Counted]:
        """The files it was read from."""
        return worker().read(lambda: browse.files(self.library.catalogue))

    def retracted_among(self, ids: Sequence[str]) -> set[str]:
        """Those of the papers that are known to be retracted."""
        return worker().read(lambda: browse.retracted_among(self.library.catalogue, ids))

    def years(self) -> tuple[int, int] | None:
        """First and last year of its abstracts; None where no year is known or all have the same."""
        known = [year for year, _ in worker().read(lambda: browse.years(self.library.catalogue)) if year is not None]
        return (known[0], known[-1]) if len(known) > 1 else None


@st.cache_resource(show_spinner=False, on_release=Worker.close)
def worker() -> Worker:
    """The threads of this process."""
    return Worker()


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """Long work that pages have started."""
    return Jobs()


def root_settings() -> Settings:
    """The settings as they are now, with the shelf that they name; raises SettingsError."""
    return load_settings()


def chosen() -> str:
    """The name of the shelf in use; empty for that of the settings. It stands in the address, so that links keep it."""
    if places.SHELF in st.query_params:
        st.session_state[places.SHELF] = st.query_params[places.SHELF]
    elif st.session_state.get(places.SHELF):
        st.query_params[places.SHELF] = st.session_state[places.SHELF]
    name: str = st.session_state.get(places.SHELF, "")
    return name


def settings() -> Settings:
    """The settings as they are now, with the shelf in use; raises FootnoteError."""
    root, name = root_settings(), chosen()
    return root.model_copy(update={"home": home_of(root.home, name)}) if name else root


def conversations(home: Path) -> Conversations | None:
    """The conversations of the shelf in `home`, None where that folder is not there; raises FootnoteError."""
    return _conversations(home.resolve()) if home.is_dir() else None


@st.cache_resource(show_spinner=False, max_entries=16, on_release=Conversations.close)
def _conversations(home: Path) -> Conversations:
    return Conversations(home)


def open_shelf() -> Shelf:
    """The shelf of the settings as they are now; raises FootnoteError where it cannot answer.

    Nothing of a failure or of an empty index is kept: once the index is mended, the next call finds it so.
    """
    library = _library(settings())
    return worker().read(lambda: _look(library))


@st.cache_resource(show_spinner="Opening the shelf …", max_entries=4, hash_funcs={Settings: hash})
def _library(settings: Settings) -> Library:
    library = Library(settings, embedder(settings))
    worker().warm_up(library)
    return library


def trouble(shelf: Shelf) -> FootnoteError | None:
    """Why the language model of the settings cannot even be asked; None where it can, or none is set."""
    try:
        _ = shelf.library.llm
    except FootnoteError as error:
        return error
    return None


def embedder(settings: Settings) -> Embedder:
    """The embedder of the settings, loaded once whatever shelf is open; raises SettingsError."""
    return _embedder(settings.model_copy(update={"home": Path()}))


@st.cache_resource(show_spinner=False, max_entries=2, hash_funcs={Settings: hash})
def _embedder(settings: Settings) -> Embedder:
    return make_embedder(settings)


def models(shelf: Shelf) -> list[str]:
    """The models that the language model's server offers; none while it has not said, or where it does not."""
    llm = shelf.library.llm
    return worker().meanwhile(f"models of {llm.server}", llm.models) or [] if llm else []


def _look(library: Library) -> Shelf:
    abstracts, _ = library.catalogue.counts()
    if abstracts:
        check_identity(library.catalogue, library.index, library.settings.home)
    return Shelf(library, abstracts)
