#include "core/ops/build/default_for_empty.h"

#include "core/function/cast.h"
#include "core/ops/def/inference.h"
#include "signet/extension_spec.h"

namespace signet {

bool HasDefaultForEmpty(std::string_view op) {
  return op.ends_with("_mean") || op.ends_with("_max") || op.ends_with("_min");
}

StatusOr<Tensor> DefaultForEmpty(const Attributes& attributes, DType dtype) {
  TypeSpec written = attributes.Lookup("default");
  if (!written || IsNone(attributes, "default")) return Tensor();
  // Attributes may also be types, such as `float32[]`.
  StatusOr<Value> number = InvalidArgument("not a number");
  if (IsStatic(written) && IsNumeric(dtype)) {
    number = CastTo(Value::Trusted(written, {}), TensorType(dtype, Shape{}));
  }
  if (!number.ok()) {
    return InvalidArgument("`default`: expected None or a number that `", NameOf(dtype),
                           "` can hold, found `", written, "`");
  }
  return number->components()[0];
}

}  // namespace signet
