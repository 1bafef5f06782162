"""The minimal alignment of two token sequences: the fast twin of ``_align`` in texts.py, key by key."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

cdef int64_t KEPT = -1
cdef int64_t EDIT = <int64_t>1 << 20
cdef int64_t CHANGED = <int64_t>1 << 40
cdef int64_t NEVER = <int64_t>1 << 62  # above any key: no two texts of more than 4,000,000 pairs of tokens are aligned


def align(source, target):
    """The edits of the best alignment, left to right: source span and target span of each."""
    cdef Py_ssize_t n = len(source), m = len(target), width = m + 1, i, j, at, end_i, end_j, to_i, to_j, step
    cdef int64_t left, key
    cdef bint in_edit, begins
    cdef int32_t *tokens = <int32_t *>malloc((n + m + 1) * sizeof(int32_t))
    cdef int64_t *closed = <int64_t *>malloc((n + 1) * width * sizeof(int64_t))
    cdef int64_t *opened = <int64_t *>malloc((n + 1) * width * sizeof(int64_t))
    numbers = {}
    edits = []
    try:
        if tokens == NULL or closed == NULL or opened == NULL:
            raise MemoryError(f"not enough memory to align {n:,} with {m:,} tokens")
        for i in range(n):
            tokens[i] = numbers.setdefault(source[i], len(numbers))
        for j in range(m):
            tokens[n + j] = numbers.setdefault(target[j], len(numbers))
        with nogil:
            closed[0], opened[0] = 0, NEVER
            for j in range(1, width):
                closed[j] = NEVER
                opened[j] = CHANGED + min(closed[j - 1] + EDIT, opened[j - 1])
            for i in range(n):
                at = i * width
                left = min(closed[at] + EDIT, opened[at]) + CHANGED
                closed[at + width], opened[at + width] = NEVER, left
                for j in range(m):
                    at = i * width + j
                    key = min(min(closed[at + 1] + EDIT, opened[at + 1]), left)
                    if tokens[i] == tokens[n + j]:
                        closed[at + width + 1] = min(closed[at], opened[at]) + KEPT
                        opened[at + width + 1] = key + CHANGED
                        left = min(closed[at + width + 1] + EDIT, key + CHANGED)
                    else:
                        closed[at + width + 1] = NEVER
                        left = min(key, min(closed[at] + EDIT, opened[at])) + CHANGED
                        opened[at + width + 1] = left
        i, j, end_i, end_j = n, m, n, m
        in_edit = opened[i * width + j] < closed[i * width + j]
        while i or j:
            if not in_edit:
                i, j = i - 1, j - 1
                in_edit, end_i, end_j = opened[i * width + j] < closed[i * width + j], i, j
                continue
            key = opened[i * width + j] - CHANGED
            for step in range(3):  # a token substituted, deleted, inserted
                to_i, to_j = i - (step < 2), j - (step != 1)
                if to_i < 0 or to_j < 0 or (step == 0 and tokens[to_i] == tokens[n + to_j]):
                    continue  # an equal pair is kept, not substituted
                begins = closed[to_i * width + to_j] + EDIT == key
                if begins or opened[to_i * width + to_j] == key:
                    i, j, in_edit = to_i, to_j, not begins
                    break
            if not in_edit:
                edits.append((i, end_i, j, end_j))
        edits.reverse()
        return edits
    finally:
        free(tokens)
        free(closed)
        free(opened)
