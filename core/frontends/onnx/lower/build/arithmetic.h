// Arithmetic: a formula of numbers of any dtype, and of axes.
//
//   Arithmetic f(build);
//   return f.Give(f("mul", {x, f("add", {f("tanh", {x}), f.Number(1, x)})}));

#pragma once

#include "core/frontends/onnx/lower/build/formula.h"

namespace signet {

class Arithmetic : public Formula {
 public:
  using Formula::Formula;

  // Facts of a tensor. Of what is none: float32, and a refusal.
  static DType DTypeOf(const GraphValue& x);
  int RankOf(const GraphValue& x);
  static int64_t KnownSize(const GraphValue& x, int axis);  // kUnknownDim: not known

  // A scalar.
  GraphValue Number(double value, DType dtype);
  GraphValue Number(double value, const GraphValue& like) { return Number(value, DTypeOf(like)); }

  // In float64, where `x` is of integers; and in float32, where it is of half-width floats.
  GraphValue AsFloat(const GraphValue& x);
  GraphValue AsWideFloat(const GraphValue& x);

  GraphValue ReshapeLike(const GraphValue& x, const GraphValue& like);
  // Of one element, whatever its rank.
  GraphValue AsScalar(const GraphValue& x);
  // With `count` dimensions of size 1 behind the others.
  GraphValue WithOnesBehind(GraphValue x, int count);
  GraphValue Permute(const GraphValue& x, std::span<const int64_t> perm);
  GraphValue Reduce(std::string_view op, const GraphValue& x, std::span<const int64_t> axes,
                    bool keepdims);
};

Attributes IntAttribute(std::string_view name, int64_t value);

}  // namespace signet
