// parse_feature_lists: reads the feature lists of serialized tensorflow.SequenceExample messages.

#include "core/ops/def/inference.h"
#include "core/ops/tabular/tabular_ops.h"

namespace signet {
namespace {

constexpr size_t kMaxFeatureLists = 4096;

StatusOr<std::vector<TypeSpec>> InferParseFeatureLists(const OpCall& call) {
  // C1: the input is a vector of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  if (x->dtype() != DType::kString || (shape.has_rank() && shape.rank() != 1)) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected `string[?]`, found `", call.inputs[0], "`"));
  }
  // C2: there are as many dtypes as names, and each is int64, float32, or string.
  SIGNET_ASSIGN_OR_RETURN(auto names, WithConstraint("C2", call.attributes.Strings("features")));
  SIGNET_ASSIGN_OR_RETURN(auto dtypes, WithConstraint("C2", call.attributes.Strings("dtypes")));
  if (names.size() != dtypes.size() || names.size() > kMaxFeatureLists) {
    return WithConstraint(
        "C2", InvalidArgument("expected one dtype per feature, at most ", kMaxFeatureLists,
                              ", found ", dtypes.size(), " for ", names.size()));
  }
  const int64_t rows = shape.has_rank() ? shape.dim(0) : kUnknownDim;
  std::vector<TypeSpec> out;
  for (const std::string& name : dtypes) {
    const DType dtype = name == "int64"     ? DType::kInt64
                        : name == "float32" ? DType::kFloat32
                                            : DType::kString;
    if (NameOf(dtype) != name) {
      return WithConstraint("C2", InvalidArgument("unsupported dtype `", Printable(name),
                                                  "`; supported: float32, int64, string"));
    }
    out.push_back(TensorType(dtype, {kUnknownDim}));
    out.push_back(TensorType(DType::kInt64, {kUnknownDim}));
    out.push_back(TensorType(DType::kInt64, {rows == kUnknownDim ? kUnknownDim : rows + 1}));
    out.push_back(TensorType(DType::kBool, {rows}));
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
