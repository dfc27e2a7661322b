"""A follow-up made to stand alone by the language model, where there is one."""

from __future__ import annotations

from typing import NamedTuple

from rag import followup
from rag.errors import LLMError
from rag.library import Library
from rag.types import Question, Usage


class Standalone(NamedTuple):
    """A question that needs no conversation; `usage` is what rewriting it took, None where no model was asked."""

    text: str
    usage: Usage | None = None


def standalone_question(library: Library, question: Question) -> Standalone:
    """The question without what it leaves to the conversation: as the model rewrites it, else by rule.

    The conversation is data in the prompt; a reply that is empty, overlong or no question counts as none.
    """
    by_rule = followup.standalone(question.text, question.history)
    if library.llm is None or not question.history:
        return Standalone(by_rule)
    from rag.prompts import read_rewrite, rewrite_messages

    reply = library.llm.stream(rewrite_messages(question.text, question.history))
    try:
        for _ in reply:
            pass
    except LLMError as error:  # what is wrong with the model, the answer itself will say
        return Standalone(by_rule, error.usage)
    rewritten = read_rewrite(reply.text, question.text)
    return Standalone(by_rule if rewritten == question.text else rewritten, reply.usage)
