"""The most that a file may have, whoever sends it."""

from __future__ import annotations

LONGEST_LINE = 1 << 26  # bytes; a whole book in one line has a few million
LONGEST_SENTENCE = 1 << 27  # bytes from one S line to the next that are held for workers
MOST_EXPANSION = 50  # times as many bytes as gzip data may hold; text has up to 10, regular tables 30, a bomb 1,030
FREELY_UNPACKED = 1 << 19  # bytes that are unpacked whatever they were packed in
MOST_EDIT_BYTES = 1 << 26  # of a HOO file, unpacked; the largest edit file of the shared task has 20 thousand
MOST_RANKING_BYTES = 1 << 28  # of an XML file of rankings; 2,319 rankings have 800 thousand
MOST_REPAIRS = 10_000  # things out of place in a HOO edit file; files of the shared task have up to 57
MOST_TOGETHER = 50  # systems in a ranking, 1,225 comparisons; five texts may be those of thirty systems
MOST_SYSTEMS = 1000  # in all rankings of a file; every method keeps a table of all pairs
LARGEST_SCORE = 1e100  # beyond it squares and sums overflow; a score of a metric has a size of ten or a hundred
LARGEST_COUNT = 1 << 53  # of edits of a sentence; floats hold no larger one exactly
