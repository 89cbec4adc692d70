"""Sparse matrices by compressed rows: the model examples/models/csr, written in Python."""

import signet
from signet import ops


@signet.extension_type("csr.Matrix", batching="never")
class Matrix:
    """A sparse matrix: the values of each row, and their columns in increasing order."""
    values: signet.Any
    column_indices: "int64[?]"
    row_splits: "int64[?]"
    columns: int

    @signet.invariant
    def a_column_each(self):
        """there is one column index per value"""
        return ops.is_same(ops.shape(self.values), ops.shape(self.column_indices))

    @signet.invariant
    def splits_in_order(self):
        """row_splits start at 0, never decrease, and end at the number of values"""
        starts = (ops.size(self.row_splits) > 0) & ops.reduce_all(self.row_splits[:1] == 0)
        rises = ops.reduce_all(self.row_splits[:-1] <= self.row_splits[1:])
        return starts & rises & ops.reduce_all(self.row_splits[-1:] == ops.size(self.values))

    @signet.invariant
    def columns_in_order(self):
        """column indices are columns of the matrix, and increase in each row"""
        in_range = ops.reduce_all((self.column_indices >= 0) & (self.column_indices < self.columns))
        rows = ops.segment_ids(self.row_splits)
        rise = (rows[:-1] != rows[1:]) | (self.column_indices[:-1] < self.column_indices[1:])
        return in_range & ops.reduce_all(rise)

    def with_values(self, values):
        return Matrix(values, self.column_indices, self.row_splits, self.columns)


ZERO_TO_ZERO = (ops.abs, ops.asin, ops.atan, ops.cast, ops.ceil, ops.expm1, ops.floor, ops.log1p, ops.neg, ops.relu, ops.round, ops.sign,
                ops.sin, ops.sinh, ops.sqrt, ops.square, ops.tan, ops.tanh)


@signet.dispatch_for(ZERO_TO_ZERO, Matrix)
def csr_unary(op, x):
    return x.with_values(op(x.values))


@signet.dispatch_for((ops.mul, ops.div), Matrix, signet.Tensor)
def csr_scaled(op, x, by):
    return signet.cond(ops.rank(by) == 0, lambda: x.with_values(op(x.values, by)), lambda: signet.decline(x))


@signet.dispatch_for(ops.matmul, Matrix, signet.Tensor)
def csr_matmul(x, y):
    ops.check_true(ops.shape(y)[0] == x.columns, message="the matrix has as many columns as the other has rows")
    return ops.csr_matmul(x.values, x.column_indices, x.row_splits, y)


@signet.dispatch_for(ops.transpose, Matrix)
def csr_transpose(x, *, perm):
    _, order = ops.sort(x.column_indices)
    rows = ops.segment_ids(x.row_splits)
    lengths = ops.reduce_sum(ops.one_hot(x.column_indices, dtype="int64", depth=x.columns), axes=0)
    return Matrix(ops.gather(x.values, order), ops.gather(rows, order), ops.row_splits_from_lengths(lengths), ops.size(x.row_splits) - 1)


@signet.dispatch_for(ops.shape, Matrix)
def csr_shape(x):
    return ops.stack(ops.size(x.row_splits) - 1, x.columns)


@signet.function
def from_dense(x, /):
    """Returns the nonzero elements of a matrix."""
    there = x != ops.zeros_like(x)
    column_indices = ops.flatten(ops.where_indices(there)[:, 1:])
    row_splits = ops.row_splits_from_lengths(ops.reduce_sum(ops.cast(there, dtype="int64"), axes=1))
    values = ops.boolean_mask(ops.flatten(x), ops.flatten(there))
    return Matrix(values, column_indices, row_splits, columns=ops.shape(x)[1])


@signet.function
def to_dense(x: Matrix, /):
    """Returns the dense matrix."""
    places = ops.one_hot(x.column_indices, dtype="bool", depth=x.columns)
    values = ops.expand_dims(x.values, axis=1)
    return ops.segment_sum(ops.select(places, values, ops.zeros_like(values)), x.row_splits)


@signet.function
def matmul(x, y, /):
    return x @ y


@signet.function
def scale(x, by, /):
    return x * by


@signet.function
def neg(x, /):
    return -x


@signet.function
def exp(x, /):
    """Is rejected for a sparse matrix, because exp(0) is not 0."""
    return ops.exp(x)


@signet.function
def transpose(x, /):
    return ops.transpose(x)


@signet.function
def shape(x, /):
    return ops.shape(x)


model = signet.Model("Sparse matrices by compressed rows", from_dense, to_dense, matmul, scale, neg, exp, transpose, shape)

if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit("usage: csr.py FOLDER; saves the model as FOLDER/csr/1")
    model.save(f"{sys.argv[1]}/csr/1")
