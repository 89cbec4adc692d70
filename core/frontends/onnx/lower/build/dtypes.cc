#include "core/frontends/onnx/lower/build/dtypes.h"

#include <iterator>

namespace signet {
namespace {

constexpr NarrowType kNarrowTypes[] = {
    {17, DType::kFloat16, 8, "float8_e4m3fn"},
    {18, DType::kFloat16, 8, "float8_e4m3fnuz"},
    {19, DType::kFloat16, 8, "float8_e5m2"},
    {20, DType::kFloat16, 8, "float8_e5m2fnuz"},
    {21, DType::kUInt8, 4},
    {22, DType::kInt8, 4},
    {23, DType::kFloat16, 4, "float4_e2m1fn"},
    {24, DType::kFloat32, 8, "float8_e8m0fnu"},
    {25, DType::kUInt8, 2},
    {26, DType::kInt8, 2},
};

}  // namespace

const NarrowType* LookupNarrowType(int64_t data_type) {
  for (const NarrowType& type : kNarrowTypes) {
    if (type.data_type == data_type) return &type;
  }
  return nullptr;
}

std::optional<DType> DTypeFromOnnx(int64_t data_type) {
  // In the order of the standard, beginning with FLOAT = 1.
  constexpr DType kInOrder[] = {
      DType::kFloat32, DType::kUInt8,     DType::kInt8,       DType::kUInt16,
      DType::kInt16,   DType::kInt32,     DType::kInt64,      DType::kString,
      DType::kBool,    DType::kFloat16,   DType::kFloat64,    DType::kUInt32,
      DType::kUInt64,  DType::kComplex64, DType::kComplex128, DType::kBFloat16};
  if (const NarrowType* narrow = LookupNarrowType(data_type)) return narrow->held_in;
  if (data_type < 1 || data_type > static_cast<int64_t>(std::size(kInOrder))) return std::nullopt;
  return kInOrder[data_type - 1];
}

StatusOr<DType> OnnxDTypeAttribute(int64_t data_type, std::string_view name) {
  if (auto dtype = DTypeFromOnnx(data_type)) return *dtype;
  return Unimplemented("`", name,
                       "`: expected bool, integers of 2 to 64 bits, floats of 4 to 64 "
                       "bits, complex numbers, or strings, found ONNX type ",
                       data_type);
}

}  // namespace signet
