#include "core/ops/build/mean_of_nothing.h"

#include "core/function/cast.h"
#include "core/ops/def/inference.h"

namespace signet {

StatusOr<Tensor> MeanOfNothing(const Attributes& attributes, DType dtype) {
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
