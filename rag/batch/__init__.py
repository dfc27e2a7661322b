"""Many questions, one file of answers: appended line by line as they finish, resumed by running again."""

from __future__ import annotations

from rag.batch.estimate import Estimate
from rag.batch.output import read_answers
from rag.batch.run import Limits, Outcome, estimate_of, run
from rag.batch.standing import Standing, Watcher

__all__ = ["Estimate", "Limits", "Outcome", "Standing", "Watcher", "estimate_of", "read_answers", "run"]
