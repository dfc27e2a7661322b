"""What `rag.llm` needs to know of servers: failures, HTTP, pace, prices, tokens."""
