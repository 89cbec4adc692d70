"""Tensors whose axes have names: the model examples/models/labeled, written in Python."""

import numpy as np
import signet
from signet import ops


@signet.extension_type("labeled.Tensor")
class Labeled:
    """Values whose dimensions have names."""
    values: signet.Any
    axes: list

    @signet.invariant
    def one_name_each(self):
        """there is one name per dimension"""
        return ops.rank(self.values) == ops.size(self.axes)

    @signet.invariant
    def names_are_texts(self):
        """the names of dimensions are texts"""
        return ops.is_same(self.axes, []) | ops.is_same(ops.dtype_of(ops.flatten(self.axes)), "string")

    @signet.invariant
    def names_differ(self):
        """each dimension has a different name"""
        names = ops.flatten(self.axes)
        return ops.reduce_all(ops.lookup(names, names) == ops.range(ops.size(names)))


def covers(x, y):
    """Whether all axes of y are axes of x."""
    return ops.reduce_all(ops.lookup(y.axes, x.axes) >= 0)


def fitted(y, x):
    """The values of y with the axes of x, in their order. An axis that y does not have gets size 1."""
    _, order = ops.sort(ops.lookup(y.axes, x.axes))
    sources = ops.lookup(x.axes, y.axes)
    picked = ops.select(sources < 0, ops.size(y.axes), sources)
    sizes = ops.concat(ops.shape(y.values), np.int64([1]))
    return ops.reshape(ops.transpose(y.values, perm=order), ops.gather(sizes, picked))


@signet.dispatch_for_unary_elementwise(Labeled)
def labeled_unary(op, x):
    return Labeled(op(x.values), x.axes)


@signet.dispatch_for_binary_elementwise(Labeled, Labeled)
def labeled_binary(op, x, y):
    """Aligns y with x if all axes of y are axes of x."""
    def same():
        return Labeled(op(x.values, y.values), x.axes)

    def other():
        return signet.cond(covers(x, y), lambda: Labeled(op(x.values, fitted(y, x)), x.axes), lambda: signet.decline(x))

    return signet.cond(ops.is_same(x.axes, y.axes) | ops.is_same(y.axes, []), same, other)


@signet.dispatch_for_binary_elementwise(Labeled, Labeled)
def labeled_swapped(op, x, y):
    """Aligns x with y if all axes of x are axes of y."""
    def fit():
        ops.check_true(covers(y, x), message="the axes of one operand are among the axes of the other")
        return Labeled(op(fitted(x, y), y.values), y.axes)

    return signet.cond(ops.is_same(x.axes, []), lambda: Labeled(op(x.values, y.values), y.axes), fit)


@signet.dispatch_for_binary_elementwise(Labeled, signet.Tensor)
def labeled_number(op, x, y):
    return Labeled(op(x.values, y), x.axes)


@signet.dispatch_for_binary_elementwise(signet.Tensor, Labeled)
def number_labeled(op, x, y):
    return Labeled(op(x, y.values), y.axes)


def places_of(x, axes):
    """The numbers of axes that are given by name or by number."""
    names = ops.flatten(axes)

    def by_name():
        places = ops.lookup(names, x.axes)
        ops.check_true(ops.reduce_all(places >= 0), message="each axis is the name of one")
        return places

    def by_number():
        numbers = ops.cast(names, dtype="int64")
        return ops.select(numbers < 0, numbers + ops.size(x.axes), numbers)

    return signet.cond(ops.is_same(ops.dtype_of(names), "string"), by_name, by_number)


@signet.dispatch_for_reduction(Labeled)
def labeled_reduce(op, x, *, axes, keepdims):
    """Accepts axes by name or by number."""
    def every():
        left = signet.cond(keepdims, lambda: x.axes, lambda: [])
        return Labeled(op(x.values, axes=axes, keepdims=keepdims), left)

    def some():
        places = places_of(x, axes)
        gone = ops.reduce_any(ops.expand_dims(ops.range(ops.size(x.axes)), axis=1) == places, axes=1)
        kept = ops.boolean_mask(ops.flatten(x.axes), ~gone | keepdims)
        return Labeled(op(x.values, axes=places, keepdims=keepdims), kept)

    return signet.cond(ops.is_same(axes, None), every, some)


@signet.dispatch_for(ops.transpose, Labeled)
def labeled_transpose(x, *, perm):
    """Accepts axes by name or by number."""
    def permuted():
        places = places_of(x, perm)
        return Labeled(ops.transpose(x.values, perm=places), ops.gather(ops.flatten(x.axes), places))

    def reversed():
        return Labeled(ops.transpose(x.values), ops.reverse(ops.flatten(x.axes), axes=[0]))

    return signet.cond(ops.is_same(perm, None), reversed, permuted)


@signet.dispatch_for(ops.matmul, Labeled, Labeled)
def labeled_matmul(x, y):
    x_names, y_names = ops.flatten(x.axes), ops.flatten(y.axes)
    ops.check_true(ops.is_same(x_names[-1:], y_names[-2:-1]), message="the last axis of x is the last but one of y")
    return Labeled(x.values @ y.values, ops.concat(x_names[:-1], y_names[-1:]))


@signet.function
def new(values, axes, /):
    """Returns the values with dimensions named by a list of texts."""
    return Labeled(values, axes)


@signet.function
def add(x, y, /):
    return x + y


@signet.function
def sub(x, y, /):
    return x - y


@signet.function
def mul(x, y, /):
    return x * y


@signet.function
def exp(x, /):
    return ops.exp(x)


@signet.function
def sum(x, /, axes=None, keepdims=False):
    """Sums along axes, given by name or by number."""
    return ops.reduce_sum(x, axes=axes, keepdims=keepdims)


@signet.function
def transpose(x, /, perm=None):
    """Reorders the axes, given by name or by number. Without `perm`, reverses them."""
    return ops.transpose(x, perm=perm)


@signet.function
def matmul(x, y, /):
    """Contracts the last axis of x with the second to last axis of y, which has the same name."""
    return x @ y


@signet.function
def daily(sales: signet.type_of(Labeled, axes=["day", "product"], values="float32[?, ?]"), /) -> "float32[?]":
    """Returns the sales of all products per day.

    Args:
        sales: by day and product
    """
    return ops.reduce_sum(sales, axes="product").values


model = signet.Model("Tensors whose axes have names", new, add, sub, mul, exp, sum, transpose, matmul, daily)

if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit("usage: labeled.py FOLDER; saves the model as FOLDER/labeled/1")
    model.save(f"{sys.argv[1]}/labeled/1")
