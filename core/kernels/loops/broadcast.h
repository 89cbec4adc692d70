// BroadcastPlan: combines operands of several shapes element by element, with the rules of numpy.
//
//   [2, 3, 4], [3, 1] => [2, 3, 4]
//
// Merges adjacent dimensions over which all operands step alike, so that most pairs of operands
// consist of rows of one length. An operand is then dense, one scalar, a row that repeats, or
// neither.
//
// ForEachRun passes runs of contiguous elements, and copies other elements to a tile on the stack,
// so that arithmetic needs no strides. Immutable value.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <absl/functional/function_ref.h>

#include "signet/shape.h"
#include "signet/type_spec.h"

namespace signet {

class BroadcastPlan {
 public:
  static constexpr size_t kMaxOperands = 3;

  // Returns an error for shapes that do not broadcast, and for an output beyond kMaxOutputElements.
  static StatusOr<BroadcastPlan> Make(std::span<const Shape* const> operands);

  // Returns the plan for inputs whose shapes are all known, and nothing for other inputs.
  static StatusOr<std::optional<BroadcastPlan>> MakeKnown(std::span<const TypeSpec> inputs);

  const Shape& shape() const { return shape_; }
  int64_t num_elements() const { return num_elements_; }

  // The elements of an operand, and their size in bytes: 1, 2, 4, 8, or 16.
  struct Operand {
    const void* data;
    size_t size;
  };
  // Receives the addresses of the elements of each operand for elements [begin, begin + count) of
  // the output.
  using Run = absl::FunctionRef<void(std::array<const void*, kMaxOperands> operands, int64_t begin,
                                     int64_t count)>;
  // Calls `run` over [begin, end), in pieces.
  void ForEachRun(std::span<const Operand> operands, int64_t begin, int64_t end, Run run) const;

  // Returns the number n for which each group of n consecutive output elements, starting at a
  // multiple of n, uses the same element of `operand`.
  int64_t RepeatsOf(size_t operand) const {
    return !dims_.empty() && strides_[operand].back() == 0 ? dims_.back() : 1;
  }
  // Returns the element of `operand` that element `i` of the output uses.
  int64_t IndexIn(size_t operand, int64_t i) const;

 private:
  enum class Kind : uint8_t { kDense, kScalar, kPeriodic, kOther };

  int64_t inner() const { return dims_.empty() ? 1 : dims_.back(); }

  Shape shape_;
  int64_t num_elements_ = 1;
  size_t num_operands_ = 0;
  Dims dims_;                               // after merging
  std::array<Dims, kMaxOperands> strides_;  // in elements, one per dimension of dims_
  std::array<Kind, kMaxOperands> kinds_ = {};
};

}  // namespace signet
