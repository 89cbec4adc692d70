#include "signet/ops/structured.h"

#include <utility>

#include "core/eager/builtin_library.h"
#include "core/graph/lower/evaluator.h"
#include "core/ops/build/rows/field_map.h"
#include "signet/ops/run_op.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

TypeSpec PathAttributeOf(const FieldPath& path) {
  std::vector<TypeSpec> names;
  for (const std::string& name : path) names.push_back(AttributeOf(name));
  return ListType(std::move(names));
}

TypeSpec PathsAttributeOf(std::span<const FieldPath> paths) {
  std::vector<TypeSpec> all;
  for (const FieldPath& path : paths) all.push_back(PathAttributeOf(path));
  return ListType(std::move(all));
}

// Returns the field that a function is to change. All other names in the path must be structures.
StatusOr<Value> OldField(const Value& structure, const FieldPath& path) {
  Value field = structure;
  for (const std::string& name : path) {
    SIGNET_ASSIGN_OR_RETURN(field, FieldOf(field, name));
  }
  return field;
}

StatusOr<Value> AddField(std::string_view op, const Value& structure, const FieldPath& path,
                         std::string_view name) {
  return RunOp1(op, {structure},
                Attributes({{"path", PathAttributeOf(path)}, {"name", AttributeOf(name)}}));
}

}  // namespace

StatusOr<Value> WithUpdates(const Value& structure, std::span<const FieldUpdate> updates) {
  std::vector<FieldPath> names;
  std::vector<FieldPath> without;
  std::vector<Value> inputs = {structure};
  for (const FieldUpdate& update : updates) {
    if (std::holds_alternative<DeleteField>(update.change)) {
      without.push_back(update.path);
      continue;
    }
    names.push_back(update.path);
    if (const auto* value = std::get_if<Value>(&update.change)) {
      inputs.push_back(*value);
      continue;
    }
    SIGNET_ASSIGN_OR_RETURN(Value old, OldField(structure, update.path));
    SIGNET_ASSIGN_OR_RETURN(Value changed, std::get<ChangeField>(update.change)(old));
    inputs.push_back(std::move(changed));
  }
  Attributes attributes(
      {{"names", PathsAttributeOf(names)}, {"without", PathsAttributeOf(without)}});
  SIGNET_ASSIGN_OR_RETURN(auto outputs, RunOp("struct_update", inputs, attributes));
  return std::move(outputs[0]);
}

StatusOr<Value> Without(const Value& structure, std::span<const FieldPath> paths) {
  return RunOp1("struct_without", {structure}, Attributes({{"names", PathsAttributeOf(paths)}}));
}

StatusOr<Value> WithOnly(const Value& structure, std::span<const FieldPath> paths) {
  return RunOp1("struct_with_only", {structure}, Attributes({{"names", PathsAttributeOf(paths)}}));
}

StatusOr<Value> Promote(const Value& structure, const FieldPath& path, std::string_view new_name) {
  return AddField("promote", structure, path, new_name);
}

StatusOr<Value> BroadcastField(const Value& structure, const FieldPath& path, std::string_view into,
                               std::string_view new_name) {
  return RunOp1("broadcast_field", {structure},
                Attributes({{"path", PathAttributeOf(path)},
                            {"into", AttributeOf(into)},
                            {"name", AttributeOf(new_name)}}));
}

StatusOr<Value> PromoteAndBroadcast(const Value& structure, const FieldPath& path,
                                    const FieldPath& into, std::string_view new_name) {
  return RunOp1("promote_and_broadcast", {structure},
                Attributes({{"path", PathAttributeOf(path)},
                            {"into", PathAttributeOf(into)},
                            {"name", AttributeOf(new_name)}}));
}

StatusOr<Value> FieldSizes(const Value& structure, const FieldPath& path,
                           std::string_view new_name) {
  return AddField("struct_size", structure, path, new_name);
}

StatusOr<Value> HasField(const Value& structure, const FieldPath& path, std::string_view new_name) {
  return AddField("struct_has", structure, path, new_name);
}

StatusOr<Value> ApplyToFields(const Value& structure, const FieldPath& parent,
                              std::span<const std::string> sources, const FlatFunction& function,
                              std::string_view new_name) {
  Evaluator run(BuiltinLibrary());
  FieldMap map{parent, {sources.begin(), sources.end()}, std::string(new_name)};
  auto made = MapFields(run, run.Constant(structure), map,
                        [&](std::span<const GraphValue> vectors) -> StatusOr<GraphValue> {
                          std::vector<Value> values;
                          for (const GraphValue& vector : vectors) {
                            values.push_back(run.ValueOf(vector));
                          }
                          SIGNET_ASSIGN_OR_RETURN(Value result, function(values));
                          return run.Constant(result);
                        });
  SIGNET_RETURN_IF_ERROR(made.status());
  return run.ValueOf(*made);
}

StatusOr<Value> MergeDims(const Value& value, int outer, int inner) {
  return RunOp1("merge_dims", {value},
                Attributes({{"outer", AttributeOf(outer)}, {"inner", AttributeOf(inner)}}));
}

StatusOr<Value> ExpandDims(const Value& value, int axis) {
  return RunOp1("expand_dims", {value}, Attributes({{"axis", AttributeOf(axis)}}));
}

StatusOr<Value> Squeeze(const Value& value, std::span<const int64_t> axes) {
  return RunOp1("squeeze", {value}, Attributes({{"axes", AttributeOf(axes)}}));
}

StatusOr<Value> PartitionOuterDimension(const Value& value, const RowPartition& partition) {
  if (auto length = partition.uniform_row_length()) {
    return RunOp1("partition_outer_dimension", {value},
                  Attributes({{"uniform_row_length", AttributeOf(*length)},
                              {"nrows", AttributeOf(partition.nrows())}}));
  }
  return RunOp1("partition_outer_dimension", {value, partition.row_splits()});
}

}  // namespace signet
