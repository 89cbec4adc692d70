"""Probability distributions of two kinds: the model examples/models/distribution, written in Python."""

import signet
from signet import ops


@signet.extension_type("dist.Distribution")
class Distribution:
    """A probability distribution, or a batch of them."""


@signet.extension_type("dist.Normal")
class Normal(Distribution):
    """Normal distributions."""
    loc: signet.Any
    scale: signet.Any

    @signet.invariant
    def shapes_agree(self):
        """loc and scale have the same shape"""
        return ops.is_same(ops.shape(self.loc), ops.shape(self.scale))

    @signet.invariant
    def scale_above_0(self):
        """scale is above 0"""
        return ops.reduce_all(self.scale > 0.0)

    def mean(self):
        return self.loc

    def log_prob(self, x):
        z = (x - self.loc) / self.scale
        return z * z * -0.5 - ops.log(self.scale) - 0.9189385332046727

    def entropy(self):
        return ops.log(self.scale) + 1.4189385332046727

    def sample(self, seed, n):
        drawn = ops.random_normal(seed, sizes_of_samples(self.loc, n), dtype=ops.dtype_of(self.loc))
        return drawn * self.scale + self.loc


@signet.extension_type("dist.Categorical")
class Categorical(Distribution):
    """Distributions over 0 .. n - 1, by logits along the last axis."""
    logits: signet.Any

    def mean(self):
        return ops.argmax(self.logits, axis=-1)

    def log_prob(self, x):
        logs = ops.log_softmax(self.logits)
        hit = ops.expand_dims(ops.cast(x, dtype="int64"), axis=-1) == ops.range(ops.dim_size(self.logits, axis=-1))
        return ops.reduce_sum(ops.select(hit, logs, ops.zeros_like(logs)), axes=-1)

    def entropy(self):
        logs = ops.log_softmax(self.logits)
        return -ops.reduce_sum(ops.exp(logs) * logs, axes=-1)

    def sample(self, seed, n):
        copies = ops.broadcast_to(self.logits, sizes_of_samples(self.logits, n))
        return ops.squeeze(ops.random_categorical(seed, copies), axes=[-1])


def sizes_of_samples(x, n):
    return ops.concat(ops.cast(ops.stack(n), dtype="int64"), ops.shape(x))


@signet.dispatch_for(ops.add, Normal, signet.Tensor)
def normal_shifted(d, by):
    loc = d.loc + by
    return Normal(loc, ops.broadcast_to(d.scale, ops.shape(loc)))


@signet.dispatch_for(ops.mul, Normal, signet.Tensor)
def normal_scaled(d, by):
    loc = d.loc * by
    return Normal(loc, ops.broadcast_to(abs(d.scale * by), ops.shape(loc)))


def of_kind(d, normal, categorical):
    """What one of two functions returns, depending on the kind of the distribution."""
    def others():
        known = ops.is_a(d, type=Categorical)
        ops.check_true(known, message="a distribution is Normal or Categorical")
        return signet.cond(known, categorical, lambda: d)

    return signet.cond(ops.is_a(d, type=Normal), normal, others)


@signet.function
def mean(d, /):
    """Returns the expected value, or the most likely index of a Categorical."""
    return of_kind(d, lambda: Normal.mean(d), lambda: Categorical.mean(d))


@signet.function
def log_prob(d, x, /):
    """Returns the logarithm of the density of x, or of the probability of index x."""
    return of_kind(d, lambda: Normal.log_prob(d, x), lambda: Categorical.log_prob(d, x))


@signet.function
def entropy(d, /):
    """Returns the entropy, in nats."""
    return of_kind(d, lambda: Normal.entropy(d), lambda: Categorical.entropy(d))


@signet.function
def sample(d, seed, n, /):
    """Draws n values of each distribution, along a new first dimension. The same seed returns the same values."""
    return of_kind(d, lambda: Normal.sample(d, seed, n), lambda: Categorical.sample(d, seed, n))


@signet.function
def shifted(d, by, /):
    """Returns the distribution of the value plus `by`. For Normal only."""
    return d + by


@signet.function
def scaled(d, by, /):
    """Returns the distribution of the value times `by`. For Normal only."""
    return d * by


@signet.function
def surprise(d: signet.type_of(Normal, loc="float32[?]", scale="float32[?]"), x: "float32[?]", /) -> "float32[?]":
    """Returns how unlikely each element of x is: -log_prob."""
    return -d.log_prob(x)


model = signet.Model("Probability distributions of two kinds", mean, log_prob, entropy, sample, shifted, scaled, surprise)

if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit("usage: distribution.py FOLDER; saves the model as FOLDER/distribution/1")
    model.save(f"{sys.argv[1]}/distribution/1")
