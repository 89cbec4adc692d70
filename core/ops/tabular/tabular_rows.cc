// squared_distances, normalize_rows, couple_pairs, vote_pairs: process the rows of tables.

#include <array>

#include "core/ops/def/inference.h"
#include "core/ops/tabular/tabular_ops.h"

namespace signet {
namespace {

// C1: input `i` is a matrix of float32 or float64.
StatusOr<const TensorSpec*> MatrixInput(const OpCall& call, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, i));
  bool is_float = x->dtype() == DType::kFloat32 || x->dtype() == DType::kFloat64;
  if (is_float && x->shape().IsCompatibleWith(PartialShape::OfRank(2))) return x;
  return WithConstraint(
      "C1", InvalidArgument("input ", i, ": expected a matrix of float32 or float64, found `",
                            call.inputs[i], "`"));
}

int64_t DimOf(const TensorSpec& x, int axis) {
  return x.shape().has_rank() ? x.shape().dim(axis) : kUnknownDim;
}

StatusOr<std::vector<TypeSpec>> InferSquaredDistances(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* a, MatrixInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* b, MatrixInput(call, 1));
  // C2: the inputs have the same dtype and the same number of columns.
  int64_t own = DimOf(*a, 1);
  int64_t other = DimOf(*b, 1);
  if (a->dtype() != b->dtype() || (own != other && own != kUnknownDim && other != kUnknownDim)) {
    return WithConstraint(
        "C2",
        InvalidArgument("inputs 0 and 1: expected the same dtype and number of columns, found `",
                        call.inputs[0], "` and `", call.inputs[1], "`"));
  }
  PartialShape shape({DimOf(*a, 0), DimOf(*b, 0)});
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(shape)));
  return OneOutput(TensorType(a->dtype(), std::move(shape)));
}

StatusOr<std::vector<TypeSpec>> InferNormalizeRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, MatrixInput(call, 0));
  // C2: `norm` is max, l1 or l2.
  SIGNET_ASSIGN_OR_RETURN(std::string norm, WithConstraint("C2", call.attributes.String("norm")));
  if (norm != "max" && norm != "l1" && norm != "l2") {
    return WithConstraint(
        "C2", InvalidArgument("unsupported norm `", Printable(norm), "`; supported: l1, l2, max"));
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

// C2: `num_classes` is 2 to 1024, and the input has one column per pair of classes.
StatusOr<int64_t> ClassesOf(const OpCall& call, const TensorSpec& x) {
  SIGNET_ASSIGN_OR_RETURN(int64_t classes,
                          WithConstraint("C2", call.attributes.Int("num_classes")));
  if (classes < 2 || classes > 1024) {
    return WithConstraint("C2",
                          InvalidArgument("num_classes: expected 2 to 1024, found ", classes));
  }
  int64_t pairs = classes * (classes - 1) / 2;
  int64_t columns = DimOf(x, 1);
  if (columns != kUnknownDim && columns != pairs) {
    return WithConstraint(
        "C2", InvalidArgument("input 0: expected ", pairs, " columns, one for each pair of ",
                              classes, " classes, found `", call.inputs[0], "`"));
  }
  return classes;
}

StatusOr<std::vector<TypeSpec>> InferVotePairs(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, MatrixInput(call, 0));
  SIGNET_RETURN_IF_ERROR(ClassesOf(call, *x).status());
  return OneOutput(TensorType(DType::kInt64, PartialShape({DimOf(*x, 0)})));
}

StatusOr<std::vector<TypeSpec>> InferCouplePairs(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, MatrixInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t classes, ClassesOf(call, *x));
  return OneOutput(TensorType(x->dtype(), PartialShape({DimOf(*x, 0), classes})));
}

}  // namespace

OpDef SquaredDistances() {
  return {
      .name = "squared_distances",
      .summary = "Computes the squared distances between rows",
      .description =
          "Computes the sum of the squared differences between each row of a and each row of b.",
      .inputs = {"a", "b"},
      .result = "A matrix `[rows of a, rows of b]` of the same dtype.",
      .constraints = {"The inputs are matrices of float32 or float64.",
                      "Both have the same dtype and the same number of columns.",
                      "The result has at most 2^31 elements."},
      .infer = InferSquaredDistances,
  };
}

OpDef NormalizeRows() {
  return {
      .name = "normalize_rows",
      .summary = "Divides each row by its norm",
      .description =
          "Divides each row by its norm: `max`, its largest element; `l1`, the sum of the "
          "magnitudes; or `l2`, the square root of the sum of squares. A row whose norm is 0 stays "
          "the same.",
      .inputs = {"x"},
      .attributes = {{"norm", AttributeOf("l2")}},
      .result = "A matrix of the type of x.",
      .constraints = {"x is a matrix of float32 or float64.", "`norm` is `max`, `l1`, or `l2`."},
      .infer = InferNormalizeRows,
      .aliasing = Aliasing::kInPlace,
  };
}

OpDef CouplePairs() {
  return {
      .name = "couple_pairs",
      .summary = "Computes class probabilities from probabilities of pairs of classes",
      .description =
          "x has a column per pair of classes (0 and 1, 0 and 2, ..., 1 and 2, ...), with the "
          "probability of the first class of the pair. The probabilities are limited to the range "
          "from 1e-7 to 1 - 1e-7. The op returns the class probabilities that agree best with "
          "them, by the second method of Wu, Lin, and Weng (2004), in at most 100 iterations, "
          "until no class differs by more than 0.005 / num_classes.",
      .inputs = {"x"},
      .attributes = {{"num_classes"}},
      .result = "A matrix of the dtype of x with one column per class.",
      .constraints = {"x is a matrix of float32 or float64.",
                      "`num_classes` is 2 to 1024, and x has one column per pair of classes."},
      .infer = InferCouplePairs,
  };
}

OpDef VotePairs() {
  return {
      .name = "vote_pairs",
      .summary = "Finds the class that wins most pairs of classes",
      .description =
          "x has a column per pair of classes in the order of `couple_pairs`. A number greater "
          "than 0 is a vote for the first class of the pair, and any other number is a vote for "
          "the second. The op returns the class with the most votes, and of equal ones the first. "
          "For example, with 3 classes and the row [0.5, -1, 2], 0 wins against 1, 2 wins against "
          "0, and 1 wins against 2, so the result is 0.",
      .inputs = {"x"},
      .attributes = {{"num_classes"}},
      .result = "A vector of int64.",
      .constraints = {"x is a matrix of float32 or float64.",
                      "`num_classes` is 2 to 1024, and x has one column per pair of classes."},
      .infer = InferVotePairs,
  };
}

}  // namespace signet
