// parse_examples: reads the features of serialized tensorflow.Example messages.

#include "core/ops/tabular/feature_types.h"
#include "core/ops/tabular/tabular_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferParseExamples(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(FeatureTypes features, FeatureTypesOf(call));
  std::vector<TypeSpec> out;
  for (DType dtype : features.dtypes) {
    out.push_back(TensorType(dtype, {kUnknownDim}));
    out.push_back(features.RowSplits());
    out.push_back(TensorType(DType::kBool, {features.rows}));
  }
  return out;
}

}  // namespace

OpDef ParseExamples() {
  return {
      .name = "parse_examples",
      .summary = "Reads the features of serialized tensorflow.Example messages",
      .description =
          "Each string is one message. The values of a feature are rows, one per message. A "
          "message "
          "without the feature, or whose feature has no list, has an empty row. Of two features "
          "with the same name, the last one is read. Other features are skipped. A feature with "
          "another kind of list, and bytes that are not a message, are errors that name the row.",
      .inputs = {"serialized"},
      .attributes = {{"features"}, {"dtypes"}},
      .outputs = {"values..."},
      .result =
          "Three outputs per feature: all values, the row splits, and whether each message "
          "has the feature.",
      .constraints = {"The input is a vector of strings.",
                      "There is one dtype per name of a feature: int64, float32, or string.",
                      "Each string is a message whose features have the stated dtypes."},
      .infer = InferParseExamples,
  };
}

}  // namespace signet
