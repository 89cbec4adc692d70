// Arrays: eager operations on the elements of tensors, ragged values, and structures.
//
//   const signet::Value parts[] = {first, second};
//   auto joined = signet::Concat(parts);                       // float32[3] [1.0, 2.0, 3.0]
//   auto split = signet::Split(*joined, {.sizes = {{1, 2}}});  // [1.0] and [2.0, 3.0]
//
// Each function runs an op of docs/reference/ops.md with RunOp; the description of the op states
// its constraints. Nests are processed leaf by leaf if the op does so. Axes below 0 count from the
// end; the axes of a structure are its own dimensions. Stateless; thread-safe.
//
//   Concat({first, second}, 1)      Split(recipes, {.sizes = {{10, 20}}})

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "signet/dtype.h"
#include "signet/value.h"

namespace signet {

struct JoinOptions {
  int64_t axis = 0;
  bool ragged = false;  // tensors may differ in size; the result is ragged
};
StatusOr<Value> Concat(std::span<const Value> values, JoinOptions options = {});
StatusOr<Value> Stack(std::span<const Value> values, JoinOptions options = {});

struct SplitOptions {
  int64_t axis = 0;
  // A number of equal parts, or the sizes of the parts.
  std::optional<int64_t> num = {};
  std::optional<std::vector<int64_t>> sizes = {};
};
StatusOr<std::vector<Value>> Split(const Value& value, const SplitOptions& options);
// Returns the elements along an axis.
StatusOr<std::vector<Value>> Unstack(const Value& value, int64_t axis = 0);

// Repeats `value`. `multiples` has one number per dimension.
StatusOr<Value> Tile(const Value& value, std::span<const int64_t> multiples);

// Returns a scalar of `dtype`, int64 or int32.
StatusOr<Value> Rank(const Value& value, DType dtype = DType::kInt64);
StatusOr<Value> Size(const Value& value, DType dtype = DType::kInt64);
// Returns a tuple with the size of each dimension, or the lengths of its rows if it is ragged.
StatusOr<Value> DimSizes(const Value& value, DType dtype = DType::kInt64);

// The default dtype is the dtype of `value`, and float32 for a structure.
StatusOr<Value> ZerosLike(const Value& value, std::optional<DType> dtype = {});
StatusOr<Value> OnesLike(const Value& value, std::optional<DType> dtype = {});

}  // namespace signet
