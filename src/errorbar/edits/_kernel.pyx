"""MaxMatch for many sentence pairs at once: the door to the compiled twins."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from errorbar.edits._large cimport LargeSpace

cdef enum:
    MOST_UNCHANGED = 245  # of each state one byte says how it was reached (_large.pyx)


def workspace():
    """Memory for match_pairs, kept between calls."""
    return LargeSpace()


cdef bint same_folded(const int32_t *a, int n, const int32_t *b, int m, const int64_t[::1] fold_off,
                      const int32_t[::1] folded) noexcept nogil:
    """Whether two token sequences are equal once joined without spaces and lower-cased."""
    cdef int i = 0, j = 0
    cdef int64_t p = 0, q = 0
    while True:
        while i < n and p == fold_off[a[i] + 1] - fold_off[a[i]]:
            i += 1
            p = 0
        while j < m and q == fold_off[b[j] + 1] - fold_off[b[j]]:
            j += 1
            q = 0
        if i == n or j == m:
            return i == n and j == m
        if folded[fold_off[a[i]] + p] != folded[fold_off[b[j]] + q]:
            return False
        p += 1
        q += 1


def match_pairs(
    LargeSpace w not None,
    const int32_t[::1] source, const int64_t[::1] source_off,
    const int32_t[::1] hypothesis, const int64_t[::1] hypothesis_off,
    const uint8_t[:, ::1] present, const int64_t[::1] edit_off,
    const int32_t[::1] edit_start, const int32_t[::1] edit_end, const int64_t[::1] edit_alt,
    const int64_t[::1] alt_off, const int32_t[::1] alt_tok,
    int max_unchanged, int arc_limit, int64_t cell_limit, int64_t state_limit, const int64_t[::1] fold_off, const int32_t[::1] folded,
    int32_t[:, :, ::1] counts, uint8_t[::1] matched, uint8_t[::1] large,
    int32_t[:, ::1] edits=None, const int64_t[::1] edits_off=None,
):
    """Fill ``counts`` (units, annotators, 3), ``matched`` (reference edits) and ``large`` (units).

    Every token array must hold at least one element. ``fold_off`` of length 1 means: compare as written. ``edits``
    gets the proposed edits as rows (start, end, first and last + 1 hypothesis token, matched), those of unit u from
    ``edits_off[u]`` to ``edits_off[u + 1]`` at most; then only one annotator of a unit may be present.

    Returns:
        -1, or the index of the first pair that is too large for the memory this function allows itself.
    """
    cdef int64_t u, slot, g, too_large = -1
    cdef int a, k, size, listed, looked, n_annotators = present.shape[1], proposed, correct, last, x
    cdef int32_t *path
    cdef int64_t row
    cdef bint fold = fold_off.shape[0] > 1, want_edits = edits is not None
    if not 0 <= max_unchanged <= MOST_UNCHANGED:
        raise ValueError(f"max_unchanged must be 0 to {MOST_UNCHANGED}, got {max_unchanged}")
    w.max_unchanged, w.arc_limit, w.state_limit = max_unchanged, arc_limit, state_limit
    w.g_start, w.g_end, w.g_alt = &edit_start[0], &edit_end[0], &edit_alt[0]
    w.alt_off, w.alt_tok = &alt_off[0], &alt_tok[0]
    with nogil:
        for u in range(present.shape[0]):
            w.s = &source[0] + source_off[u]
            w.h = &hypothesis[0] + hypothesis_off[u]
            w.n = source_off[u + 1] - source_off[u]
            w.m = hypothesis_off[u + 1] - hypothesis_off[u]
            if <int64_t>(w.n + 1) * (w.m + 1) > cell_limit:
                too_large = u
                break
            w.states = looked = 0
            for a in range(n_annotators):
                looked += present[u, a]
            if not looked:
                continue
            w.build_lattice()
            listed = w.merge()
            large[u] = not listed
            if listed:
                w.prepare_costs()
            for a in range(n_annotators):
                if not present[u, a]:
                    continue
                slot = u * n_annotators + a
                w.g_low, w.g_high = edit_off[slot], edit_off[slot + 1]
                if not listed:
                    size = w.large_path()
                    if size < 0:
                        too_large = u
                        break
                    path = w.path
                elif w.g_low < w.g_high and w.set_costs():
                    size = w.cheapest_path(w.cost, w.path)
                    path = w.path
                else:
                    if w.n_path_base < 0:
                        w.n_path_base = w.cheapest_path(w.base_cost, w.path_base)
                    size = w.n_path_base
                    path = w.path_base
                proposed = 0
                last = 0
                for g in range(w.g_low, w.g_high):
                    matched[g] = 0
                for k in range(size):
                    if fold and same_folded(w.s + path[4 * k], path[4 * k + 1] - path[4 * k], w.h + path[4 * k + 2],
                                            path[4 * k + 3] - path[4 * k + 2], fold_off, folded):
                        continue
                    proposed += 1
                    for x in range(last, <int>(w.g_high - w.g_low)):
                        g = w.g_low + x
                        if w.g_start[g] == path[4 * k] and w.g_end[g] == path[4 * k + 1] and w.is_hit(
                                g, path[4 * k + 2], path[4 * k + 3]):
                            matched[g] = 1
                            last = x + 1
                correct = 0
                for g in range(w.g_low, w.g_high):
                    correct += matched[g]
                counts[u, a, 0] = correct
                counts[u, a, 1] = proposed
                counts[u, a, 2] = w.g_high - w.g_low
                if not want_edits:
                    continue
                row = edits_off[u]
                last = 0
                for k in range(size):
                    if row == edits_off[u + 1]:
                        break
                    if fold and same_folded(w.s + path[4 * k], path[4 * k + 1] - path[4 * k], w.h + path[4 * k + 2],
                                            path[4 * k + 3] - path[4 * k + 2], fold_off, folded):
                        continue
                    for x in range(4):
                        edits[row, x] = path[4 * k + x]
                    edits[row, 4] = 0
                    for x in range(last, <int>(w.g_high - w.g_low)):
                        g = w.g_low + x
                        if matched[g] and w.g_start[g] == path[4 * k] and w.g_end[g] == path[4 * k + 1] and w.is_hit(
                                g, path[4 * k + 2], path[4 * k + 3]):
                            edits[row, 4] = 1
                            last = x + 1
                    row += 1
            if listed:
                w.forget_arcs()
            if too_large >= 0:
                break
    return too_large
