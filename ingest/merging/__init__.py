"""What becomes of a record that the shelf may hold already."""
