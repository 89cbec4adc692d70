// broadcast_to: repeats a value along dimensions of size 1.
//
//   broadcast_to(int64[2, 1] [[1], [2]], list(2, list(3, 0)))  =>  [[1, 1, 1], []]

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/broadcast_rows.h"
#include "core/ops/build/rows/row_dims.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/def/literal_dtype.h"
#include "core/ops/shape/shape_ops.h"
#include "signet/ragged_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferBroadcastTo(const OpCall& call) {
  // C1: input 0 is a tensor. The shape is given once: as an attribute or as a vector of integers.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(IntList list, WithConstraint("C1", RequiredIntList(call, "shape", 1)));
  if (!list.known) return OneOutput(TensorType(x->dtype(), ShapeOfLength(list.length)));
  // C2: the shape has at most 2^31 elements.
  SIGNET_RETURN_IF_ERROR(
      WithConstraint("C2", CheckOutputSize(std::span<const int64_t>(*list.known))));
  PartialShape shape{std::span<const int64_t>(*list.known)};
  // C3: after alignment at the right, each dimension of the input is 1 or has the size in the
  // shape.
  const PartialShape& from = x->shape();
  if (from.has_rank()) {
    int offset = shape.rank() - from.rank();
    for (int axis = 0; axis < from.rank(); ++axis) {
      int64_t size = from.dim(axis);
      if (offset >= 0 && (size == 1 || size == kUnknownDim || size == shape.dim(axis + offset)))
        continue;
      return WithConstraint(
          "C3", InvalidArgument("`", call.inputs[0], "` does not broadcast to shape `", shape,
                                "`; after alignment at the right, each dimension must be 1 or have "
                                "the size in the shape"));
    }
  }
  return OneOutput(TensorType(x->dtype(), std::move(shape)));
}

// Broadcasts a tensor to sizes that may be computed.
StatusOr<GraphValue> BroadcastDense(OpBuilder& build, const GraphValue& x,
                                    std::span<const GraphValue> sizes) {
  std::vector<int64_t> known;
  for (const GraphValue& size : sizes) {
    const Tensor* constant = build.LookupConstant(size.components[0]);
    if (constant != nullptr) known.push_back(constant->scalar<int64_t>());
  }
  if (known.size() == sizes.size()) {
    return build.BroadcastTo(x, {.shape = known});
  }
  return build.BroadcastTo(x, build.Stack(sizes));
}

// Returns the number of dimensions up to and including the last ragged one, after alignment at the
// right.
int RaggedDepth(const GraphValue& x, const Rows& rows) {
  int depth = 0;
  for (int dim = 0; dim < rows.depth(); ++dim) {
    if (!rows.dims[static_cast<size_t>(dim)].is_uniform()) depth = dim + 1;
  }
  const auto* ragged = x.spec.As<RaggedSpec>();
  if (ragged == nullptr || ragged->ragged_rank() == 0) return depth;
  int missing = rows.depth() - ragged->shape().rank();
  return std::max(depth, missing + ragged->ragged_rank() + 1);
}

StatusOr<GraphValue> BroadcastToRows(OpBuilder& build, GraphValue x, const Rows& rows) {
  const PartialShape& shape = *x.spec.shape();
  if (!shape.has_rank()) {
    return Unimplemented("`broadcast_to`: expected a value of known rank, found `", x.spec, "`");
  }
  if (shape.rank() > rows.depth()) {
    return WithConstraint(
        "C3", InvalidArgument("expected a shape with at least the number of dimensions of `",
                              x.spec, "`, found ", rows.depth()));
  }
  int depth = RaggedDepth(x, rows);
  Rows outer;
  outer.dims.assign(rows.dims.begin(), rows.dims.begin() + depth);
  std::vector<GraphValue> sizes;  // sizes of the flat values
  for (int dim = depth; dim < rows.depth(); ++dim) {
    sizes.push_back(rows.dims[static_cast<size_t>(dim)].length);
  }
  if (x.spec.is(TypeKind::kRagged) && depth == 0) x = ComponentOf(x, 0);
  if (depth == 0) return BroadcastDense(build, x, sizes);
  int own = shape.rank() - (rows.depth() - depth);
  std::vector<RowOperand> operands = {{outer, true}};
  if (own > 0) {
    SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenToTensor(build, x, own));
    operands.push_back({std::move(opened.rows)});
    x = std::move(opened.elements);
  }
  SIGNET_ASSIGN_OR_RETURN(CommonRows common, BroadcastRows(build, operands, "C3"));
  if (own > 0) {
    SIGNET_ASSIGN_OR_RETURN(x, TakeCommon(build, x, common.indices[1]));
  }
  bool is_whole = own > 0 && !common.indices[1].first && !common.compared && sizes.empty();
  if (!is_whole) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(build, common.rows, depth - 1));
    sizes.insert(sizes.begin(), std::move(count));
    SIGNET_ASSIGN_OR_RETURN(x, BroadcastDense(build, x, sizes));
  }
  return CloseRows(build, common.rows, x);
}

// Expands calls on ragged values, and calls whose shape is a list of sizes and row lengths.
StatusOr<std::vector<GraphValue>> ExpandBroadcastTo(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  GraphValue x = inputs[0];
  if (IsPlainLiteral(x)) {
    SIGNET_ASSIGN_OR_RETURN(x, TensorFor(build, x, DefaultDType(x.spec)));
  }
  if (!x.spec) return TensorInput(call, 0).status();
  bool fits = x.spec.is(TypeKind::kTensor) || x.spec.is(TypeKind::kRagged);
  if (!fits)
    return WithConstraint(
        "C1", Unimplemented("expected a tensor or a ragged value, found `", x.spec, "`"));
  GraphValue shape = inputs.size() > 1 ? inputs[1] : GraphValue{};
  TypeSpec attribute = call.attributes.Lookup("shape");
  if (!IsNone(call.attributes, "shape")) {
    if (shape.spec) {
      return WithConstraint(
          "C1", InvalidArgument("attribute `shape` and input 1 are mutually exclusive"));
    }
    if (attribute.num_components() > 0) {  // The attribute contains a type, which has no elements.
      return WithConstraint(
          "C1", InvalidArgument("`shape`: expected a list of sizes and row lengths, found `",
                                attribute, "`"));
    }
    shape = {IsSequence(attribute) ? attribute : ListType({attribute}), {}};
  }
  if (!shape.spec || IsNone(shape.spec))
    return WithConstraint(
        "C1", InvalidArgument("missing `shape`; pass it as an attribute or as input 1"));
  if (shape.spec.is(TypeKind::kLiteral)) shape.spec = ListType({shape.spec});
  bool dense = x.spec.is(TypeKind::kTensor) && shape.spec.is(TypeKind::kTensor);
  if (dense) {
    return build.BroadcastTo(x, shape);
  }
  SIGNET_ASSIGN_OR_RETURN(Rows rows, RowsOfSizes(build, shape, "C1"));
  return OneOutput(BroadcastToRows(build, std::move(x), rows));
}

}  // namespace

OpDef BroadcastTo() {
  return {
      .name = "broadcast_to",
      .summary = "Repeats a value until it has a shape",
      .description =
          "Aligns the dimensions of x with `shape` at the right, and repeats x along dimensions of "
          "size 1 until it has the shape. The shape is an attribute, a vector of integers, or, as "
          "input, a list of sizes and row lengths as `broadcast_sizes` describes it.",
      .inputs = {"x", "shape?"},
      .attributes = {{"shape", NoneAttribute()}},
      .result =
          "A value of the dtype of x with the shape, which is ragged if the list has row lengths.",
      .constraints = {"The input is a tensor or a ragged value. The shape is given once: as an "
                      "attribute, a vector of integers, or a list.",
                      "The sizes are at least 0, and the shape has at most 2^31 elements.",
                      "Each dimension of x is 1 or has the size in the shape."},
      .composites =
          "Ragged values are repeated by rows. With `list(2, list(3, 0))` as the shape, the result "
          "has rows of 3 and 0 elements.",
      .infer = InferBroadcastTo,
      .expand = ExpandBroadcastTo,
      .literals_as_tensors = false,
      .own_dtypes = {"shape"},
  };
}

}  // namespace signet
