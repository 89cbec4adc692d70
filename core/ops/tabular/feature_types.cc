#include "core/ops/tabular/feature_types.h"

namespace signet {
namespace {

constexpr size_t kMaxFeatures = 4096;

}  // namespace

StatusOr<FeatureTypes> FeatureTypesOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  if (x->dtype() != DType::kString || (shape.has_rank() && shape.rank() != 1)) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected `string[?]`, found `", call.inputs[0], "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(auto names, WithConstraint("C2", call.attributes.Strings("features")));
  SIGNET_ASSIGN_OR_RETURN(auto dtypes, WithConstraint("C2", call.attributes.Strings("dtypes")));
  if (names.size() != dtypes.size() || names.size() > kMaxFeatures) {
    return WithConstraint(
        "C2", InvalidArgument("expected one dtype per feature, at most ", kMaxFeatures, ", found ",
                              dtypes.size(), " for ", names.size()));
  }
  FeatureTypes out;
  if (shape.has_rank()) out.rows = shape.dim(0);
  for (const std::string& name : dtypes) {
    const DType dtype = name == "int64"     ? DType::kInt64
                        : name == "float32" ? DType::kFloat32
                                            : DType::kString;
    if (NameOf(dtype) != name) {
      return WithConstraint("C2", InvalidArgument("unsupported dtype `", Printable(name),
                                                  "`; supported: float32, int64, string"));
    }
    out.dtypes.push_back(dtype);
  }
  return out;
}

}  // namespace signet
