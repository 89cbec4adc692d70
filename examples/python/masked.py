"""Tensors with a mask that states which values count: the model examples/models/masked, written in Python."""

import signet
from signet import ops


@signet.extension_type("masked.MaskedTensor")
class MaskedTensor:
    """Values, and a mask that states which of them count."""
    values: signet.Any
    mask: "bool[...]"

    @signet.invariant
    def masked_shapes(self):
        """mask has the shape of values"""
        return ops.is_same(ops.shape(self.values), ops.shape(self.mask))

    def with_default(self, default, /):
        """Returns the values, with the default for values that are masked out."""
        return ops.select(self.mask, self.values, default)


def masked_like(values, mask):
    return MaskedTensor(values, ops.broadcast_to(mask, ops.shape(values)))


@signet.dispatch_for_unary_elementwise(MaskedTensor)
def masked_unary(op, x):
    return MaskedTensor(op(x.values), x.mask)


@signet.dispatch_for_binary_elementwise(MaskedTensor, MaskedTensor)
def masked_both(op, x, y):
    return masked_like(op(x.values, y.values), x.mask & y.mask)


@signet.dispatch_for_binary_elementwise(MaskedTensor, signet.Tensor)
def masked_first(op, x, y):
    return masked_like(op(x.values, y), x.mask)


@signet.dispatch_for_binary_elementwise(signet.Tensor, MaskedTensor)
def masked_second(op, x, y):
    return masked_like(op(x, y.values), y.mask)


@signet.dispatch_for(ops.shape, MaskedTensor)
def masked_shape(x):
    return ops.cast(ops.shape(x.values), dtype="int32")


@signet.dispatch_for(ops.tile, MaskedTensor, signet.Tensor)
def masked_tile(x, repeats=None, *, multiples):
    parts = [ops.tile(part, signet.dynamic(repeats), multiples=signet.plain(multiples)) for part in (x.values, x.mask)]
    return MaskedTensor(*parts)


@signet.dispatch_for(ops.reduce_sum, MaskedTensor)
def masked_sum(x, *, axes, keepdims):
    return MaskedTensor(ops.reduce_sum(x.values, axes=axes, keepdims=keepdims),
                        ops.reduce_all(x.mask, axes=axes, keepdims=keepdims))


@signet.function
def new(values, mask, /):
    """Returns the values with a mask of their shape."""
    return MaskedTensor(values, mask)


@signet.function
def equals(x, y, /):
    """Returns whether shapes, values, and masks are the same."""
    return ops.is_same(x, y)


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
def neg(x, /):
    return -x


@signet.function
def shape(x, /):
    return ops.shape(x)


@signet.function
def tile(x, /, multiples):
    return ops.tile(x, multiples=multiples)


@signet.function
def reduce_sum(x, /, axes=None, keepdims=False):
    return ops.reduce_sum(x, axes=axes, keepdims=keepdims)


@signet.function
def stack(x, y, /):
    return ops.stack(x, y)


@signet.function
def matmul(x, y, /):
    """Is rejected for masked tensors, because no handler of `matmul` exists."""
    return x @ y


@signet.function
def mean(x: signet.type_of(MaskedTensor, values="float32[?]", mask="bool[?]"), /, *, scale=1.0) -> "float32[]":
    """Returns the mean of the values that count, times scale, or NaN if none counts."""
    counted = MaskedTensor.with_default(x * scale, 0.0)
    return ops.reduce_sum(counted) / ops.reduce_sum(ops.cast(x.mask, dtype="float32"))


model = signet.Model("Tensors with a mask that states which values count", new, equals, add, sub, mul, neg, shape, tile, reduce_sum,
                     stack, matmul, mean, MaskedTensor.with_default)

if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit("usage: masked.py FOLDER; saves the model as FOLDER/masked/1")
    model.save(f"{sys.argv[1]}/masked/1")
