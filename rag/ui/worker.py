"""Answers are produced in threads of their own, so that a page that is drawn again or closed does not end them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from rag.answer import stream
from rag.errors import FootnoteError
from rag.library import Library
from rag.types import Abstract, Answer, Delta, Question
from rag.ui.conversation import Conversation, Exchange, Reply

Result = TypeVar("Result")

LOG = logging.getLogger(__name__)


class Worker:
    """Threads that answer and one that reads; a fixed number, since each keeps a connection to the catalogue."""

    def __init__(self, threads: int = 8) -> None:
        self._answering = ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="page")
        self._closed = threading.Event()

    def close(self) -> None:
        """End after the piece of text at hand; what has not begun is not answered."""
        self._closed.set()
        self._answering.shutdown(wait=False, cancel_futures=True)
        self._reading.shutdown(wait=False, cancel_futures=True)

    def read(self, work: Callable[[], Result]) -> Result:
        """The result of `work`, done in the thread that reads for pages."""
        return self._reading.submit(work).result()

    def warm_up(self, library: Library) -> None:
        """Load the embedder meanwhile; if that fails, the first question says so."""
        self._answering.submit(lambda: library.embedder.embed_query("first question"))

    def ask(self, library: Library, conversation: Conversation, question: str) -> Exchange:
        """Add a question to the conversation and see that it is answered in its turn."""
        exchange, nobody_answers = conversation.add(question)
        if nobody_answers:
            self._answer_next(library, conversation)
        return exchange

    def _answer_next(self, library: Library, conversation: Conversation) -> None:
        exchange = conversation.waiting()
        if exchange is None or self._closed.is_set():
            return
        question = Question(exchange.question, history=conversation.history(exchange))
        future = self._answering.submit(self._reply, library, question, exchange)
        future.add_done_callback(partial(self._finish, library, conversation, exchange))

    def _finish(self, library: Library, conversation: Conversation, exchange: Exchange, future: Future[Reply]) -> None:
        error = FootnoteError("The server was stopped.") if future.cancelled() else future.exception()
        exchange.finish(future.result() if error is None else Reply(exchange.reply.text, error=explained(error)))
        self._answer_next(library, conversation)

    def _reply(self, library: Library, question: Question, exchange: Exchange) -> Reply:
        answers = stream(library, question)
        text = withdrawn = ""
        for event in answers:
            if self._closed.is_set():
                raise FootnoteError("The server was stopped.")
            text, withdrawn = (text + event.text, withdrawn) if isinstance(event, Delta) else ("", event.reason)
            exchange.reply = Reply(text, withdrawn)
        return Reply(text, withdrawn, answers.answer, named(library, answers.answer))


def named(library: Library, answer: Answer) -> Mapping[str, Abstract]:
    """The abstracts that an answer's citations and hits name, by id."""
    return library.catalogue.many([*(citation.id for citation in answer.citations), *(hit.id for hit in answer.hits)])


def explained(error: BaseException) -> FootnoteError:
    """The error as a person can read it; an unexpected one goes to the log in full."""
    if isinstance(error, FootnoteError):
        return error
    LOG.error("A question was not answered.", exc_info=error)
    return FootnoteError(
        f"This question could not be answered: {type(error).__name__}: {error}.",
        "It is a fault in Footnote; the server's log has the details. Other questions may work.",
    )
