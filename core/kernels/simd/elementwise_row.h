// MakeElementwiseRow: makes the row of an op in a table of elementwise.h.

#pragma once

#include <type_traits>

#include "core/kernels/simd/elementwise.h"
#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

// `loop_of.operator()<T>()` returns the loop of `Op` for elements of type T. Loops of half-width
// floats calculate in float, so they exist where `Op` accepts float.
template <class Op, class Fn, class LoopOf>
constexpr ElementwiseRow<Fn> MakeElementwiseRow(const char* name, float cost, LoopOf loop_of) {
  ElementwiseRow<Fn> row{name, cost, {}};
#define SIGNET_ENTRY(T, D, number)                                                 \
  if constexpr (Op::template kAccepts<std::conditional_t<kIsHalf<T>, float, T>>) { \
    row.by_dtype[number] = loop_of.template operator()<T>();                       \
  }
  SIGNET_ISA_DTYPES(SIGNET_ENTRY)
#undef SIGNET_ENTRY
  return row;
}

}  // namespace
}  // namespace signet
