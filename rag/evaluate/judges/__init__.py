"""Judges: language models that rate answers, and how far a judge agrees with people."""
