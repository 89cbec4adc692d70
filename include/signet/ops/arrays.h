// Arrays, eager: operations on the elements of tensors, ragged and structured values, at once, as a
// C++ program calls them. Each is an op of docs/reference/ops.md under RunOp, which says what it
// takes and refuses; nests go leaf by leaf where the op does. Axes below 0 count from the end;
// those of a structure are its own. Stateless; thread-safe.
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
  bool ragged = false;  // sizes of tensors may differ, and they become ragged
};
StatusOr<Value> Concat(std::span<const Value> values, JoinOptions options = {});
StatusOr<Value> Stack(std::span<const Value> values, JoinOptions options = {});

struct SplitOptions {
  int64_t axis = 0;
  // So many equal parts, or parts of these sizes.
  std::optional<int64_t> num = {};
  std::optional<std::vector<int64_t>> sizes = {};
};
StatusOr<std::vector<Value>> Split(const Value& value, const SplitOptions& options);
// The elements along an axis.
StatusOr<std::vector<Value>> Unstack(const Value& value, int64_t axis = 0);

// One multiple for each dimension.
StatusOr<Value> Tile(const Value& value, std::span<const int64_t> multiples);

// Numbers of `dtype`, int64 or int32.
StatusOr<Value> Rank(const Value& value, DType dtype = DType::kInt64);
StatusOr<Value> Size(const Value& value, DType dtype = DType::kInt64);
// A tuple: the size of each dimension, or the lengths of its rows where it is ragged.
StatusOr<Value> DimSizes(const Value& value, DType dtype = DType::kInt64);

// Without `dtype`, that of the value; of a structure, float32.
StatusOr<Value> ZerosLike(const Value& value, std::optional<DType> dtype = {});
StatusOr<Value> OnesLike(const Value& value, std::optional<DType> dtype = {});

}  // namespace signet
