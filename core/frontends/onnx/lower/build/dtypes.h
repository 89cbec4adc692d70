// Dtypes by the numbers of ONNX: TensorProto.DataType, as attributes and messages have them.
//
// Of the standard's types some are narrower than any dtype. Their elements are held in a dtype that
// has all their values: int8 or uint8 for integers of 2 and 4 bits, float16 for floats of 4 and 8,
// float32 for float8e8m0. What makes such elements rounds to their values (Cast, CastLike,
// QuantizeLinear); all others take and give the wider dtype.

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
const NarrowType* LookupNarrowType(int64_t data_type);  // null: not one of them
// The number itself, of one of them; else 0.
inline int NarrowTypeOf(int64_t data_type) {
  return LookupNarrowType(data_type) == nullptr ? 0 : static_cast<int>(data_type);
}

// The dtype, or that which narrow elements are held in; empty for what there is none for.
std::optional<DType> DTypeFromOnnx(int64_t data_type);
// The same of attribute `name`; UNIMPLEMENTED for one that there is no dtype for.
StatusOr<DType> OnnxDTypeAttribute(int64_t data_type, std::string_view name);

}  // namespace signet
