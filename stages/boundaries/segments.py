"""Stretches of text between two marked ends: whole words found, and stretches made of stretches."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int, Real

from stages.boundaries.positions import Positions


@dataclass(frozen=True)
class Marked:
    """What some readers (heads, constants) mark, and the groups of texts that it is summed over.

    Attributes:
        marks: whether a reader says that a word ends.
        group: of each position a number from 0 upwards, without gaps.
        run: of each position, as of `Positions`.
    """

    marks: Bool[np.ndarray, "position reader"]
    ends: Bool[np.ndarray, " position"]
    group: Int[np.ndarray, " position"]
    run: Int[np.ndarray, " position"]

    @property
    def groups(self) -> int:
        return int(self.group.max()) + 1

    @cached_property
    def cases(self) -> Float[np.ndarray, " group"]:
        """Positions of each group."""
        return np.bincount(self.group).astype(float)

    @cached_property
    def right(self) -> Bool[np.ndarray, "reader position"]:
        return np.ascontiguousarray((self.marks == self.ends[:, None]).T)

    @cached_property
    def hits(self) -> Float[np.ndarray, "reader group"]:
        """Positions that each reader has right."""
        return np.stack([self.summed(line) for line in self.right])

    @cached_property
    def marked(self) -> Float[np.ndarray, "reader group"]:
        """Positions at which each reader marks an end."""
        return np.stack([self.summed(line) for line in self.marks.T])

    @cached_property
    def runs(self) -> Float[np.ndarray, " group"]:
        """Runs of each group: the last stretch of each ends where the run ends."""
        return np.bincount(self._group_of_run).astype(float)

    @cached_property
    def cut_runs(self) -> Float[np.ndarray, "reader group"]:
        """Runs in which each reader marks any end."""
        _, first = np.unique(self.run, return_index=True)
        cut = np.logical_or.reduceat(self.marks, first, axis=0)
        return np.stack([np.bincount(self._group_of_run, line, self.groups) for line in cut.T])

    @cached_property
    def stretches(self) -> Float[np.ndarray, "reader group"]:
        """Stretches into which each reader cuts the runs of a group."""
        return self.marked + self.runs

    @cached_property
    def words(self) -> Float[np.ndarray, " group"]:
        """Words of each group, in runs of two tokens and more."""
        return self.summed(self.ends) + self.runs

    @cached_property
    def words_found(self) -> Float[np.ndarray, "reader group"]:
        """Words of which a reader marks both ends and nothing between."""
        bounds, begin, end = self._stretches_of(self._edged(self.ends))
        counts = []
        for line in self.marks.T:
            edges = self._edged(line)
            upto = np.cumsum(edges)
            whole = edges[begin] & edges[end] & (upto[end] - upto[begin] == 1)
            counts.append(np.bincount(bounds, whole, self.groups))
        return np.stack(counts)

    def made_of(self, coarser: int, finer: int) -> Float[np.ndarray, " group"]:
        """Stretches of one reader at both ends of which the other marks an end too.

        They are then made of whole stretches of the other.
        """
        bounds, begin, end = self._stretches_of(self._edged(self.marks[:, coarser]))
        edges = self._edged(self.marks[:, finer])
        return np.bincount(bounds, edges[begin] & edges[end], self.groups)

    def summed(
        self, values: Real[np.ndarray, " position"] | Bool[np.ndarray, " position"]
    ) -> Float[np.ndarray, " group"]:
        """Sums over the positions of each group."""
        return np.bincount(self.group, values, self.groups)

    @cached_property
    def _group_of_run(self) -> Int[np.ndarray, " run"]:
        _, first = np.unique(self.run, return_index=True)
        return self.group[first]

    def _edged(self, line: Bool[np.ndarray, " position"]) -> Bool[np.ndarray, " edge"]:
        """A reader's marks with a mark before and behind each run."""
        edges = np.ones(len(line) + 2 * len(self._group_of_run), dtype=bool)
        edges[np.arange(len(line)) + 2 * self.run + 1] = line
        return edges

    @cached_property
    def _run_of_edge(self) -> Int[np.ndarray, " edge"]:
        return np.repeat(np.arange(len(self._group_of_run)), np.bincount(self.run) + 2)

    def _stretches_of(
        self, edges: Bool[np.ndarray, " edge"]
    ) -> tuple[Int[np.ndarray, " stretch"], ...]:
        """The group of each stretch, and the edges at which it begins and ends."""
        marked = np.flatnonzero(edges)
        begin, end = marked[:-1], marked[1:]
        within = self._run_of_edge[begin] == self._run_of_edge[end]
        begin, end = begin[within], end[within]
        return self._group_of_run[self._run_of_edge[begin]], begin, end


def marked_by(
    marks: Bool[np.ndarray, "position reader"],
    positions: Positions,
    groups: Int[np.ndarray, " text"],
) -> Marked:
    """What some readers mark at the positions.

    Args:
        groups: of each text; those without positions are left out.
    """
    _, group = np.unique(groups[positions.text], return_inverse=True)
    return Marked(marks, positions.ends, group, positions.run)
