"""Probabilities of the tokens of a text in a tree of n-grams: the fast twin of ngrams.py, sum by sum."""

from libc.stdint cimport int32_t, uint8_t

cdef enum:
    LONGEST = 16  # orders; the models have at most 9


cdef inline int32_t child(
    const int32_t[::1] word, const int32_t[::1] first, int32_t parent, int32_t wanted
) noexcept nogil:
    """The child of a node by a word, -1 where it has none."""
    cdef int32_t low = first[parent], end = first[parent + 1], high = end, middle
    while low < high:
        middle = low + (high - low) // 2
        if word[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and word[low] == wanted else -1


def score_runs(
    const int32_t[::1] word, const float[::1] log10_prob, const int32_t[::1] first, const float[::1] log10_backoff,
    int order, const int32_t[::1] ids, const uint8_t[::1] starts, double[::1] out,
):
    """Fill ``out`` with log10 of the probability of each token after those before it in its run."""
    cdef int32_t[LONGEST] node  # by order - 1: the n-gram that ends at the token before, then at this one
    cdef int32_t context, next_node
    cdef Py_ssize_t at
    cdef int n
    cdef double total
    if order > LONGEST:
        raise ValueError(f"the order must be at most {LONGEST}")
    with nogil:
        for at in range(ids.shape[0]):
            if starts[at] or at == 0:
                for n in range(order):
                    node[n] = -1
            context = node[0]
            node[0] = ids[at]
            total = log10_prob[ids[at]]
            for n in range(1, order):
                next_node = child(word, first, context, ids[at]) if context >= 0 else -1
                if next_node >= 0:
                    total = log10_prob[next_node]
                elif context >= 0:
                    total += log10_backoff[context]
                context = node[n]
                node[n] = next_node
            out[at] = total
