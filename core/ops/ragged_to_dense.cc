// ragged_to_dense: pads rows to one length. The constraints are those of docs/ops.md.
//
//   ragged_to_dense([[1, 2], [3]])  =>  [[1, 2], [3, 0]]

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"
#include "core/ops/literal_inputs.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandRaggedToDense(Expander& expander, const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  // C1: input 0 is ragged, or a tensor, which stays as it is.
  const TypeSpec& spec = call.inputs[0];
  if (spec && spec.is(TypeKind::kTensor)) return std::vector<GraphValue>{inputs[0]};
  const auto* ragged = spec ? spec.As<RaggedSpec>() : nullptr;
  if (ragged == nullptr) {
    return InvalidArgument("C1 input 0 is `", spec ? spec.ToString() : "None",
                           "`; takes a ragged value");
  }
  // C2: `default` is a scalar of its dtype.
  GraphValue missing;
  if (inputs.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(missing,
                            Labelled("C2", TensorFor(expander, inputs[1], ragged->dtype())));
  }
  // C3: `shape` has an entry for each row dimension and each ragged one: -1 for the longest, or a
  // size that rows are padded or cut to; that of rows is -1 or their number.
  SIGNET_ASSIGN_OR_RETURN(auto shape, Labelled("C3", OptionalInts(call.attributes, "shape")));
  int rank = ragged->ragged_rank() + 1;
  if (shape && (shape->size() != static_cast<size_t>(rank) ||
                ((*shape)[0] != -1 && (*shape)[0] != spec.shape()->dim(0)))) {
    return InvalidArgument("C3 shape `", PartialShape(std::span<const int64_t>(*shape)), "` for `",
                           spec, "`; takes ", rank, " sizes, the first of them -1");
  }
  RaggedParts parts = RaggedPartsOf(inputs[0]);
  GraphValue dense = parts.values;
  for (size_t i = parts.splits.size(); i-- > 0;) {
    int64_t known =
        spec.shape()->has_rank() ? spec.shape()->dim(static_cast<int>(i) + 1) : kUnknownDim;
    int64_t width = shape ? (*shape)[i + 1] : -1;
    if (width < -1) return InvalidArgument("C3 size ", width, "; takes at least 0, or -1");
    if (width == -1) width = known;
    Attributes attributes;
    if (width != kUnknownDim) attributes = Attributes({{"width", AttributeOf(width)}});
    SIGNET_ASSIGN_OR_RETURN(
        dense, expander.Call1("pad_rows", {dense, parts.splits[i], missing}, attributes));
  }
  return std::vector<GraphValue>{dense};
}

}  // namespace

OpDef RaggedToDense() {
  return {
      .name = "ragged_to_dense",
      .summary = "Pads the rows of a ragged value to one length",
      .inputs = {"x", "default?"},
      .attributes = {{"shape", NoneAttribute()}},
      .expand = ExpandRaggedToDense,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
