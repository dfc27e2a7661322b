"""Answers are produced in threads of their own, so that a page that is drawn again or closed does not end them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from rag.answer import AnswerStream, stream
from rag.chats.values import PLAIN, ChatTurn, Failure, Wish
from rag.conversations import Conversations
from rag.errors import FootnoteError
from rag.library import Library
from rag.retrieve import search
from rag.types import Abstract, Answer, Delta, Question

Result = TypeVar("Result")

LOG = logging.getLogger(__name__)
WRITE = 0.1
"""Seconds between two writes of a running reply."""
TURN = 0.2
"""Seconds between two looks at a turn that another process answers, where ours waits behind it."""

RETRY = 60.0
"""Seconds after which what a server offers is looked up again."""
GLANCE = 0.3
"""Seconds that a page waits for such a thing."""


class Worker:
    """Threads that answer and one that reads; a fixed number, since each keeps a connection to the catalogue."""

    def __init__(self, threads: int = 8) -> None:
        self._answering = ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="page")
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._attended: set[str] = set()
        self._libraries: dict[int, Library] = {}
        self._done: dict[int, threading.Event] = {}
        self._known: dict[str, tuple[float, Future[Any]]] = {}

    def close(self) -> None:
        """End after the piece of text at hand; what has not begun is not answered."""
        self._closed.set()
        self._answering.shutdown(wait=False, cancel_futures=True)
        self._reading.shutdown(wait=False, cancel_futures=True)

    def read(self, work: Callable[[], Result]) -> Result:
        """The result of `work`, done in the thread that reads for pages."""
        return self._reading.submit(work).result()

    def work_out(self, work: Callable[[], Result]) -> Result:
        """The result of `work` that takes long, done where it keeps no other page waiting."""
        return self._answering.submit(work).result()

    def meanwhile(self, name: str, work: Callable[[], Result]) -> Result | None:
        """The result of `work` as it was found last; None while it is not known. It is looked up now and then."""
        with self._lock:
            began, future = self._known.get(name, (-RETRY, None))
            if time.monotonic() - began >= RETRY and (future is None or future.done()):
                began, future = time.monotonic(), self._answering.submit(work)
                self._known[name] = (began, future)
        if future is None or not wait([future], GLANCE).done or future.cancelled() or future.exception() is not None:
            return None
        found: Result = future.result()
        return found

    def warm_up(self, library: Library) -> None:
        """Load the embedder and open both stores meanwhile; if that fails, the first question says so."""
        self._answering.submit(search, library, "first question")

    def ask(self, library: Library, store: Conversations, chat: str, question: str, wish: Wish = PLAIN) -> int:
        """Add a question to a conversation and see that it is answered in its turn; the turn's id."""
        return self._attend(library, store, chat, lambda: store.ask(chat, question, wish))

    def ask_again(self, library: Library, store: Conversations, turn: ChatTurn, question: str, wish: Wish) -> int:
        """Ask in place of a turn and of all after it."""
        return self._attend(library, store, turn.chat, lambda: store.ask_again(turn.id, question, wish))

    def wait(self, turn: int, seconds: float) -> bool:
        """Whether the reply to a turn is final, after waiting for it at most `seconds`."""
        event = self._done.get(turn)
        return event is None or event.wait(seconds)

    def _attend(self, library: Library, store: Conversations, chat: str, add: Callable[[], int]) -> int:
        with self._lock:  # so that nobody finds the turn before its library
            turn = add()
            self._libraries[turn], self._done[turn] = library, threading.Event()
            attended = chat in self._attended
            self._attended.add(chat)
        if not attended:
            self._answering.submit(self._answer_all, store, chat)
        return turn

    def _answer_all(self, store: Conversations, chat: str) -> None:
        """Answer the turns of a conversation, one after the other, until none waits."""
        while not self._closed.is_set():
            turn = store.claim(chat)
            if turn is not None:
                self._answer(store, turn)
                continue
            with self._lock:
                if not store.has_waiting(chat):
                    self._attended.discard(chat)
                    return
            time.sleep(TURN)

    def _answer(self, store: Conversations, turn: ChatTurn) -> None:
        library = self._libraries.pop(turn.id)
        try:
            answer = self._write(library, store, turn)
            if answer is not None:
                store.finish(turn.id, answer, named(library, answer))
        except Exception as error:  # noqa: BLE001 - the thread ends here: the page must say what happened
            store.fail(turn.id, explained(error))
        finally:
            self._done.pop(turn.id).set()

    def _write(self, library: Library, store: Conversations, turn: ChatTurn) -> Answer | None:
        """The answer, written to the store as it comes; None where this server ends before it does."""
        asking = library.with_model(turn.wish.model) if turn.wish.model else library
        question = Question(
            turn.question,
            history=store.history(turn),
            filters=turn.wish.filters,
            top_k=turn.wish.top_k,
            style=turn.wish.style,
        )
        answers = stream(asking, question, stopping=lambda: self._closed.is_set() or store.is_stopped(turn.id))
        return self._follow(answers, store, turn.id)

    def _follow(self, answers: AnswerStream, store: Conversations, turn: int) -> Answer | None:
        text = withdrawn = ""
        written = time.monotonic()
        for event in answers:
            text, withdrawn = (text + event.text, withdrawn) if isinstance(event, Delta) else ("", event.reason)
            if time.monotonic() - written >= WRITE:
                store.write(turn, text, withdrawn)
                written = time.monotonic()
        if self._closed.is_set():
            store.write(turn, text, withdrawn)
            return None
        return answers.answer


def named(library: Library, answer: Answer) -> Mapping[str, Abstract]:
    """The abstracts that an answer's citations and hits name, by id."""
    return library.catalogue.many([*(citation.id for citation in answer.citations), *(hit.id for hit in answer.hits)])


def explained(error: Exception) -> Failure:
    """The error as a person can read it; an unexpected one goes to the log in full."""
    if isinstance(error, FootnoteError):
        return Failure(error.message, error.fix)
    LOG.error("A question was not answered.", exc_info=error)
    return Failure(
        f"This question could not be answered: {type(error).__name__}: {error}.",
        "It is a fault in Footnote; the server's log has the details. Other questions may work.",
    )
