// tree_ensemble: evaluates decision trees and combines the entries of their leaves.
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
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a matrix of float32 or float64, found `",
                              call.inputs[0], "`"));
  }
  // C2: the inputs of the trees have the types in `wanted`; the thresholds, weights, and base have
  // the dtype of x.
  SIGNET_ASSIGN_OR_RETURN(int64_t targets,
                          WithConstraint("C3", call.attributes.Int("num_targets")));
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
      return WithConstraint("C2", InvalidArgument("input ", i + 1, ": expected `",
                                                  TensorType(wanted[i].dtype, wanted[i].shape),
                                                  "`, found `", call.inputs[i + 1], "`"));
    }
  }
  // C3: `num_targets` is 1 to 65536; `aggregate` is sum, average, min or max.
  if (targets < 1 || targets > 65536) {
    return WithConstraint("C3",
                          InvalidArgument("num_targets: expected 1 to 65536, found ", targets));
  }
  SIGNET_ASSIGN_OR_RETURN(auto aggregate,
                          WithConstraint("C3", call.attributes.String("aggregate")));
  if (aggregate != "sum" && aggregate != "average" && aggregate != "min" && aggregate != "max") {
    return WithConstraint("C3", InvalidArgument("unsupported aggregate `", Printable(aggregate),
                                                "`; supported: average, max, min, sum"));
  }
  int64_t rows = x->shape().has_rank() ? x->shape().dim(0) : kUnknownDim;
  return OneOutput(TensorType(dtype, PartialShape({rows, targets})));
}

}  // namespace

OpDef TreeEnsemble() {
  return {
      .name = "tree_ensemble",
      .summary = "Evaluates an ensemble of decision trees",
      .description =
          "Each row of x goes from each root to a leaf. The entries of the leaves are combined per "
          "target by `aggregate`: added, averaged over the trees, or reduced to the smallest or "
          "largest (0 for a target without entries). Then `base` is added. Trees that are captures "
          "are packed once. A node is a row of five numbers: a question about a column of x, the "
          "column, the next node if the answer is yes, the next node if it is no, and 1 if NaN "
          "counts as yes or 0 if it counts as no. The threshold of the node is in `thresholds`. "
          "The questions are 1 (<=), 2 (<), 3 (>=), 4 (>), 5 (==), and 6 (!=). A leaf has the "
          "question 0, and instead of the nodes, the range of its entries in `targets` and "
          "`weights`. Nodes may be shared. For example, the nodes [[1, 0, 1, 2, 0], [0, 0, 0, 1, "
          "0], [0, 0, 1, 2, 0]] with the thresholds [2.5, 0, 0], the roots [0], the targets [0, "
          "0], and the weights [10, 20] return 10 where x[:, 0] <= 2.5, and 20 elsewhere.",
      .inputs = {"x", "nodes", "thresholds", "roots", "targets", "weights", "base?"},
      .attributes = {{"num_targets", AttributeOf(1)}, {"aggregate", AttributeOf("sum")}},
      .result = "A matrix of the dtype of x with one row per row of x and `num_targets` columns.",
      .constraints =
          {"x is a matrix of float32 or float64, with each column that a node uses.",
           "The nodes are `int64[?, 5]`, the roots and targets are vectors of int64, the "
           "thresholds and weights are vectors of the dtype of x, and the base is such a vector "
           "with one element per target.",
           "`num_targets` is 1 to 65536, and `aggregate` is `sum`, `average`, `min`, or `max`.",
           "There is one threshold per node, and one target per weight, less than `num_targets`. "
           "Questions are 0 to 6. The nodes, columns, and entries exist, and no node leads back to "
           "itself. There are at most 2^28 of each (RESOURCE_EXHAUSTED)."},
      .infer = InferTreeEnsemble,
      .own_dtypes = {"nodes", "roots", "targets"},
  };
}

}  // namespace signet
