"""Tables of results: raw values with what they are, and the writers that make text of them."""

from errorbar.core.public_names import lazy_names

FORMATS = ("table", "json", "csv", "markdown", "latex")
"""How every command prints results."""

__getattr__ = lazy_names(__spec__)
