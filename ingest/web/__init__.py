"""Asking services of the web politely: what every feed needs besides its service's own paths and parameters."""
