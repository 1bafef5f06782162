"""Files to nouns and back; never scores anything.

A file is a path or ``-``, gzipped or not. One that cannot be opened, read or written, or that does not hold what it
must, is an ``InputError``. What reading can go on after is recorded in its ``Problems``, and whoever asked for the
reading raises them after the last sentence or row.
"""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)
