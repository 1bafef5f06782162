"""Costs of arcs for one annotator and the cheapest path: the fast twin of maxmatch.py, sum by sum."""

from libc.math cimport INFINITY
from libc.stdlib cimport qsort

from errorbar.edits._lattice cimport grown

cdef double EPSILON = 0.001


cdef int compare_keys(const void *a, const void *b) noexcept nogil:
    cdef int64_t x = (<const int64_t *>a)[0], y = (<const int64_t *>b)[0]
    return (x > y) - (x < y)


cdef class SearchSpace(LatticeSpace):
    """Costs and paths over the arcs of the current pair."""

    cdef int prepare_costs(self) except -1 nogil:
        cdef int p, a
        self.cost = <double *>grown(&self.buffers[19], (self.n_arcs + 1) * sizeof(double))
        self.base_cost = <double *>grown(&self.buffers[20], (self.n_arcs + 1) * sizeof(double))
        self.total = <double *>grown(&self.buffers[21], self.n_vertices * sizeof(double))
        self.arrived = <int32_t *>grown(&self.buffers[22], self.n_vertices * 4)
        self.path = <int32_t *>grown(&self.buffers[23], 4 * (self.n_vertices + 1) * 4)
        self.path_base = <int32_t *>grown(&self.buffers[24], 4 * (self.n_vertices + 1) * 4)
        for a in range(self.n_arcs):
            self.base_cost[a] = INFINITY if self.a_length[a] < 0 else <double>self.a_length[a]
        for p in range(self.n_order):
            a = self.order[p]
            if not self.a_only[a]:
                self.base_cost[a] += EPSILON
        self.n_path_base = -1
        return 0

    cdef bint is_hit(self, int64_t g, int start, int end) noexcept nogil:
        """Whether hypothesis tokens [start, end) are one of reference edit g's replacements."""
        cdef int64_t alternative, t
        cdef int k, length = end - start
        for alternative in range(self.g_alt[g], self.g_alt[g + 1]):
            t = self.alt_off[alternative]
            if self.alt_off[alternative + 1] - t == length:
                k = 0
                while k < length and self.alt_tok[t + k] == self.h[start + k]:
                    k += 1
                if k == length:
                    return True
        return False

    cdef int set_costs(self) except -1 nogil:
        """Costs for the current reference; returns how many arcs were hit."""
        cdef int a, hits = 0, start, end, v, w
        cdef int64_t g
        cdef double hit_cost = -<double>self.n_order
        for a in range(self.n_arcs):
            self.cost[a] = self.base_cost[a]
        for g in range(self.g_low, self.g_high):
            start, end = self.g_start[g], self.g_end[g]
            if start == end:
                if g == self.g_low or self.first_insertion(g):
                    hits += self.match_insertions(start, hit_cost)
                continue
            for v in range(self.row_start[start], self.row_start[start + 1]):
                for w in range(self.row_start[end], self.row_start[end + 1]):
                    a = self.into[<size_t>w * self.n_vertices + v]
                    if a >= 0 and self.is_hit(g, self.vj[v], self.vj[w]):
                        self.cost[a] = hit_cost
                        hits += 1
        return hits

    cdef bint first_insertion(self, int64_t g) noexcept nogil:
        cdef int64_t k
        for k in range(self.g_low, g):
            if self.g_start[k] == self.g_start[g] and self.g_end[k] == self.g_end[g]:
                return False
        return True

    cdef int match_insertions(self, int point, double hit_cost) except -1 nogil:
        """Matches insertions at one point from both ends in turn; returns how many were hit."""
        cdef int p, a, size = 0, low, high, current, V = self.n_vertices, hits = 0, n_wanted = 0
        cdef int first, last, step, x, found
        cdef bint from_left
        cdef int64_t g
        cdef int64_t *group
        cdef int64_t *wanted
        if self.row_start[point + 1] - self.row_start[point] < 2:
            return 0
        for p in range(self.n_order):
            a = self.order[p]
            if self.vi[self.a_from[a]] == point and self.vi[self.a_to[a]] == point:
                size += 1
        if size == 0:
            return 0
        group = <int64_t *>grown(&self.buffers[25], size * 8)
        wanted = <int64_t *>grown(&self.buffers[26], (self.g_high - self.g_low) * 8)
        size = 0
        for p in range(self.n_order):
            a = self.order[p]
            if self.vi[self.a_from[a]] == point and self.vi[self.a_to[a]] == point:
                group[size] = <int64_t>self.a_from[a] * V + self.a_to[a]
                size += 1
                self.cost[a] = <double>self.a_length[a]
        qsort(group, size, 8, compare_keys)
        for g in range(self.g_low, self.g_high):
            if self.g_start[g] == point and self.g_end[g] == point:
                wanted[n_wanted] = g
                n_wanted += 1
        low, high, first, last = 0, size - 1, 0, n_wanted - 1
        current = 0
        while low <= high:
            from_left = current == low
            a = self.grouped(group[current])
            found = -1
            x = first if from_left else last
            step = 1 if from_left else -1
            while first <= x <= last:
                if self.is_hit(wanted[x], self.vj[self.a_from[a]], self.vj[self.a_to[a]]):
                    found = x
                    break
                x += step
            if found < 0:
                self.cost[a] += EPSILON
                if from_left:
                    low += 1
                    current = high
                else:
                    high -= 1
                    current = low
                continue
            hits += 1
            self.cost[a] = hit_cost
            if from_left:
                first = found + 1
                low += 1
                while low < size and self.a_from[self.grouped(group[low])] != self.a_to[a]:
                    self.cost[self.grouped(group[low])] += EPSILON
                    low += 1
                current = low
            else:
                last = found - 1
                high -= 1
                while high >= 0 and self.a_to[self.grouped(group[high])] != self.a_from[a]:
                    self.cost[self.grouped(group[high])] += EPSILON
                    high -= 1
                current = high
        return hits

    cdef int grouped(self, int64_t key) noexcept nogil:
        return self.into[<size_t>(key % self.n_vertices) * self.n_vertices + key // self.n_vertices]

    cdef int cheapest_path(self, double *cost, int32_t *path) noexcept nogil:
        """Bellman-Ford in list order; writes the edits as (i, i2, j, j2), returns how many."""
        cdef int V = self.n_vertices, p, a, v, u, size = 0, k
        cdef double x
        cdef bint changed = True
        cdef int32_t swap
        for v in range(V):
            self.total[v] = INFINITY
        self.total[0] = 0.0
        while changed:
            changed = False
            for p in range(self.n_order):
                a = self.order[p]
                x = self.total[self.a_from[a]] + cost[a]
                if x < self.total[self.a_to[a]]:
                    self.total[self.a_to[a]] = x
                    self.arrived[self.a_to[a]] = self.a_from[a]
                    changed = True
        v = V - 1
        while v:
            u = self.arrived[v]
            if not self.a_only[self.into[<size_t>v * V + u]]:
                self.add_edit(path, size, u, v)
                size += 1
            v = u
        reverse(path, size)
        return size

    cdef void add_edit(self, int32_t *path, int at, int u, int v) noexcept nogil:
        path[4 * at] = self.vi[u]
        path[4 * at + 1] = self.vi[v]
        path[4 * at + 2] = self.vj[u]
        path[4 * at + 3] = self.vj[v]


cdef void reverse(int32_t *path, int size) noexcept nogil:
    cdef int a = 0, b = size - 1, k
    cdef int32_t swap
    while a < b:
        for k in range(4):
            swap = path[4 * a + k]
            path[4 * a + k] = path[4 * b + k]
            path[4 * b + k] = swap
        a += 1
        b -= 1
