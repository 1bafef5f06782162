"""Tokens of two parsed texts aligned as errant does, step by step and sum by sum, a hundred times faster.

A table of costs over the tokens read on both sides. Equal tokens cost nothing, and nothing else is tried. Otherwise the
cheapest of, ties in this order: a transposition of k + 1 tokens, which are the same but for their order and letter case
(k); a substitution (0 if but for letter case equal, else .499 for another lemma, .25 for another open part of speech
or .5 for another part, and the share of characters to insert and delete); an insertion; a deletion (1 each). A
transposition is looked for back to the first step along the diagonal that was free.

The twin is errant's own class ``Alignment``.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

cdef enum:
    MATCH = 0
    SUBSTITUTION = -1
    INSERTION = -2
    DELETION = -3  # above 0: tokens of a transposition

cdef enum:
    ORTH, LOWER, LEMMA, POS  # columns of tokens


cdef double unlike(str first, str second):
    """Characters to insert and delete, as a share of all: 1 - 2 LCS / (n + m)."""
    cdef Py_ssize_t n = len(first), m = len(second), head = 0, tail = 0, i, j
    cdef int32_t diagonal, above
    cdef int32_t *common
    cdef Py_UCS4 character
    if not n + m:
        return 0.0
    while head < n and head < m and first[head] == second[head]:
        head += 1
    while tail < n - head and tail < m - head and first[n - 1 - tail] == second[m - 1 - tail]:
        tail += 1
    common = <int32_t *>malloc((m + 1) * sizeof(int32_t))
    if common == NULL:
        raise MemoryError("not enough memory for two tokens")
    for j in range(m + 1):
        common[j] = 0
    for i in range(head, n - tail):
        diagonal, character = 0, first[i]
        for j in range(head, m - tail):
            above = common[j + 1]
            if character == second[j]:
                common[j + 1] = diagonal + 1
            elif common[j] > above:
                common[j + 1] = common[j]
            diagonal = above
    above = common[m - tail] if m - tail > head else 0
    free(common)
    return <double>(n + m - 2 * (head + tail + above)) / <double>(n + m)


cdef bint same_tokens(const uint64_t *first, const uint64_t *second, Py_ssize_t n, Py_ssize_t width) noexcept nogil:
    """Whether two runs of n tokens are the same but for their order."""
    cdef Py_ssize_t i, j, here, there
    for i in range(n):
        here = there = 0
        for j in range(n):
            here += first[j * width] == first[i * width]
            there += second[j * width] == first[i * width]
        if here != there:
            return False
    return True


cdef inline uint64_t mixed(uint64_t token) noexcept nogil:
    """A number whose sums tell sets of tokens apart nearly always."""
    token = (token ^ (token >> 31)) * <uint64_t>0x9E3779B97F4A7C15
    return token ^ (token >> 29)


def align(
    const uint64_t[:, ::1] ours, list our_texts, const uint64_t[:, ::1] theirs, list their_texts, const uint64_t[::1] content
):
    """The steps of the alignment: ``(operation, start, end, start, end)``, operations ``M``, ``S``, ``I``, ``D``, ``T2``.

    Args:
        ours: Numbers of spelling, lower-cased spelling, lemma and part of speech; shape (tokens, 4).
        our_texts: The tokens.
        theirs: As ``ours``, of the corrected text.
        their_texts: As ``our_texts``.
        content: Numbers of the open parts of speech.
    """
    cdef Py_ssize_t n = ours.shape[0], m = theirs.shape[0], tail = 0, i, j, k, width, at
    cdef double deletion, insertion, substitution, transposition, least, likeness
    cdef uint64_t apart
    cdef double *cost
    cdef int32_t *step
    cdef int32_t taken
    while tail < n and tail < m and ours[n - 1 - tail, ORTH] == theirs[m - 1 - tail, ORTH]:
        tail += 1  # the way back from the end goes through these, whatever is before
    n, m = n - tail, m - tail
    width = m + 1
    cost = <double *>malloc((n + 1) * width * sizeof(double))
    step = <int32_t *>malloc((n + 1) * width * sizeof(int32_t))
    try:
        if cost == NULL or step == NULL:
            raise MemoryError(f"not enough memory to align {n:,} with {m:,} tokens")
        for i in range(n + 1):
            cost[i * width], step[i * width] = i, DELETION
        for j in range(1, m + 1):
            cost[j], step[j] = j, INSERTION
        for i in range(n):
            for j in range(m):
                at = i * width + j
                if ours[i, ORTH] == theirs[j, ORTH]:
                    cost[at + width + 1], step[at + width + 1] = cost[at], MATCH
                    continue
                deletion, insertion = cost[at + 1] + 1, cost[at + width] + 1
                least = min(deletion, insertion)
                if ours[i, LOWER] == theirs[j, LOWER]:
                    substitution = cost[at]
                else:
                    likeness = 0.0 if ours[i, LEMMA] == theirs[j, LEMMA] else 0.499
                    if ours[i, POS] != theirs[j, POS]:
                        likeness += 0.25 if among(ours[i, POS], content) and among(theirs[j, POS], content) else 0.5
                    substitution = INFINITY
                    if cost[at] + likeness <= least:  # else it cannot be the cheapest
                        substitution = cost[at] + (likeness + unlike(our_texts[i], their_texts[j]))
                transposition, apart, k = INFINITY, mixed(ours[i, LOWER]) - mixed(theirs[j, LOWER]), 1
                while i >= k and j >= k and cost[at - (k - 1) * (width + 1)] != cost[at - k * (width + 1)]:
                    apart += mixed(ours[i - k, LOWER]) - mixed(theirs[j - k, LOWER])
                    if apart == 0 and same_tokens(&ours[i - k, LOWER], &theirs[j - k, LOWER], k + 1, ours.shape[1]):
                        transposition = cost[at - k * (width + 1)] + k
                        break
                    k += 1
                least, taken = transposition, <int32_t>(k + 1)
                if substitution < least:
                    least, taken = substitution, SUBSTITUTION
                if insertion < least:
                    least, taken = insertion, INSERTION
                if deletion < least:
                    least, taken = deletion, DELETION
                cost[at + width + 1], step[at + width + 1] = least, taken
        found = [("M", n + k, n + k + 1, m + k, m + k + 1) for k in range(tail - 1, -1, -1)]
        i, j = n, m
        while i or j:
            taken = step[i * width + j]
            if taken == DELETION:
                found.append(("D", i - 1, i, j, j))
                i -= 1
            elif taken == INSERTION:
                found.append(("I", i, i, j - 1, j))
                j -= 1
            elif taken > 0:
                found.append((f"T{taken}", i - taken, i, j - taken, j))
                i, j = i - taken, j - taken
            else:
                found.append(("M" if taken == MATCH else "S", i - 1, i, j - 1, j))
                i, j = i - 1, j - 1
        found.reverse()
        return found
    finally:
        free(cost)
        free(step)


cdef inline bint among(uint64_t part, const uint64_t[::1] parts) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(parts.shape[0]):
        if parts[k] == part:
            return True
    return False
