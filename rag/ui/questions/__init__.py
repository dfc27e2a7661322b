"""The page for files of questions: upload, estimate, run, look at the answers, download."""
