// parse_feature_lists: reads the feature lists of serialized tensorflow.SequenceExample messages.

#include "core/ops/tabular/feature_types.h"
#include "core/ops/tabular/tabular_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferParseFeatureLists(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(FeatureTypes features, FeatureTypesOf(call));
  std::vector<TypeSpec> out;
  for (DType dtype : features.dtypes) {
    out.push_back(TensorType(dtype, {kUnknownDim}));
    out.push_back(TensorType(DType::kInt64, {kUnknownDim}));
    out.push_back(features.RowSplits());
    out.push_back(TensorType(DType::kBool, {features.rows}));
  }
  return out;
}

}  // namespace

OpDef ParseFeatureLists() {
  return {
      .name = "parse_feature_lists",
      .summary = "Reads the feature lists of serialized tensorflow.SequenceExample messages",
      .description =
          "Each string is one message. The steps of a feature list are rows of values, and each "
          "message has a row of steps. A message without the list has no steps, and a step whose "
          "feature has no list has no values. Of two lists with the same name, the last one is "
          "read. Other lists, and the context, are skipped. A step with another kind of list, and "
          "bytes that are not a message, are errors that name the row.",
      .inputs = {"serialized"},
      .attributes = {{"features"}, {"dtypes"}},
      .outputs = {"values..."},
      .result =
          "Four outputs per feature: all values, the row splits of the values per step, the row "
          "splits of the steps per message, and whether each message has the list.",
      .constraints = {"The input is a vector of strings.",
                      "There is one dtype per name of a feature: int64, float32, or string.",
                      "Each string is a message whose feature lists have the stated dtypes."},
      .infer = InferParseFeatureLists,
  };
}

}  // namespace signet
