"""A follow-up made to stand alone by the language model, where there is one."""

from __future__ import annotations

from rag import followup
from rag.errors import LLMError
from rag.library import Library
from rag.types import Question


def standalone_question(library: Library, question: Question) -> str:
    """The question without what it leaves to the conversation: as the model rewrites it, else by rule.

    The conversation is data in the prompt; a reply that is empty, overlong or no question counts as none.
    """
    by_rule = followup.standalone(question.text, question.history)
    if library.llm is None or not question.history:
        return by_rule
    from rag.prompts import read_rewrite, rewrite_messages

    try:
        reply = library.llm.complete(rewrite_messages(question.text, question.history))
    except LLMError:
        return by_rule  # what is wrong with the model, the answer itself will say
    rewritten = read_rewrite(reply.text, question.text)
    return by_rule if rewritten == question.text else rewritten
