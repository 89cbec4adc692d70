#include "core/ops/build/default_for_empty.h"

#include "core/function/cast.h"
#include "core/ops/def/inference.h"

namespace signet {

bool HasDefaultForEmpty(std::string_view op) {
  return op.ends_with("_mean") || op.ends_with("_max") || op.ends_with("_min");
}

StatusOr<Tensor> DefaultForEmpty(const Attributes& attributes, DType dtype) {
  TypeSpec written = attributes.Lookup("default");
  if (!written || IsNone(attributes, "default")) return Tensor();
  auto number = CastTo(Value::Trusted(written, {}), TensorType(dtype, Shape{}));
  if (!number.ok() || !IsNumeric(dtype)) {
    return InvalidArgument("`default`: expected None or a number that `", NameOf(dtype),
                           "` can hold, found `", written, "`");
  }
  return number->components()[0];
}

}  // namespace signet
