"""Correspondence between two related dimensions: the model examples/models/alignment, written in Python."""

import signet
from signet import ops


@signet.extension_type("align.Dimensions", batching="never")
class Dimensions:
    """An alignment of inner positions with outer positions, such as words with turns of speech."""
    row_splits: "int64[?]"
    version: int = 2

    @signet.invariant
    def splits_in_order(self):
        """row_splits start at 0 and never decrease"""
        starts = (ops.size(self.row_splits) > 0) & ops.reduce_all(self.row_splits[:1] == 0)
        return starts & ops.reduce_all(self.row_splits[:-1] <= self.row_splits[1:])


CURRENT = signet.type_of(Dimensions, version=2)


@signet.dispatch_for(ops.shape, Dimensions)
def align_shape(x):
    outer = ops.size(x.row_splits) - 1
    return ops.stack(outer, ops.gather(x.row_splits, outer))


@signet.conversion("align.Dimensions<version=1>(lengths: int64[?])", to=Dimensions)
def from_version_1(x):
    return Dimensions(ops.row_splits_from_lengths(x.lengths))


@signet.function
def from_lengths(lengths: "int64[?]", /):
    """Aligns the first inner positions with the first outer position, the next ones with the second, and so on.

    Example: '[2, 0, 3]'
    """
    return Dimensions(ops.row_splits_from_lengths(lengths))


@signet.function
def to_inner(alignment: CURRENT, values, /):
    """Returns, for each inner position, the value of its outer position: for each word, the speaker of its turn."""
    return ops.repeat_rows(values, alignment.row_splits)


@signet.function
def to_outer(alignment: CURRENT, values, /):
    """Returns, for each outer position, a row with the values of its inner positions: for each turn, its words."""
    return ops.ragged_from_row_splits(values, alignment.row_splits)


@signet.function
def compose(outer: CURRENT, inner: CURRENT, /):
    """Composes two alignments: turns with words, and words with letters, result in turns with letters."""
    meets = outer.row_splits[-1:] == ops.size(inner.row_splits) - 1
    ops.check_true(ops.reduce_all(meets), message="the inner positions of one are the outer ones of the other")
    return Dimensions(ops.gather(inner.row_splits, outer.row_splits))


@signet.function
def sizes(alignment: CURRENT, /):
    """The numbers of outer and inner positions."""
    return ops.shape(alignment)


model = signet.Model("Correspondence between two related dimensions", from_lengths, to_inner, to_outer, compose, sizes)

if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit("usage: alignment.py FOLDER; saves the model as FOLDER/alignment/1")
    model.save(f"{sys.argv[1]}/alignment/1")
