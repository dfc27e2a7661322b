"""A question as the language model, where there is one, puts it: standing alone, and in other words to search by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rag import followup
from rag.errors import LLMError
from rag.objection import without_objection
from rag.types import Question, Usage

if TYPE_CHECKING:
    from rag.llm import LLM


class Standalone(NamedTuple):
    """A question that needs no conversation; `usage` is what rewriting it took, None where no model was asked."""

    text: str
    usage: Usage | None = None


def standalone_question(llm: LLM | None, question: Question) -> Standalone:
    """The question without what it leaves to the conversation: as the model rewrites it, else by rule.

    One that presses for another answer is not left to the model, which might give in. The conversation is data in the
    prompt; a reply that is empty, overlong or no question counts as none.
    """
    by_rule = followup.standalone(question.text, question.history)
    if llm is None or not question.history or without_objection(question.text) is not None:
        return Standalone(by_rule)
    from rag.prompts import read_rewrite, rewrite_messages

    try:
        reply = llm.complete(rewrite_messages(question.text, question.history))
    except LLMError as error:  # what is wrong with the model, the answer itself will say
        return Standalone(by_rule, error.usage)
    rewritten = read_rewrite(reply.text, question.text)
    return Standalone(by_rule if rewritten == question.text else rewritten, reply.usage)


class Queries(NamedTuple):
    """Other queries for a question; `usage` is what writing them took, None where no model was asked."""

    texts: list[str]
    usage: Usage | None = None


def other_queries(llm: LLM | None, question: str, number: int) -> Queries:
    """At most `number` of them; none where there is no model, or it fails or writes none."""
    if number < 1 or llm is None:
        return Queries([])
    from rag.prompts import queries_messages, read_queries

    try:
        reply = llm.complete(queries_messages(question, number))
    except LLMError as error:  # what is wrong with the model, the answer itself will say
        return Queries([], error.usage)
    return Queries(read_queries(reply.text, question, number), reply.usage)
