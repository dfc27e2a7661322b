"""What the chat keeps: conversations, their turns, and what readers said of them."""
