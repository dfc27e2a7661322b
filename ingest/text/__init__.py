"""What stands in a field, made plain: LaTeX, markup, MathML, names, identifiers."""
