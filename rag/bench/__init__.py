"""`python -m rag.bench`: quality and speed, measured on this machine, as ratios within one run."""
