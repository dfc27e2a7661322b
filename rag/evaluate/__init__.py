"""Cases in, numbers with intervals out: what a run of questions is worth, and whether another is better."""
