"""``errorbar judge analyze``: what the papers computed from studies of each scheme, with intervals."""
