// tile: repeats a value along its dimensions.

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/joins.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_picks.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferTile(const OpCall& call) {
  // C1: input 0 is a tensor. The multiples are given once: as an attribute or as a vector of
  // integers.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(IntList list,
                          WithConstraint("C1", RequiredIntList(call, "multiples", 1)));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  // C2: there is one multiple per dimension, and each is at least 0.
  if (list.length >= 0 && list.length != shape.rank()) {
    return WithConstraint("C2", InvalidArgument("`multiples`: expected ", shape.rank(),
                                                " elements, one per dimension of `", call.inputs[0],
                                                "`, found ", list.length));
  }
  if (!list.known) return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(shape.rank())));
  PartialShape out = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t multiple = (*list.known)[static_cast<size_t>(axis)];
    if (multiple < 0)
      return WithConstraint(
          "C2", InvalidArgument("multiple ", axis, ": expected at least 0, found ", multiple));
    if (multiple == 0) out = out.WithDim(axis, 0);
    if (multiple == 0 || shape.dim(axis) == kUnknownDim) continue;
    // C3: the result has at most 2^31 elements.
    auto size = CheckedMultiply(shape.dim(axis), multiple);
    if (!size)
      return WithConstraint(
          "C3", ResourceExhausted("dimension ", axis, ": the size ", shape.dim(axis),
                                  " times the multiple ", multiple, " exceeds the range of int64"));
    out = out.WithDim(axis, *size);
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(out)));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

std::optional<int64_t> ConstantValue(const OpBuilder& build, const GraphValue& number) {
  const Tensor* known = build.LookupConstant(number.components[0]);
  if (known == nullptr) return std::nullopt;
  return known->scalar<int64_t>();
}

// Returns the multiple of each dimension, of type int64[].
StatusOr<std::vector<GraphValue>> MultiplesOf(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs, int rank) {
  SIGNET_ASSIGN_OR_RETURN(IntList list,
                          WithConstraint("C1", RequiredIntList(call, "multiples", 1)));
  // C2: there is one multiple per dimension, and each is at least 0.
  if (list.length >= 0 && list.length != rank) {
    return WithConstraint(
        "C2", InvalidArgument("`multiples`: expected ", rank, " elements, one per dimension of `",
                              call.inputs[0], "`, found ", list.length));
  }
  GraphValue given;
  if (!list.known) {
    const int64_t shape[] = {rank};
    SIGNET_ASSIGN_OR_RETURN(
        given, build.Cast(build.Reshape(inputs[1], {.shape = shape}), {.dtype = DType::kInt64}));
  }
  std::vector<GraphValue> multiples;
  for (int axis = 0; axis < rank; ++axis) {
    GraphValue multiple;
    if (list.known) {
      multiple = Int64Constant(build, (*list.known)[static_cast<size_t>(axis)]);
    } else {
      SIGNET_ASSIGN_OR_RETURN(multiple, build.Gather(given, Int64Constant(build, axis)));
    }
    auto known = ConstantValue(build, multiple);
    if (known && *known < 0) {
      return WithConstraint(
          "C2", InvalidArgument("multiple ", axis, ": expected at least 0, found ", *known));
    }
    multiples.push_back(std::move(multiple));
  }
  return multiples;
}

// Tiles the dense dimensions of a ragged value, which follow its row partitions.
StatusOr<GraphValue> TileInner(OpBuilder& build, const GraphValue& x,
                               std::span<const GraphValue> multiples) {
  RaggedParts parts = RaggedPartsOf(x);
  size_t inner = parts.splits.size() + 1;
  std::vector<GraphValue> own = {Int64Constant(build, 1)};
  own.insert(own.end(), multiples.begin() + static_cast<int64_t>(inner), multiples.end());
  bool all_one = std::all_of(own.begin(), own.end(), [&](const GraphValue& multiple) {
    return ConstantValue(build, multiple) == 1;
  });
  if (all_one) return x;
  SIGNET_ASSIGN_OR_RETURN(parts.values, build.Tile(parts.values, build.Stack(own)));
  return MakeRaggedValue(parts, *x.spec.shape());
}

// Tiles dimension `axis` of a structure or of the row partitions of a ragged value. Each row is
// repeated as a whole.
StatusOr<GraphValue> TileRows(OpBuilder& build, const GraphValue& x, int axis,
                              const GraphValue& multiple) {
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, x, axis + 1));
  SIGNET_ASSIGN_OR_RETURN(auto tiled, build.TileRows(SplitsOf(build, opened.rows, axis), multiple));
  RowDim& dim = opened.rows.dims.back();
  RowDim repeated = RaggedDim(tiled[0]);
  if (dim.is_uniform()) {
    auto length = ConstantValue(build, dim.length);
    auto times = ConstantValue(build, multiple);
    auto product = length && times ? CheckedMultiply(*length, *times) : std::nullopt;
    if (product) {
      repeated = UniformDim(build, *product);
    } else {
      SIGNET_ASSIGN_OR_RETURN(GraphValue longer, build.Mul(dim.length, multiple));
      repeated = UniformDim(std::move(longer));
    }
    if (dim.splits.spec) repeated.splits = tiled[0];
  }
  dim = std::move(repeated);
  SIGNET_ASSIGN_OR_RETURN(GraphValue elements, TakeRows(build, opened.elements, tiled[1]));
  return CloseRows(build, opened.rows, elements, x.spec);
}

StatusOr<std::vector<GraphValue>> ExpandTile(OpBuilder& build, const OpCall& call,
                                             std::span<const GraphValue> inputs) {
  std::vector<GraphValue> given(inputs.begin(), inputs.end());
  given[0] = DenseForm(inputs[0]);
  GraphValue x = given[0];
  bool composite = x.spec && (x.spec.is(TypeKind::kRagged) || x.spec.is(TypeKind::kStructured));
  if (!composite) return ExpandWithInt64Lists(build, call, given);
  if (!x.spec.shape()->has_rank()) {
    return WithConstraint(
        "C1", Unimplemented("input 0: expected a value of known rank, found `", x.spec, "`"));
  }
  int rank = x.spec.shape()->rank();
  std::vector<TypeSpec> types = {x.spec};
  std::vector<const Tensor*> known = {nullptr};
  if (given.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(given[1], TensorFor(build, given[1], DType::kInt64));
    types.push_back(given[1].spec);
    bool tensor = given[1].spec && given[1].spec.is(TypeKind::kTensor);
    known.push_back(tensor ? build.LookupConstant(given[1].components[0]) : nullptr);
  }
  SIGNET_ASSIGN_OR_RETURN(
      auto multiples, MultiplesOf(build, {call.op, types, call.attributes, known}, given, rank));
  int axis = rank - 1;
  if (const auto* ragged = x.spec.As<RaggedSpec>()) {
    SIGNET_ASSIGN_OR_RETURN(x, TileInner(build, x, multiples));
    axis = std::min(axis, ragged->ragged_rank());
  }
  for (; axis >= 0; --axis) {
    const GraphValue& multiple = multiples[static_cast<size_t>(axis)];
    if (ConstantValue(build, multiple) == 1) continue;
    SIGNET_ASSIGN_OR_RETURN(x, TileRows(build, x, axis, multiple));
  }
  return std::vector<GraphValue>{std::move(x)};
}

}  // namespace

OpDef Tile() {
  return {
      .name = "tile",
      .summary = "Repeats a value along its dimensions",
      .description =
          "Repeats x along each dimension as often as `multiples` states. The multiples are an "
          "attribute, or a vector of integers.",
      .inputs = {"x", "multiples?"},
      .attributes = {{"multiples", NoneAttribute()}},
      .result = "A value of the dtype and rank of x.",
      .constraints = {"The input is a tensor, a ragged value, a sparse value, or a structure. The "
                      "multiples are given once: as an attribute or as a vector of integers.",
                      "There is one multiple per dimension, and each is at least 0.",
                      "The result has at most 2^31 elements."},
      .composites =
          "The rows of ragged values and structures are repeated as a whole. On a sparse value, "
          "the multiples are known.",
      .infer = InferTile,
      .expand = ExpandTile,
      .expand_sparse = ExpandSparseTile,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
