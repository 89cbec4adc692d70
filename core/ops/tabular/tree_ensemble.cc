// tree_ensemble: sums of what the leaves of decision trees hold. The constraints are those of
// docs/reference/ops/tabular.md.
//
//   x[0] <= 2.5 ? 10 : 20
//   nodes       [[1, 0, 1, 2, 0],     1: `<=`; column 0; then row 1, else row 2; NaN: else
//                [0, 0, 0, 1, 0],     0: a leaf; its weights are [0, 1)
//                [0, 0, 1, 2, 0]]
//   thresholds  [2.5, 0, 0]   roots [0]   targets [0, 0]   weights [10, 20]

#include "core/ops/def/inference.h"
#include "core/ops/tabular/tabular_ops.h"

namespace signet {
namespace {

bool HasShape(const TensorSpec& spec, DType dtype, const PartialShape& shape) {
  return spec.dtype() == dtype && spec.shape().IsCompatibleWith(shape);
}

StatusOr<std::vector<TypeSpec>> InferTreeEnsemble(const OpCall& call) {
  // C1: the input is a matrix of float32 or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  DType dtype = x->dtype();
  bool is_matrix = x->shape().IsCompatibleWith(PartialShape::OfRank(2));
  if ((dtype != DType::kFloat32 && dtype != DType::kFloat64) || !is_matrix) {
    return InvalidArgument("C1 input 0 is `", call.inputs[0],
                           "`; takes a matrix of float32 or float64");
  }
  // C2: the trees are as below; thresholds, weights and base have the dtype of x.
  SIGNET_ASSIGN_OR_RETURN(int64_t targets, Labelled("C3", call.attributes.Int("num_targets")));
  struct Wanted {
    DType dtype;
    PartialShape shape;
  };
  const Wanted wanted[] = {
      {DType::kInt64, PartialShape({kUnknownDim, 5})},
      {dtype, PartialShape::OfRank(1)},
      {DType::kInt64, PartialShape::OfRank(1)},
      {DType::kInt64, PartialShape::OfRank(1)},
      {dtype, PartialShape::OfRank(1)},
      {dtype, PartialShape({targets})},
  };
  for (size_t i = 0; i < std::size(wanted); ++i) {
    if (i == 5 && !HasInput(call, 6)) break;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* spec, TensorInput(call, i + 1));
    if (!HasShape(*spec, wanted[i].dtype, wanted[i].shape)) {
      return InvalidArgument("C2 input ", i + 1, " is `", call.inputs[i + 1], "`; takes `",
                             TensorType(wanted[i].dtype, wanted[i].shape), "`");
    }
  }
  // C3: `num_targets` is 1 to 65536; `aggregate` is sum, average, min or max.
  if (targets < 1 || targets > 65536) {
    return InvalidArgument("C3 num_targets is ", targets, "; takes 1 to 65536");
  }
  SIGNET_ASSIGN_OR_RETURN(auto aggregate, Labelled("C3", call.attributes.String("aggregate")));
  if (aggregate != "sum" && aggregate != "average" && aggregate != "min" && aggregate != "max") {
    return InvalidArgument("C3 aggregate is `", Printable(aggregate),
                           "`; takes sum, average, min or max");
  }
  int64_t rows = x->shape().has_rank() ? x->shape().dim(0) : kUnknownDim;
  return OneOutput(TensorType(dtype, PartialShape({rows, targets})));
}

}  // namespace

OpDef TreeEnsemble() {
  return {
      .name = "tree_ensemble",
      .summary = "Adds up what the leaves of decision trees hold that each row comes to",
      .inputs = {"x", "nodes", "thresholds", "roots", "targets", "weights", "base?"},
      .attributes = {{"num_targets", AttributeOf(1)}, {"aggregate", AttributeOf("sum")}},
      .infer = InferTreeEnsemble,
      .own_dtypes = {"nodes", "roots", "targets"},
  };
}

}  // namespace signet
