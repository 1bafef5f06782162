"""Edits by type of many replicates: the fast twin of ``TypeCounts.chosen``.

Few slots are chosen at all. How often each of them is, is counted for a replicate; then what these slots count is added
up type by type, so that nothing but the sum is written.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset


cdef struct Entry:
    int64_t slot, count


def add_chosen(
    const int64_t[:, ::1] units, const int32_t[:, ::1] columns, int64_t width, int64_t n_slots,
    const int64_t[::1] slots, const int64_t[::1] types, const int64_t[:, ::1] counts, int64_t[:, :, ::1] totals,
):
    """Add to ``totals`` (replicates, types, counts) what the rows of every chosen slot count.

    ``units`` has one row, used by every replicate, or one each, as ``columns`` have; a unit or column of -1 adds
    nothing. A slot is unit * ``width`` + column; ``slots`` and ``types`` say whose the rows of ``counts`` are. A slot
    that there is not is an ``IndexError``.
    """
    cdef Py_ssize_t r, k, j, row, ur, cell, n_cells = totals.shape[1] * totals.shape[2]
    cdef int64_t slot, at, total
    cdef bint outside = False
    cdef uint8_t *used = <uint8_t *>calloc(n_slots + 1, sizeof(uint8_t))
    cdef int32_t *often = <int32_t *>malloc((n_slots + 1) * sizeof(int32_t))
    cdef int64_t *ends = <int64_t *>calloc(n_cells + 2, sizeof(int64_t))
    cdef Entry *entries = <Entry *>malloc((counts.shape[0] * counts.shape[1] + 1) * sizeof(Entry))
    if used == NULL or often == NULL or ends == NULL or entries == NULL:
        free(used)
        free(often)
        free(ends)
        free(entries)
        raise MemoryError("not enough memory for the edits by type")
    with nogil:
        for r in range(columns.shape[0]):
            ur = r if units.shape[0] > 1 else 0
            for k in range(columns.shape[1]):
                slot = units[ur, k] * width + columns[r, k]
                if units[ur, k] < 0 or columns[r, k] < 0:
                    continue
                if slot >= n_slots:
                    outside = True
                    break
                used[slot] = 1
        for row in range(slots.shape[0]):  # sorted by cells, which are a type and what is counted of it
            for j in range(counts.shape[1]):
                ends[types[row] * totals.shape[2] + j + 2] += used[slots[row]] != 0 and counts[row, j] != 0
        for cell in range(n_cells):
            ends[cell + 2] += ends[cell + 1]
        for row in range(slots.shape[0]):
            for j in range(counts.shape[1]):
                if used[slots[row]] and counts[row, j]:
                    cell = types[row] * totals.shape[2] + j
                    entries[ends[cell + 1]].slot, entries[ends[cell + 1]].count = slots[row], counts[row, j]
                    ends[cell + 1] += 1
        for r in range(0 if outside else columns.shape[0]):
            ur = r if units.shape[0] > 1 else 0
            memset(often, 0, n_slots * sizeof(int32_t))
            for k in range(columns.shape[1]):
                if units[ur, k] >= 0 and columns[r, k] >= 0:
                    often[units[ur, k] * width + columns[r, k]] += 1
            for cell in range(n_cells):
                total = 0
                for at in range(ends[cell], ends[cell + 1]):
                    total += often[entries[at].slot] * entries[at].count
                totals[r, cell // totals.shape[2], cell % totals.shape[2]] += total
    free(used)
    free(often)
    free(ends)
    free(entries)
    if outside:
        raise IndexError("a unit or annotator that was not counted")
