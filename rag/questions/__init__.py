"""Files of questions -> Question values with identities that do not depend on position."""

from __future__ import annotations

from rag.questions.files import read_questions
from rag.questions.identity import question_id

__all__ = ["question_id", "read_questions"]
