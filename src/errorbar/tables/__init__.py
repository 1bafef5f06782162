"""Tables of results: raw values with what they are, and the writers that make text of them."""

FORMATS = ("table", "json", "csv", "markdown", "latex")
"""How every command prints results."""
