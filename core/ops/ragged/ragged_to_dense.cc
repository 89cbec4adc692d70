// ragged_to_dense: pads rows to one length.
//
//   ragged_to_dense([[1, 2], [3]])                   =>  [[1, 2], [3, 0]]
//   ragged_to_dense([[1, 2], [3]], 9, shape=[3, 1])  =>  [[1], [3], [9]]

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// Returns the sizes of the result. kUnknownDim means the size of the largest row. C3: `shape` has
// one entry per dimension, and each is at least 0, -1, or None.
StatusOr<std::vector<int64_t>> TargetSizes(const OpCall& call, int rank) {
  if (IsNone(call.attributes, "shape")) {
    return std::vector<int64_t>(static_cast<size_t>(rank), kUnknownDim);
  }
  TypeSpec given = call.attributes.Lookup("shape");
  if (!IsSequence(given) || given.children().size() != static_cast<size_t>(rank)) {
    return WithConstraint(
        "C3", InvalidArgument("shape: expected ", rank, " sizes, one per dimension of `",
                              call.inputs[0], "`, found `", given, "`"));
  }
  std::vector<int64_t> sizes;
  for (const TypeSpec& size : given.children()) {
    SIGNET_ASSIGN_OR_RETURN(
        auto wanted, WithConstraint("C3", Attributes({{"shape", size}}).OptionalInt("shape")));
    sizes.push_back(wanted.value_or(kUnknownDim));
    if (sizes.back() >= kUnknownDim) continue;
    return WithConstraint(
        "C3",
        InvalidArgument("shape: expected sizes of at least 0, -1, or None, found ", sizes.back()));
  }
  return sizes;
}

// Returns `default` with the last dimensions of an element, or a value without a type if it is
// missing. C2: `default` has the dtype of the values and broadcasts to the shape of an element.
StatusOr<GraphValue> DefaultFor(OpBuilder& build, const GraphValue& given,
                                const GraphValue& values) {
  const auto& flat = *values.spec.As<TensorSpec>();
  SIGNET_ASSIGN_OR_RETURN(GraphValue missing,
                          WithConstraint("C2", TensorFor(build, given, flat.dtype())));
  if (!missing.spec) return missing;
  PartialShape element = flat.shape().Slice(1, flat.shape().rank());
  const auto* tensor = missing.spec.As<TensorSpec>();
  bool fits = tensor != nullptr && tensor->dtype() == flat.dtype() && tensor->shape().has_rank() &&
              tensor->shape().rank() <= element.rank();
  if (fits) {
    // Only the default value may be repeated.
    auto both = BroadcastShapes(tensor->shape(), element);
    fits = both.ok() && both->IsCompatibleWith(element);
  }
  if (!fits) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected a value that broadcasts to `",
                              TensorType(flat.dtype(), element), "`, found `", missing.spec, "`"));
  }
  int rank = tensor->shape().rank();
  PartialShape last = element.Slice(element.rank() - rank, element.rank());
  if (tensor->shape() == last && last.IsFullyDefined()) return missing;
  std::vector<GraphValue> sizes;
  for (int axis = 0; axis < rank; ++axis) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size,
                            DimSize(build, values, flat.shape().rank() - rank + axis));
    sizes.push_back(std::move(size));
  }
  if (sizes.empty()) return missing;
  return build.BroadcastTo(missing, build.Stack(sizes));
}

StatusOr<GraphValue> PadRows(OpBuilder& build, const GraphValue& values, const GraphValue& splits,
                             const GraphValue& missing, int64_t width) {
  if (width == kUnknownDim) return build.PadRows(values, splits, missing);
  return build.PadRows(values, splits, missing, {.width = width});
}

StatusOr<std::vector<GraphValue>> ExpandRaggedToDense(OpBuilder& build, const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  // C1: input 0 is a ragged value or a tensor of known rank.
  const TypeSpec& spec = call.inputs[0];
  bool fits =
      (spec.is(TypeKind::kRagged) || spec.is(TypeKind::kTensor)) && spec.shape()->has_rank();
  if (!fits) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a ragged value or a tensor of known rank, found `",
                              spec ? spec.ToString() : "None", "`"));
  }
  const PartialShape& shape = *spec.shape();
  SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, TargetSizes(call, shape.rank()));
  if (shape.rank() == 0) return std::vector<GraphValue>{inputs[0]};
  RaggedParts parts{inputs[0], {}};
  if (spec.is(TypeKind::kRagged)) parts = RaggedPartsOf(inputs[0]);
  GraphValue missing;
  if (inputs.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(missing, DefaultFor(build, inputs[1], parts.values));
  }
  // The dimensions after the ragged dimensions keep their sizes.
  auto ragged_rank = static_cast<int>(parts.splits.size());
  for (int dim = ragged_rank + 1; dim < shape.rank(); ++dim) {
    int64_t wanted = sizes[static_cast<size_t>(dim)];
    if (wanted == kUnknownDim) continue;
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(build, parts.values, dim - ragged_rank));
    SIGNET_RETURN_IF_ERROR(CheckSameSize(
        build, size, Int64Constant(build, wanted),
        WithConstraint("C3",
                       InvalidArgument("shape: expected the size of dimension ", dim,
                                       ", which is not ragged, -1, or None, found ", wanted))));
  }
  GraphValue dense = parts.values;
  for (int dim = ragged_rank; dim > 0; --dim) {
    int64_t width = sizes[static_cast<size_t>(dim)];
    if (width == kUnknownDim) width = shape.dim(dim);
    SIGNET_ASSIGN_OR_RETURN(
        dense, PadRows(build, dense, parts.splits[static_cast<size_t>(dim) - 1], missing, width));
  }
  // To change the number of rows, treat all rows as the elements of one row.
  if (sizes[0] != kUnknownDim && sizes[0] != shape.dim(0)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, DimSize(build, dense, 0));
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                            build.UniformRowSplits(Int64Constant(build, 1), rows));
    SIGNET_ASSIGN_OR_RETURN(
        dense, build.Squeeze(PadRows(build, dense, splits, missing, sizes[0]), {.axes = 0}));
  }
  return std::vector<GraphValue>{dense};
}

}  // namespace

OpDef RaggedToDense() {
  return {
      .name = "ragged_to_dense",
      .summary = "Converts rows to a tensor by padding them",
      .description =
          "Pads each row with `default` (0, False, or \"\" if it is missing) to the length of the "
          "longest row. With `shape`, rows are padded or cut to its sizes; an entry that is None "
          "or -1 keeps the size that is there.",
      .inputs = {"x", "default?"},
      .attributes = {{"shape", NoneAttribute()}},
      .result = "A tensor of the same dtype and rank.",
      .constraints =
          {"The input is a ragged value or a tensor of known rank.",
           "`default` has the dtype of x and broadcasts to the dimensions after the ragged ones.",
           "`shape` has one entry per dimension, which is at least 0, None, or -1. After the "
           "ragged dimensions, an entry equals the size that is there."},
      .composites = "The input is a ragged value or a tensor.",
      .expand = ExpandRaggedToDense,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
