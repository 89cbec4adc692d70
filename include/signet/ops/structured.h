// Structured: eager operations on structures and on dimensions of structures, ragged values, and
// tensors.
//
//   const signet::FieldUpdate updates[] = {{{"draft"}, signet::DeleteField{}}};
//   auto published = signet::WithUpdates(recipes, updates);
//
// Each function runs an op of docs/reference/ops/structured.md with RunOp.
// Columns that do not change are shared. include/signet/structured.h returns the fields of a
// structure. Stateless; thread-safe.
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
  // The new value of the field; a function receives the old value.
  std::variant<Value, DeleteField, ChangeField> change;
};

// Returns `structure` with all updates, which are independent of their order. The rows do not
// change. Returns NOT_FOUND if a field to delete, to change by a function, or to descend into does
// not exist. Returns INVALID_ARGUMENT for an empty path, for a path that is the beginning of
// another, for a path through a value that is not a structure, and for a value with other rows than
// its structure.
StatusOr<Value> WithUpdates(const Value& structure, std::span<const FieldUpdate> updates);

// Returns `structure` without some fields, or with only these. A path to a structure means all its
// fields. Returns NOT_FOUND if a path does not lead to a field.
StatusOr<Value> Without(const Value& structure, std::span<const FieldPath> paths);
StatusOr<Value> WithOnly(const Value& structure, std::span<const FieldPath> paths);

// The next four functions return `structure` with a new field called `new_name`, or with that field
// replaced. They return NOT_FOUND if a path does not lead to a field, and INVALID_ARGUMENT if it
// leads to another kind of value where a structure is required.

// Moves the field at `path`, of at least two names, to the structure that surrounds its structure.
StatusOr<Value> Promote(const Value& structure, const FieldPath& path, std::string_view new_name);
// Copies the field at `path` to each of the structures called `into` next to it.
StatusOr<Value> BroadcastField(const Value& structure, const FieldPath& path, std::string_view into,
                               std::string_view new_name);
// Copies the field at `path` to the structure at `into`: promotes it to the structure that contains
// both, and broadcasts it from there.
StatusOr<Value> PromoteAndBroadcast(const Value& structure, const FieldPath& path,
                                    const FieldPath& into, std::string_view new_name);
// Adds the number of values (int64) that the field at `path` has in each of its structures, or
// whether it has any.
StatusOr<Value> FieldSizes(const Value& structure, const FieldPath& path,
                           std::string_view new_name);
StatusOr<Value> HasField(const Value& structure, const FieldPath& path, std::string_view new_name);
// Applies `function` to the flat values of the `sources`, which are fields of the same rank with
// the same row partitions, and stores the result in the structure at `parent`. The function returns
// the same number of values.
using FlatFunction = std::function<StatusOr<Value>(std::span<const Value> vectors)>;
StatusOr<Value> ApplyToFields(const Value& structure, const FieldPath& parent,
                              std::span<const std::string> sources, const FlatFunction& function,
                              std::string_view new_name);

// Dimensions of a tensor, ragged value, or structure. Axes below 0 count from the end.

// Merges dimensions [outer, inner] into one.
StatusOr<Value> MergeDims(const Value& value, int outer, int inner);
// Adds a dimension of size 1 at `axis` of the result, or removes dimensions of size 1.
StatusOr<Value> ExpandDims(const Value& value, int axis);
StatusOr<Value> Squeeze(const Value& value, std::span<const int64_t> axes);
// Divides rows by `partition`, whose number of values is the number of rows.
StatusOr<Value> PartitionOuterDimension(const Value& value, const RowPartition& partition);

}  // namespace signet
