// DTypeFromOnnx: converts the numbers of ONNX types (TensorProto.DataType) to dtypes.
//
// Some types of the standard are narrower than any dtype. Their elements are stored in a dtype that
// contains all their values: int8 or uint8 for integers of 2 and 4 bits, float16 for floats of 4
// and 8 bits, and float32 for float8e8m0. Operators that convert to such a type (Cast, CastLike,
// QuantizeLinear) round to its values. All other operators use the wider dtype.

#pragma once

#include <optional>

#include "core/values/minifloat.h"
#include "signet/dtype.h"

namespace signet {

struct NarrowType {
  int64_t data_type;  // TensorProto.DataType
  DType held_in;
  int bits;
  std::string_view format = {};  // of floats: MinifloatFormat::name
};
// Returns the narrow type with this number, or null.
const NarrowType* LookupNarrowType(int64_t data_type);
// Returns `data_type` if it is a narrow type, or else 0.
inline int NarrowTypeOf(int64_t data_type) {
  return LookupNarrowType(data_type) == nullptr ? 0 : static_cast<int>(data_type);
}

// Returns the dtype in which elements of this type are stored, or nothing if there is none.
std::optional<DType> DTypeFromOnnx(int64_t data_type);
// Returns the dtype for the value of attribute `name`, or UNIMPLEMENTED if there is none.
StatusOr<DType> OnnxDTypeAttribute(int64_t data_type, std::string_view name);

}  // namespace signet
