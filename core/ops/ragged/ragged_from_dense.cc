// ragged_from_dense: shortens the rows of a dense tensor to ragged rows.
//
//   ragged_from_dense([[1, 2], [3, 0]], lengths=[2, 1])  =>  [[1, 2], [3]]
//   ragged_from_dense([[1, 2], [3, 0]], padding=0)       =>  [[1, 2], [3]]

#include <numeric>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// The row lengths of the last ragged dimension, or of each ragged dimension.
struct Lengths {
  std::vector<GraphValue> vectors;
  bool of_each = false;
};

// Reads the lengths. C3: they are a vector of int32 or int64, or a list of such vectors.
StatusOr<Lengths> ReadLengths(OpBuilder& build, const GraphValue& given) {
  Lengths lengths;
  std::vector<GraphValue> parts = {given};
  // A list of plain numbers is one vector.
  lengths.of_each = IsSequence(given.spec) && !given.spec.children().empty() &&
                    !given.spec.children()[0].is(TypeKind::kLiteral);
  if (lengths.of_each) {
    parts.clear();
    for (size_t i = 0; i < given.spec.children().size(); ++i) parts.push_back(ChildOf(given, i));
  }
  for (const GraphValue& part : parts) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue vector,
                            WithConstraint("C3", TensorFor(build, part, DType::kInt64)));
    const auto* tensor = vector.spec.As<TensorSpec>();
    bool fits = tensor != nullptr && IsIndexDType(tensor->dtype()) &&
                tensor->shape().IsCompatibleWith({kUnknownDim});
    if (!fits) {
      return WithConstraint(
          "C3",
          InvalidArgument(
              "lengths: expected a vector of int32 or int64, or a list of such vectors, found `",
              part.spec, "`"));
    }
    lengths.vectors.push_back(std::move(vector));
  }
  return lengths;
}

// Returns the length of each row of `rows`, [n, width, element...], without the elements at its end
// that equal `padding`.
StatusOr<GraphValue> UnpaddedLengths(OpBuilder& build, const GraphValue& padding,
                                     const GraphValue& rows) {
  const auto& tensor = *rows.spec.As<TensorSpec>();
  PartialShape element = tensor.shape().Slice(2, tensor.shape().rank());
  // C3: the padding is one element of the same dtype.
  bool fits = padding.spec.is(TypeKind::kTensor) &&
              padding.spec.As<TensorSpec>()->dtype() == tensor.dtype() &&
              padding.spec.shape()->has_rank() && padding.spec.shape()->IsCompatibleWith(element);
  if (!fits) {
    return WithConstraint("C3", InvalidArgument("padding: expected one element, `",
                                                TensorType(tensor.dtype(), element), "`, found `",
                                                padding.spec, "`"));
  }
  for (int axis = 0; axis < element.rank(); ++axis) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(build, rows, axis + 2));
    SIGNET_ASSIGN_OR_RETURN(GraphValue other, DimSize(build, padding, axis));
    SIGNET_RETURN_IF_ERROR(CheckSameSize(
        build, size, other,
        WithConstraint(
            "C3", InvalidArgument("padding: expected one element, found `", padding.spec, "`"))));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue is_padding, build.Equal(rows, padding));
  if (element.rank() > 0) {
    std::vector<int64_t> axes(static_cast<size_t>(element.rank()));
    std::iota(axes.begin(), axes.end(), 2);
    SIGNET_ASSIGN_OR_RETURN(is_padding, build.ReduceAll(is_padding, {.axes = axes}));
  }
  return build.LengthsWithoutPadding(is_padding);
}

// Returns `x` with ragged dimensions. The dimensions up to `uniform` keep their sizes. The rows of
// one more dimension per element of `lengths` are shortened to these lengths.
StatusOr<GraphValue> ShortenRows(OpBuilder& build, Opened x, int uniform,
                                 std::span<const GraphValue> lengths) {
  for (int dim = 1; dim <= uniform; ++dim) {
    SIGNET_ASSIGN_OR_RETURN(x.rows.dims[static_cast<size_t>(dim)].splits,
                            SplitsOf(build, x.rows, dim));
  }
  for (const GraphValue& given : lengths) {
    const PartialShape rows{x.elements.spec.shape()->dim(0)};
    if (!given.spec.shape()->IsCompatibleWith(rows)) {
      return WithConstraint(
          "C3", InvalidArgument("lengths: expected ", rows.dim(0), " lengths, one per row, found `",
                                given.spec, "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, build.RowSplitsFromLengths(build.ClipLengths(
                                                   given, DimSize(build, x.elements, 1))));
    SIGNET_ASSIGN_OR_RETURN(x.elements, build.UnpadRows(x.elements, splits));
    x.rows.dims.push_back(RaggedDim(std::move(splits)));
  }
  return CloseRows(build, x.rows, x.elements);
}

StatusOr<GraphValue> FromDense(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  // C1: input 0 is a tensor of known rank, which is at least 2.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (!x->shape().has_rank() || x->shape().rank() < 2) {
    return WithConstraint("C1",
                          InvalidArgument("input 0: expected a known rank of at least 2, found `",
                                          call.inputs[0], "`"));
  }
  // C2: `lengths` and `padding` are not both given.
  auto is_given = [&](size_t i) {
    return HasInput(call, i) && call.inputs[i] != LiteralType(Literal());
  };
  if (is_given(1) && is_given(2)) {
    return WithConstraint("C2", InvalidArgument("`lengths` and `padding` are mutually exclusive"));
  }
  Lengths lengths;
  if (is_given(1)) {
    SIGNET_ASSIGN_OR_RETURN(lengths, ReadLengths(build, inputs[1]));
  }
  // C4: `ragged_rank` is at least 1 and less than the rank. If there are several vectors of
  // lengths, it is their number.
  SIGNET_ASSIGN_OR_RETURN(auto named,
                          WithConstraint("C4", call.attributes.OptionalInt("ragged_rank")));
  auto levels = static_cast<int64_t>(lengths.of_each ? lengths.vectors.size() : 1);
  int64_t ragged_rank = named.value_or(levels);
  if (ragged_rank < 1 || ragged_rank >= x->shape().rank() ||
      (lengths.of_each && ragged_rank != levels)) {
    return WithConstraint(
        "C4",
        InvalidArgument(
            "ragged_rank: expected 1 to ", x->shape().rank() - 1, " for `", call.inputs[0], "`",
            lengths.of_each ? Cat(" and the number of vectors of lengths, ", levels) : "",
            ", found ", ragged_rank));
  }
  auto depth = static_cast<int>(ragged_rank);
  if (!is_given(1) && !is_given(2)) return AsRagged(build, inputs[0], depth);
  int uniform = lengths.of_each ? 0 : depth - 1;
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, inputs[0], uniform + 1));
  if (is_given(2)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue padding,
                            WithConstraint("C3", TensorFor(build, inputs[2], x->dtype())));
    SIGNET_ASSIGN_OR_RETURN(GraphValue before, UnpaddedLengths(build, padding, opened.elements));
    lengths.vectors.push_back(std::move(before));
  }
  return ShortenRows(build, std::move(opened), uniform, lengths.vectors);
}

StatusOr<std::vector<GraphValue>> ExpandRaggedFromDense(OpBuilder& build, const OpCall& call,
                                                        std::span<const GraphValue> inputs) {
  return OneOutput(FromDense(build, call, inputs));
}

}  // namespace

OpDef RaggedFromDense() {
  return {
      .name = "ragged_from_dense",
      .summary = "Converts the dimensions of a tensor to ragged dimensions",
      .description =
          "Converts the dimensions 1 to `ragged_rank` of x to ragged dimensions. `ragged_rank` is "
          "1 unless `lengths` implies another number. The innermost rows are cut to `lengths`, or "
          "lose the elements at their ends that equal `padding`. A list of vectors of lengths cuts "
          "the rows of each ragged dimension: each vector has one length per row that the vector "
          "before has left. Lengths are limited to the range from 0 to the width. Dimensions that "
          "are not cut keep their size in the type.",
      .inputs = {"x", "lengths?", "padding?"},
      .attributes = {{"ragged_rank", NoneAttribute()}},
      .result = "A ragged value of the dtype of x.",
      .constraints = {"The input is a tensor of known rank, at least 2.",
                      "At most one of `lengths` and `padding` is given.",
                      "The lengths are vectors of int32 or int64 with one element per row. "
                      "`padding` has the dtype of x and is one element of its rows.",
                      "`ragged_rank` is at least 1, less than the rank of x, and the number of "
                      "vectors if `lengths` is a list of vectors."},
      .composites = "`lengths` may be a list of vectors.",
      .expand = ExpandRaggedFromDense,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
