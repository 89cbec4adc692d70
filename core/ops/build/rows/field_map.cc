#include "core/ops/build/rows/field_map.h"

#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// The elements of the fields, and their common rows.
struct Vectors {
  Rows rows;
  std::vector<GraphValue> elements;
};

// Opens a field and appends its elements. C3: the fields are tensors or ragged values of the same
// rank and with the same row partitions.
Status Append(OpBuilder& build, const std::string& name, const GraphValue& field,
              Vectors& vectors) {
  if (field.spec.is(TypeKind::kStructured)) {
    return WithConstraint(
        "C3", InvalidArgument("field `", name, "`: expected a tensor or a ragged value, found `",
                              field.spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankOf(field));
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, field, rank));
  if (vectors.elements.empty()) {
    vectors.rows = std::move(opened.rows);
  } else if (rank != vectors.rows.depth()) {
    return WithConstraint(
        "C3", InvalidArgument("field `", name, "`: expected rank ", vectors.rows.depth(),
                              ", like the field before it, found `", field.spec, "`"));
  } else {
    auto merged = MergeRows(build, vectors.rows, opened.rows, rank, "C3");
    if (!merged.ok()) return At(Cat("field `", name, "`"), merged.status());
    vectors.rows = *std::move(merged);
  }
  vectors.elements.push_back(std::move(opened.elements));
  return absl::OkStatus();
}

}  // namespace

StatusOr<GraphValue> MapFields(OpBuilder& build, const GraphValue& x, const FieldMap& map,
                               FieldFunction function) {
  // C1: the input is a structure.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C1", StructureAt(x, {}).status()));
  // C2: `parent` leads to a structure that has the `fields`. There is at least one field.
  SIGNET_ASSIGN_OR_RETURN(GraphValue parent, WithConstraint("C2", StructureAt(x, map.parent)));
  if (map.fields.empty())
    return WithConstraint("C2",
                          InvalidArgument("`fields`: expected at least one field, found none"));
  Vectors vectors;
  TypeSpec like;
  for (const std::string& name : map.fields) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue field, WithConstraint("C2", FieldValue(parent, name)));
    SIGNET_RETURN_IF_ERROR(Append(build, name, field, vectors));
    if (!like) like = field.spec;
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue made, function(vectors.elements));
  // C5: the function returns one value per element.
  auto rank = RankOf(made);
  if (!rank.ok() || *rank == 0) {
    return WithConstraint(
        "C5", InvalidArgument(
                  "result of the function: expected one value per element of the fields, found `",
                  made.spec ? made.spec.ToString() : "None", "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, CountRows(build, made));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(build, vectors.rows, vectors.rows.depth() - 1));
  SIGNET_RETURN_IF_ERROR(
      CheckSizes(build, rows, count,
                 WithConstraint("struct_map C5",
                                InvalidArgument("`struct_map`: result of the function: expected "
                                                "one value per element of the fields"))));
  SIGNET_ASSIGN_OR_RETURN(made, CloseRows(build, vectors.rows, made, like));
  // C6: `name` is allowed as the name of a field.
  FieldPath path = map.parent;
  path.push_back(map.name);
  return WithConstraint("C6", WithValueAt(build, x, path, made));
}

}  // namespace signet
