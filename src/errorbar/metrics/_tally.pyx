"""Edits by type of many replicates: the fast twin of ``TypeCounts.chosen``, sum by sum."""

from libc.stdint cimport int32_t, int64_t


def add_chosen(
    const int64_t[:, ::1] units, const int32_t[:, ::1] columns, int64_t width, const int64_t[::1] starts,
    const int64_t[::1] types, const int64_t[:, ::1] counts, int64_t[:, :, ::1] totals,
):
    """Add to ``totals`` (replicates, types, counts) what the rows of every chosen slot count.

    ``units`` has one row, used by every replicate, or one each, as ``columns`` have; a unit or column of -1 adds
    nothing. A slot is unit * ``width`` + column; its rows of ``types`` and ``counts`` begin at ``starts``. A slot that
    there is not is an ``IndexError``.
    """
    cdef Py_ssize_t r, k, j, row, ur, n_slots = starts.shape[0] - 1
    cdef int64_t slot
    cdef bint outside = False
    with nogil:
        for r in range(columns.shape[0]):
            ur = r if units.shape[0] > 1 else 0
            for k in range(columns.shape[1]):
                if units[ur, k] < 0 or columns[r, k] < 0:
                    continue
                slot = units[ur, k] * width + columns[r, k]
                if slot >= n_slots:
                    outside = True
                    break
                for row in range(starts[slot], starts[slot + 1]):
                    for j in range(counts.shape[1]):
                        totals[r, types[row], j] += counts[row, j]
    if outside:
        raise IndexError("a unit or annotator that was not counted")
