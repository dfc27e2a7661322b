"""What builds committed data and measures it."""
