// Structured, eager: operations on structures, ragged values and tensors, at once, as a C++ program
// calls them. Each is an op of docs/reference/ops/structured.md under RunOp; columns that do not change are shared. Taking fields apart is include/signet/structured.h.
// Stateless; thread-safe.
//
//   WithUpdates(recipes, {{.path = {"steps", "text"}, .change = texts},
//                         {.path = {"draft"}, .change = DeleteField{}}})

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "signet/structured.h"

namespace signet {

struct DeleteField {};
using ChangeField = std::function<StatusOr<Value>(const Value& field)>;
struct FieldUpdate {
  FieldPath path;
  // What the field becomes; a function gets the one that is there.
  std::variant<Value, DeleteField, ChangeField> change;
};

// `structure` with all updates, in no order. Its rows stay. NOT_FOUND: what is deleted, changed by
// a function, or leads to a field is not there. INVALID_ARGUMENT: a path without names, one that
// leads to another, or through what is no structure; a value that has not the rows of its
// structure.
StatusOr<Value> WithUpdates(const Value& structure, std::span<const FieldUpdate> updates);

// `structure` without some fields, or with no others. A path to a structure means all of it.
// NOT_FOUND where a path leads to no field.
StatusOr<Value> Without(const Value& structure, std::span<const FieldPath> paths);
StatusOr<Value> WithOnly(const Value& structure, std::span<const FieldPath> paths);

// `structure` with a field called `new_name` more, or another of that name; NOT_FOUND where a path
// leads to no field, INVALID_ARGUMENT where it does not lead to a structure that is wanted.

// The field at `path`, of at least two names, in the structure around its own.
StatusOr<Value> Promote(const Value& structure, const FieldPath& path, std::string_view new_name);
// The field at `path` in each of the structures called `into` beside it.
StatusOr<Value> BroadcastField(const Value& structure, const FieldPath& path, std::string_view into,
                               std::string_view new_name);
// The field at `path` in the structure at `into`: promoted to the structure that both are in, and
// broadcast from there.
StatusOr<Value> PromoteAndBroadcast(const Value& structure, const FieldPath& path,
                                    const FieldPath& into, std::string_view new_name);
// How many values the field at `path` has in each of its structures, int64; whether it has any.
StatusOr<Value> FieldSizes(const Value& structure, const FieldPath& path,
                           std::string_view new_name);
StatusOr<Value> HasField(const Value& structure, const FieldPath& path, std::string_view new_name);
// What `function` makes of the flat values of the `sources`, fields of one rank and with the same
// row partitions, in the structure at `parent`. It gives as many values as it gets.
using FlatFunction = std::function<StatusOr<Value>(std::span<const Value> vectors)>;
StatusOr<Value> ApplyToFields(const Value& structure, const FieldPath& parent,
                              std::span<const std::string> sources, const FlatFunction& function,
                              std::string_view new_name);

// Dimensions of a tensor, ragged or structured value; axes below 0 count from the end.

// Dimensions [outer, inner] as one.
StatusOr<Value> MergeDims(const Value& value, int outer, int inner);
// A dimension of size 1 more, at `axis` of the result; those of size 1 less.
StatusOr<Value> ExpandDims(const Value& value, int axis);
StatusOr<Value> Squeeze(const Value& value, std::span<const int64_t> axes);
// Rows divided by `partition`, whose values they are.
StatusOr<Value> PartitionOuterDimension(const Value& value, const RowPartition& partition);

}  // namespace signet
