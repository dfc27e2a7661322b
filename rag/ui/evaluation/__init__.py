"""The evaluation page: begin one, see how it goes, set runs side by side, look at the cases that came out worst."""
