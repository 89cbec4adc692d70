// cross: combines the features of each row into crossed features.
//
//   cross([["a", "b"], []], [[1, 2], [3]])  =>  [["a_X_1", "a_X_2", "b_X_1", "b_X_2"], []]

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/literal_dtype.h"
#include "core/ops/ragged/ragged_ops.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferCrossRows(const OpCall& call) {
  if (call.inputs.empty())
    return WithConstraint("C1", InvalidArgument("expected at least one input, found none"));
  int64_t rows = kUnknownDim;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, i));
    // C2: All inputs have the same number of rows.
    int64_t known = KnownRows(*splits);
    if (rows != kUnknownDim && known != kUnknownDim && rows != known) {
      return WithConstraint(
          "C2", InvalidArgument("expected the same number of rows, found ", rows, " and ", known));
    }
    if (rows == kUnknownDim) rows = known;
  }
  std::vector<TypeSpec> out = OneOutput(TensorType(DType::kInt64, {SplitsFor(rows)}));
  out.resize(1 + call.inputs.size(), TensorType(DType::kInt64, {kUnknownDim}));
  return out;
}

// Returns the stored values of each row of a sparse matrix, and their row splits.
StatusOr<RaggedParts> StoredValues(OpBuilder& build, const GraphValue& x) {
  GraphValue first = Int64Constant(build, 0);
  SIGNET_ASSIGN_OR_RETURN(GraphValue ids, build.Gather(ComponentOf(x, 0), first, {.axis = 1}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          build.RowSplitsFromRowIds(ids, build.Gather(ComponentOf(x, 2), first)));
  return RaggedParts{ComponentOf(x, 1), {splits}};
}

// Returns the features of all rows as text, and their row splits.
StatusOr<RaggedParts> FeaturesOf(OpBuilder& build, const OpCall& call, size_t i,
                                 const GraphValue& x) {
  // C1: each input is a tensor, a ragged value, or a sparse value, of rank 2.
  const PartialShape* shape = x.spec ? x.spec.shape() : nullptr;
  bool fits = shape != nullptr && shape->has_rank() && shape->rank() == 2 &&
              (x.spec.is(TypeKind::kTensor) || x.spec.is(TypeKind::kRagged) ||
               x.spec.is(TypeKind::kSparse));
  if (!fits) {
    return WithConstraint(
        "C1",
        InvalidArgument("input ", i,
                        ": expected a tensor, a ragged value, or a sparse value of rank 2, found `",
                        x.spec ? x.spec.ToString() : "None", "`"));
  }
  RaggedParts parts;
  if (x.spec.is(TypeKind::kSparse)) {
    SIGNET_ASSIGN_OR_RETURN(parts, StoredValues(build, x));
  } else {
    SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenToTensor(build, x, 2));
    parts.values = opened.elements;
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(build, opened.rows, 1));
    parts.splits.push_back(std::move(splits));
  }
  // C2: the features are strings or integers.
  DType dtype = parts.values.spec.As<TensorSpec>()->dtype();
  if (dtype == DType::kString) return parts;
  if (!IsInteger(dtype)) {
    return WithConstraint("C2",
                          InvalidArgument("input ", i, ": expected strings or integers, found `",
                                          call.inputs[i], "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(parts.values, build.NumberToString(parts.values));
  return parts;
}

StatusOr<std::vector<GraphValue>> ExpandCross(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  if (inputs.empty())
    return WithConstraint("C1", InvalidArgument("expected at least one input, found none"));
  // C3: `separator` is text, and `num_buckets` is None or at least 1.
  SIGNET_ASSIGN_OR_RETURN(std::string separator,
                          WithConstraint("C3", call.attributes.String("separator")));
  SIGNET_ASSIGN_OR_RETURN(auto buckets,
                          WithConstraint("C3", call.attributes.OptionalInt("num_buckets")));
  if (buckets && *buckets < 1) {
    return WithConstraint("C3",
                          InvalidArgument("num_buckets: expected at least 1, found ", *buckets));
  }
  std::vector<GraphValue> features;
  std::vector<GraphValue> splits;
  for (size_t i = 0; i < inputs.size(); ++i) {
    GraphValue rows = inputs[i];
    if (IsPlainLiteral(rows)) {
      SIGNET_ASSIGN_OR_RETURN(rows,
                              WithConstraint("C1", RowsFor(build, rows, DefaultDType(rows.spec))));
    }
    SIGNET_ASSIGN_OR_RETURN(RaggedParts parts, FeaturesOf(build, call, i, rows));
    features.push_back(std::move(parts.values));
    splits.push_back(std::move(parts.splits[0]));
  }
  SIGNET_ASSIGN_OR_RETURN(auto crossed, WithConstraint("C4", build.CrossRows(splits)));
  GraphValue text;
  for (size_t i = 0; i < features.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue part, build.Gather(features[i], crossed[i + 1]));
    if (i > 0) {
      SIGNET_ASSIGN_OR_RETURN(part, build.StringConcat(text, part, {.separator = separator}));
    }
    text = std::move(part);
  }
  if (buckets) {
    SIGNET_ASSIGN_OR_RETURN(text, build.StringHashBucket(text, {.num_buckets = *buckets}));
  }
  return OneOutput(MakeRaggedValue({text, {crossed[0]}}));
}

}  // namespace

std::vector<OpDef> CrossOps() {
  return {
      {.name = "cross",
       .summary = "Combines the features of each row in all ways",
       .description = "Returns, for each row, all combinations of the features of the inputs, "
                      "joined as text with `separator`. The features of the last input change "
                      "first. Integers are written as decimal numbers. With `num_buckets`, the "
                      "result is the bucket of each text, as `string_hash_bucket` computes it.",
       .inputs = {"features..."},
       .attributes = {{"num_buckets", NoneAttribute()}, {"separator", AttributeOf("_X_")}},
       .result = "A ragged value with one row per row of the inputs: string, or int64 with "
                 "`num_buckets`.",
       .constraints = {"Each input has rows of features: a tensor, a ragged value, or a sparse "
                       "value, of rank 2. Of a sparse value, the stored values are used.",
                       "The features are strings or integers.",
                       "`separator` is a string, and `num_buckets` is None or at least 1.",
                       "All inputs have the same number of rows."},
       .composites = "The inputs may be ragged or sparse.",
       .expand = ExpandCross,
       .literals_as_tensors = false},
      {
          .name = "cross_rows",
          .summary =
              "Returns the row splits of the combinations of rows, and positions in each input",
          .inputs = {"row_splits..."},
          .outputs = {"row_splits", "positions..."},
          .constraints = {"There is at least one input, and each is row splits.",
                          "All inputs have the same number of rows.",
                          "There are at most 2^31 combinations."},
          .infer = InferCrossRows,
          .internal = true,
      },
  };
}

}  // namespace signet
