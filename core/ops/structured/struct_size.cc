// struct_size, struct_has: count the values of a field in each structure, or return whether there
// are any.
//
//   struct_size(x, path="tokens", name="n")
//     x: [{tokens: string[(?)]}]  =>  [{n: int64[], tokens: string[(?)]}]
// Source: size and has in struct2tensor.

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/field_paths.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

// Returns the lengths of the rows of dims[dim] as a vector.
StatusOr<GraphValue> LengthsOf(OpBuilder& build, const Rows& rows, int dim) {
  const RowDim& found = rows.dims[static_cast<size_t>(dim)];
  if (found.splits.spec) return build.RowLengths(found.splits);
  return build.BroadcastTo(found.length,
                           build.ExpandDims(CountAt(build, rows, dim - 1), {.axis = 0}));
}

StatusOr<std::vector<GraphValue>> ExpandStructSize(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  // C1: the input is a structure.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C1", StructureAt(inputs[0], {}).status()));
  // C2: `path` leads to a field.
  SIGNET_ASSIGN_OR_RETURN(FieldPath path,
                          WithConstraint("C2", PathAttribute(call.attributes, "path")));
  if (path.empty())
    return WithConstraint(
        "C2", InvalidArgument("path: expected the path of a field, found an empty path"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue field, WithConstraint("C2", ValueAt(inputs[0], path)));
  FieldNames above = FieldNames(path).first(path.size() - 1);
  SIGNET_ASSIGN_OR_RETURN(GraphValue parent, WithConstraint("C2", StructureAt(inputs[0], above)));
  SIGNET_ASSIGN_OR_RETURN(int depth, RankOf(parent));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankOf(field));
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, field, std::min(rank, depth + 1)));
  // A field without a dimension of its own has one value in each structure.
  if (rank == depth) opened.rows.dims.push_back(UniformDim(build, 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, LengthsOf(build, opened.rows, depth));
  if (call.op.name == "struct_has") {
    SIGNET_ASSIGN_OR_RETURN(sizes, build.Greater(sizes, Int64Constant(build, 0)));
  }
  opened.rows.dims.resize(static_cast<size_t>(depth));
  SIGNET_ASSIGN_OR_RETURN(sizes, CloseRows(build, opened.rows, sizes, sizes.spec));
  // C3: `name` is allowed as the name of a field.
  SIGNET_ASSIGN_OR_RETURN(path.back(), WithConstraint("C3", call.attributes.String("name")));
  SIGNET_ASSIGN_OR_RETURN(GraphValue made,
                          WithConstraint("C3", WithValueAt(build, inputs[0], path, sizes)));
  return std::vector<GraphValue>{made};
}

}  // namespace

std::vector<OpDef> StructSizeOps() {
  return {
      {.name = "struct_size",
       .summary = "Counts the values of a field in each structure",
       .description = "Adds a field `name` next to the field at `path`, with the number of values "
                      "that the field has in each of its structures. A field without dimensions of "
                      "its own has one value.",
       .inputs = {"x"},
       .attributes = {{"path"}, {"name"}},
       .result = "The structure with the new field, which is int64.",
       .constraints = {"x is a structure.", "`path` leads to a field (NOT_FOUND).",
                       "`name` is a valid name of a field."},
       .composites = "The input is a structure.",
       .expand = ExpandStructSize,
       .literals_as_tensors = false},
      {.name = "struct_has",
       .summary = "Checks whether a field has a value in each structure",
       .description =
           "Adds a field `name` next to the field at `path`, which is True where the field has at "
           "least one value. It shows whether an optional field is present.",
       .inputs = {"x"},
       .attributes = {{"path"}, {"name"}},
       .result = "The structure with the new field, which is bool.",
       .constraints = {"x is a structure.", "`path` leads to a field (NOT_FOUND).",
                       "`name` is a valid name of a field."},
       .composites = "The input is a structure.",
       .expand = ExpandStructSize,
       .literals_as_tensors = false},
  };
}

}  // namespace signet
