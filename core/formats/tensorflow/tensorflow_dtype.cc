#include "core/formats/tensorflow/tensorflow_dtype.h"

#include <optional>

namespace signet::tf {
namespace {

using ::tensorflow::DataType;

constexpr int64_t kReference = 100;  // added to the number of the dtype of a variable

struct Pair {
  DataType type;
  DType dtype;
};
constexpr Pair kPairs[] = {
    {::tensorflow::DT_FLOAT, DType::kFloat32},
    {::tensorflow::DT_DOUBLE, DType::kFloat64},
    {::tensorflow::DT_INT32, DType::kInt32},
    {::tensorflow::DT_UINT8, DType::kUInt8},
    {::tensorflow::DT_INT16, DType::kInt16},
    {::tensorflow::DT_INT8, DType::kInt8},
    {::tensorflow::DT_STRING, DType::kString},
    {::tensorflow::DT_COMPLEX64, DType::kComplex64},
    {::tensorflow::DT_INT64, DType::kInt64},
    {::tensorflow::DT_BOOL, DType::kBool},
    {::tensorflow::DT_BFLOAT16, DType::kBFloat16},
    {::tensorflow::DT_UINT16, DType::kUInt16},
    {::tensorflow::DT_COMPLEX128, DType::kComplex128},
    {::tensorflow::DT_HALF, DType::kFloat16},
    {::tensorflow::DT_UINT32, DType::kUInt32},
    {::tensorflow::DT_UINT64, DType::kUInt64},
};
constexpr Pair kQuantized[] = {
    {::tensorflow::DT_QINT8, DType::kInt8},     {::tensorflow::DT_QUINT8, DType::kUInt8},
    {::tensorflow::DT_QINT32, DType::kInt32},   {::tensorflow::DT_QINT16, DType::kInt16},
    {::tensorflow::DT_QUINT16, DType::kUInt16},
};

bool IsDataType(int64_t number) {
  return number > 0 && number <= ::tensorflow::DataType_MAX &&
         ::tensorflow::DataType_IsValid(static_cast<int>(number));
}

template <size_t n>
std::optional<DType> LookupIn(const Pair (&pairs)[n], int64_t number) {
  for (const auto& [type, dtype] : pairs) {
    if (type == number) return dtype;
  }
  return std::nullopt;
}

}  // namespace

StatusOr<DType> DTypeFromNumber(int64_t number) {
  if (auto dtype = LookupIn(kPairs, number)) return *dtype;
  if (IsDataType(number)) return Unimplemented("unsupported dtype `", DataTypeName(number), "`");
  return InvalidArgument("expected the number of a dtype, found ", number);
}

StatusOr<DType> StoredDTypeFromNumber(int64_t number) {
  const bool is_reference = number > kReference && IsDataType(number);
  const int64_t stored = is_reference ? number - kReference : number;
  if (auto dtype = LookupIn(kQuantized, stored)) return *dtype;
  if (auto dtype = LookupIn(kPairs, stored)) return *dtype;
  return DTypeFromNumber(number);
}

DataType DataTypeOf(DType dtype) {
  for (const auto& [type, mapped] : kPairs) {
    if (mapped == dtype) return type;
  }
  return ::tensorflow::DT_INVALID;
}

std::string DataTypeName(int64_t number) {
  if (!IsDataType(number)) return Cat(number);
  return ::tensorflow::DataType_Name(static_cast<DataType>(number));
}

}  // namespace signet::tf
