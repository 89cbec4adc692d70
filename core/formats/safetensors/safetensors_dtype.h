// SafetensorsDType: the names of dtypes in safetensors files: `F32`, `BF16`, `I64`, `BOOL`. String
// and complex dtypes have no name.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "signet/dtype.h"

namespace signet {

inline constexpr std::pair<DType, std::string_view> kSafetensorsDTypes[] = {
    {DType::kBool, "BOOL"},   {DType::kInt8, "I8"},       {DType::kInt16, "I16"},
    {DType::kInt32, "I32"},   {DType::kInt64, "I64"},     {DType::kUInt8, "U8"},
    {DType::kUInt16, "U16"},  {DType::kUInt32, "U32"},    {DType::kUInt64, "U64"},
    {DType::kFloat16, "F16"}, {DType::kBFloat16, "BF16"}, {DType::kFloat32, "F32"},
    {DType::kFloat64, "F64"},
};

inline std::optional<DType> DTypeFromSafetensors(std::string_view name) {
  for (const auto& [dtype, written] : kSafetensorsDTypes) {
    if (written == name) return dtype;
  }
  return std::nullopt;
}

inline std::string_view SafetensorsNameOf(DType dtype) {  // empty if there is none
  for (const auto& [known, written] : kSafetensorsDTypes) {
    if (known == dtype) return written;
  }
  return "";
}

inline std::string ListSafetensorsDTypes() {
  std::string out;
  for (const auto& [dtype, written] : kSafetensorsDTypes) {
    if (!out.empty()) out.append(", ");
    out.append(written);
  }
  return out;
}

}  // namespace signet
