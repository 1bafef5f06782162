"""Text pairs -> edits, edits -> text, and matching hypothesis edits with a reference."""
