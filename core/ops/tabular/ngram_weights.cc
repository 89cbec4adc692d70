// ngram_weights: counts or weights the n-grams of a list in each row.
//
//   pool [a, b, a, b], starts [0, 2]: the 1-grams `a` and `b`, the 2-gram `a b`; columns [0, 1, 2]
//   ngram_weights([a, b, b], ..)  =>  [1, 2, 1]

#include "core/ops/def/inference.h"
#include "core/ops/tabular/tabular_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferNgramWeights(const OpCall& call) {
  // C1: the input is a vector or a matrix of string or int64. The pool is a vector of the same
  // dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* pool, TensorInput(call, 1));
  bool is_known = x->dtype() == DType::kString || x->dtype() == DType::kInt64;
  const PartialShape& shape = x->shape();
  bool is_ranked = !shape.has_rank() || shape.rank() == 1 || shape.rank() == 2;
  if (!is_known || !is_ranked || pool->dtype() != x->dtype()) {
    return WithConstraint(
        "C1",
        InvalidArgument(
            "inputs 0 and 1: expected a vector or matrix and a pool, both of string or both of "
            "int64, found `",
            call.inputs[0], "` and `", call.inputs[1], "`"));
  }
  // C2: the starts and columns are vectors of int64, and the weights are a vector of float32.
  constexpr DType kDTypes[] = {DType::kInt64, DType::kInt64, DType::kFloat32};
  for (size_t i = 2; i < 5; ++i) {
    if (i == 4 && !HasInput(call, 4)) break;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* list, TensorInput(call, i));
    if (list->dtype() != kDTypes[i - 2] ||
        !list->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
      return WithConstraint(
          "C2", InvalidArgument("input ", i, ": expected `",
                                TensorType(kDTypes[i - 2], PartialShape::OfRank(1)), "`, found `",
                                call.inputs[i], "`"));
    }
  }
  // C3: `mode` is tf, idf, or tfidf. The lengths are 1 to 64, and the smallest is at most the
  // largest. At most 64 words are skipped.
  const Attributes& attributes = call.attributes;
  SIGNET_ASSIGN_OR_RETURN(std::string mode, WithConstraint("C3", attributes.String("mode")));
  SIGNET_ASSIGN_OR_RETURN(int64_t least, WithConstraint("C3", attributes.Int("min_length")));
  SIGNET_ASSIGN_OR_RETURN(int64_t most, WithConstraint("C3", attributes.Int("max_length")));
  SIGNET_ASSIGN_OR_RETURN(int64_t skips, WithConstraint("C3", attributes.Int("max_skips")));
  if (mode != "tf" && mode != "idf" && mode != "tfidf") {
    return WithConstraint("C3", InvalidArgument("unsupported mode `", Printable(mode),
                                                "`; supported: idf, tf, tfidf"));
  }
  if (least < 1 || most < least || most > 64 || skips < 0 || skips > 64) {
    return WithConstraint(
        "C3",
        InvalidArgument("expected lengths from 1 to 64 in order and 0 to 64 skips, found lengths ",
                        least, " to ", most, " and ", skips, " skips"));
  }
  // C4: `num_columns` is 0 to 2^24.
  SIGNET_ASSIGN_OR_RETURN(int64_t columns, WithConstraint("C4", attributes.Int("num_columns")));
  if (columns < 0 || columns > (int64_t{1} << 24)) {
    return WithConstraint("C4",
                          InvalidArgument("num_columns: expected 0 to 16777216, found ", columns));
  }
  if (!shape.has_rank()) return OneOutput(TensorType(DType::kFloat32, PartialShape()));
  PartialShape out = shape.Slice(0, shape.rank() - 1).Concatenate({columns});
  return OneOutput(TensorType(DType::kFloat32, std::move(out)));
}

}  // namespace

OpDef NgramWeights() {
  return {
      .name = "ngram_weights",
      .summary = "Counts the n-grams of a list in each row",
      .description =
          "Counts, for each row of x, how often each n-gram of a list occurs. The `pool` contains "
          "the words of all 1-grams, then the words of all 2-grams, and so on; `starts` states "
          "where the n-grams of each length begin. The k-th n-gram is counted in column "
          "`columns[k]`. The words of an n-gram are next to each other in the row, or at the same "
          "distance from each other, up to `max_skips` + 1. The `mode` is `tf` (counts), `idf` "
          "(the weight of the column if the n-gram occurs, otherwise 0), or `tfidf` (counts times "
          "weights).",
      .inputs = {"x", "pool", "starts", "columns", "weights?"},
      .attributes = {{"num_columns"},
                     {"mode", AttributeOf("tf")},
                     {"min_length", AttributeOf(1)},
                     {"max_length", AttributeOf(1)},
                     {"max_skips", AttributeOf(0)}},
      .result = "float32, with one column per `num_columns` and one row per row of x.",
      .constraints =
          {"x is a vector or a matrix, and the pool is a vector, both of string or both of int64.",
           "The starts and the columns are vectors of int64, and the weights are a vector of "
           "float32.",
           "`mode` is `tf`, `idf`, or `tfidf`. `min_length` and `max_length` are 1 to 64 and in "
           "order. `max_skips` is 0 to 64.",
           "`num_columns` is 0 to 2^24.",
           "The starts do not decrease and are positions in the pool. The words of each length "
           "form whole n-grams, and each n-gram has a column."},
      .infer = InferNgramWeights,
      .own_dtypes = {"starts", "columns", "weights"},
  };
}

}  // namespace signet
