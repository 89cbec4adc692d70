#include "core/ops/onnx/dtypes.h"

#include <iterator>

namespace signet {

std::optional<DType> DTypeFromOnnx(int64_t data_type) {
  // In the order of the standard, from FLOAT = 1 on.
  constexpr DType kInOrder[] = {
      DType::kFloat32, DType::kUInt8,     DType::kInt8,       DType::kUInt16,
      DType::kInt16,   DType::kInt32,     DType::kInt64,      DType::kString,
      DType::kBool,    DType::kFloat16,   DType::kFloat64,    DType::kUInt32,
      DType::kUInt64,  DType::kComplex64, DType::kComplex128, DType::kBFloat16};
  if (data_type < 1 || data_type > static_cast<int64_t>(std::size(kInOrder))) return std::nullopt;
  return kInOrder[data_type - 1];
}

StatusOr<DType> OnnxDTypeAttribute(int64_t data_type, std::string_view name) {
  if (auto dtype = DTypeFromOnnx(data_type)) return *dtype;
  return Unimplemented("`", name, "` is ONNX type ", data_type,
                       "; takes bool, integers of 8 to 64 bits, floats of 16 to 64, complex "
                       "numbers and strings");
}

}  // namespace signet
