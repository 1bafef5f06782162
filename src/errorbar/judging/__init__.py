"""Collecting judgments: a store that loses nothing, the protocol of who judges what, a server, and what came of it.

The only room with SQL, which is the extra ``judge``: without it nothing of this room can be imported, and nothing else
of errorbar imports it.
"""

from importlib.util import find_spec

from errorbar.core.problems import MissingExtraError
from errorbar.core.public_names import lazy_names

if find_spec("sqlalchemy") is None:
    raise MissingExtraError("judge", "collecting judgments")

__getattr__ = lazy_names(__spec__)
