#include "core/ops/build/flat_values.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Returns the common row splits of both values. They are compared at run time unless they are the
// same edges.
StatusOr<std::vector<GraphValue>> MergeSplits(OpBuilder& build, const RaggedParts& a,
                                              const RaggedParts& b) {
  if (a.splits.size() != b.splits.size()) {
    return InvalidArgument("expected ragged inputs with the same number of row partitions, found ",
                           a.splits.size(), " and ", b.splits.size());
  }
  std::vector<GraphValue> merged;
  for (size_t i = 0; i < a.splits.size(); ++i) {
    GraphValue splits = a.splits[i];
    if (splits.components[0] != b.splits[i].components[0]) {
      SIGNET_ASSIGN_OR_RETURN(splits, build.CheckSameSplits(splits, b.splits[i]));
    }
    merged.push_back(std::move(splits));
  }
  return merged;
}

}  // namespace

StatusOr<std::vector<GraphValue>> ExpandOnFlatValues(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs) {
  std::vector<GraphValue> flat(inputs.begin(), inputs.end());
  RaggedParts shared;
  PartialShape shape;
  bool found = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].spec || inputs[i].spec.is(TypeKind::kTensor)) continue;
    if (!inputs[i].spec.is(TypeKind::kRagged)) {
      return Unimplemented("`", call.op.name, "`: input ", i,
                           ": expected a tensor or a ragged value, found `", inputs[i].spec, "`");
    }
    RaggedParts parts = RaggedPartsOf(inputs[i]);
    flat[i] = parts.values;
    if (!found) {
      shared = parts;
      shape = *inputs[i].spec.shape();
    } else {
      SIGNET_ASSIGN_OR_RETURN(shared.splits, MergeSplits(build, shared, parts));
    }
    found = true;
  }
  // No input is ragged, so a required input is missing.
  if (!found) return TensorInput(call, 0).status();
  SIGNET_ASSIGN_OR_RETURN(auto outputs, build.Call(call.op.name, flat, call.attributes));
  for (GraphValue& output : outputs) {
    // The row dimensions have the sizes of the input.
    const PartialShape& made = *output.spec.shape();
    PartialShape like;
    int rows = static_cast<int>(shared.splits.size()) + 1;
    if (shape.has_rank() && made.has_rank()) {
      like = shape.Slice(0, rows).Concatenate(made.Slice(1, made.rank()));
    }
    shared.values = output;
    SIGNET_ASSIGN_OR_RETURN(output, MakeRaggedValue(shared, like));
  }
  return outputs;
}

}  // namespace signet
