#include "core/ops/build/sparse/sparse_expansions.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "signet/tensor_spec.h"

namespace signet {

std::string TypesOf(std::span<const GraphValue> values) {
  std::vector<TypeSpec> types;
  for (const GraphValue& value : values) types.push_back(value.spec);
  return Join(types, "`, `");
}

bool IsSparse(const GraphValue& value) { return value.spec && value.spec.is(TypeKind::kSparse); }

StatusOr<std::vector<GraphValue>> RejectSparse(OpBuilder&, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  return Unimplemented("`", call.op.name, "`: expected no sparse value, found `", TypesOf(inputs),
                       "`; convert it to a tensor with `sparse_to_dense`");
}

StatusOr<std::vector<GraphValue>> ExpandSparseOnValues(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  std::vector<GraphValue> operands(inputs.begin(), inputs.end());
  operands[0] = x.values;
  SIGNET_ASSIGN_OR_RETURN(auto made, build.Call(call.op.name, operands, call.attributes));
  const auto* values = made[0].spec.As<TensorSpec>();
  if (values == nullptr || !values->shape().has_rank() || values->shape().rank() != 1) {
    return Unimplemented("`", call.op.name,
                         "`: expected inputs with a scalar result for each entry, found `",
                         TypesOf(inputs), "`");
  }
  x.values = made[0];
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

StatusOr<Positioned> MergedEntries(OpBuilder& build, Positioned entries, bool in_order,
                                   std::string_view segment_op) {
  if (!in_order) {
    SIGNET_ASSIGN_OR_RETURN(auto sorted, build.Sort(entries.positions));
    entries.positions = sorted[0];
    SIGNET_ASSIGN_OR_RETURN(entries.values, build.Gather(entries.values, sorted[1]));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, build.GroupEqual(entries.positions));
  SIGNET_ASSIGN_OR_RETURN(entries.values, build.CallOne(segment_op, {entries.values, splits}));
  const int64_t before_last[] = {-1};
  const int64_t from_first[] = {0};
  SIGNET_ASSIGN_OR_RETURN(GraphValue firsts,
                          build.Slice(splits, {.starts = from_first, .limits = before_last}));
  SIGNET_ASSIGN_OR_RETURN(entries.positions, build.Gather(entries.positions, firsts));
  return entries;
}

}  // namespace signet
