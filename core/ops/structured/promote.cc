// promote, broadcast_field, promote_and_broadcast: copy a field of a structure to an outer, inner,
// or neighboring structure.
//
//   promote(x, path="docs.tokens", name="tokens")
//     x: [{docs: [{tokens: string[]}]}]  =>  [{docs: [{tokens: string[]}], tokens: string[(?)]}]
//   broadcast_field(x, path="user", into="docs", name="user")
//     x: [{docs: [{}], user: string[]}]  =>  [{docs: [{user: string[]}], user: string[]}]
// The ops are expansions. A copy to an outer structure does not move elements. A copy to an inner
// structure repeats each element once per inner structure. Source: promote and broadcast in
// struct2tensor.

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/field_paths.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

// Converts `field` of structures of rank `from` to a field of the outer structures of rank `to`.
// The dimensions that the inner structures add are merged into one dimension.
StatusOr<GraphValue> RaiseField(OpBuilder& build, const GraphValue& field, int from, int to) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankOf(field));
  int inner = std::min(from, rank - 1);
  if (from == to || inner == to) return field;
  return build.MergeDims(field, {.outer = to, .inner = inner});
}

// Converts `field` of structures of rank `from` to a field of `into`, another field of these
// structures. Each inner structure receives the values of its parent.
StatusOr<GraphValue> LowerField(OpBuilder& build, const GraphValue& field, int from,
                                const GraphValue& into) {
  SIGNET_ASSIGN_OR_RETURN(int to, RankOf(into));
  if (from == to) return field;
  SIGNET_ASSIGN_OR_RETURN(Opened source, OpenRows(build, field, from));
  SIGNET_ASSIGN_OR_RETURN(Opened target, OpenRows(build, into, to));
  SIGNET_ASSIGN_OR_RETURN(GraphValue parents, RowIdsOf(build, target.rows, from - 1, to - 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue taken, TakeRows(build, source.elements, parents));
  return CloseRows(build, target.rows, taken, field.spec);
}

int RankAt(const GraphValue& x, FieldNames path) {
  return StructureAt(x, path)->spec.shape()->rank();
}

// Returns `x` with a copy of the field at `path`. The copy is called `name` and is in the structure
// at `into`.
StatusOr<std::vector<GraphValue>> CopyField(OpBuilder& build, const OpCall& call,
                                            const GraphValue& x, FieldNames path, FieldPath into) {
  // C1: the input is a structure. C2: `path` leads to a field. C3: `into` leads to a structure.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C1", StructureAt(x, {}).status()));
  SIGNET_ASSIGN_OR_RETURN(GraphValue field, WithConstraint("C2", ValueAt(x, path)));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", StructureAt(x, into).status()));
  size_t above = path.size() - 1;
  size_t common = 0;
  while (common < std::min(above, into.size()) && path[common] == into[common]) ++common;
  for (size_t depth = above; depth > common; --depth) {
    SIGNET_ASSIGN_OR_RETURN(field, RaiseField(build, field, RankAt(x, path.first(depth)),
                                              RankAt(x, path.first(depth - 1))));
  }
  FieldNames target = into;
  for (size_t depth = common; depth < into.size(); ++depth) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue next, ValueAt(x, target.first(depth + 1)));
    SIGNET_ASSIGN_OR_RETURN(field, LowerField(build, field, RankAt(x, target.first(depth)), next));
  }
  // C4: `name` is allowed as the name of a field.
  SIGNET_ASSIGN_OR_RETURN(std::string name, WithConstraint("C4", call.attributes.String("name")));
  into.push_back(std::move(name));
  return OneOutput(WithConstraint("C4", WithValueAt(build, x, into, field)));
}

// Reads `path`. C2: it has at least `least` names.
StatusOr<FieldPath> SourcePath(const OpCall& call, size_t least) {
  SIGNET_ASSIGN_OR_RETURN(FieldPath path,
                          WithConstraint("C2", PathAttribute(call.attributes, "path")));
  if (path.size() >= least) return path;
  return WithConstraint("C2", InvalidArgument("path `", PathText(path), "`: expected at least ",
                                              least, " names, found ", path.size()));
}

StatusOr<std::vector<GraphValue>> ExpandPromote(OpBuilder& build, const OpCall& call,
                                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(FieldPath path, SourcePath(call, 2));
  return CopyField(build, call, inputs[0], path, {path.begin(), path.end() - 2});
}

StatusOr<std::vector<GraphValue>> ExpandBroadcastField(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(FieldPath path, SourcePath(call, 1));
  SIGNET_ASSIGN_OR_RETURN(std::string into, WithConstraint("C3", call.attributes.String("into")));
  FieldPath target = path;
  target.back() = std::move(into);
  return CopyField(build, call, inputs[0], path, std::move(target));
}

StatusOr<std::vector<GraphValue>> ExpandPromoteAndBroadcast(OpBuilder& build, const OpCall& call,
                                                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(FieldPath path, SourcePath(call, 1));
  SIGNET_ASSIGN_OR_RETURN(FieldPath into,
                          WithConstraint("C3", PathAttribute(call.attributes, "into")));
  return CopyField(build, call, inputs[0], path, std::move(into));
}

}  // namespace

std::vector<OpDef> PromoteOps() {
  return {
      {.name = "promote",
       .summary = "Copies a field to the structure around its own",
       .description = "Copies the field at `path` to the structure around its own, under the name "
                      "`name`. The dimensions that the inner structure adds are merged into one: "
                      "scalars become a list, and lists become one list, in order. For example, "
                      "`docs.tokens` of `[{docs: [{tokens: string[(?)]}]}]` becomes `string[(?)]`, "
                      "all tokens of all docs. A field of the same name is replaced.",
       .inputs = {"x"},
       .attributes = {{"path"}, {"name"}},
       .result = "The structure with the new field.",
       .constraints = {"x is a structure.",
                       "`path` has at least two names and leads to a field (NOT_FOUND).", "",
                       "`name` is a valid name of a field."},
       .composites = "The input is a structure.",
       .expand = ExpandPromote,
       .literals_as_tensors = false},
      {.name = "broadcast_field",
       .summary = "Copies a field into each structure of a sibling field",
       .description = "Copies the field at `path` under the name `name` into each structure of the "
                      "field `into`, which is in the same structure as the field. Each of these "
                      "structures receives the whole value of its parent. The elements are copied "
                      "as often as `into` has structures.",
       .inputs = {"x"},
       .attributes = {{"path"}, {"into"}, {"name"}},
       .result = "The structure with the new field.",
       .constraints = {"x is a structure.", "`path` leads to a field (NOT_FOUND).",
                       "`into` is the name of a structure in the same structure as the field.",
                       "`name` is a valid name of a field."},
       .composites = "The input is a structure.",
       .expand = ExpandBroadcastField,
       .literals_as_tensors = false},
      {.name = "promote_and_broadcast",
       .summary = "Copies a field into another structure",
       .description =
           "Copies the field at `path` under the name `name` into the structure at the path "
           "`into`. The field is promoted to the structure that contains both, and broadcast from "
           "there. The empty path is x itself; then the field is only promoted.",
       .inputs = {"x"},
       .attributes = {{"path"}, {"into"}, {"name"}},
       .result = "The structure with the new field.",
       .constraints = {"x is a structure.", "`path` leads to a field (NOT_FOUND).",
                       "`into` leads to a structure (NOT_FOUND).",
                       "`name` is a valid name of a field."},
       .composites = "The input is a structure.",
       .expand = ExpandPromoteAndBroadcast,
       .literals_as_tensors = false},
  };
}

}  // namespace signet
