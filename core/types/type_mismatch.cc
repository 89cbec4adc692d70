#include "core/types/type_mismatch.h"

#include <utility>

#include <absl/strings/cord.h>

namespace signet {
namespace {

constexpr char kTypes[] = "signet/types";
constexpr char kSeparator = '\n';  // not in the notation of a tensor type

}  // namespace

Status WithTypes(const TypeSpec& expected, const TypeSpec& found, Status status) {
  if (status.ok() || !expected.is(TypeKind::kTensor) || !found.is(TypeKind::kTensor)) return status;
  status.SetPayload(kTypes, absl::Cord(Cat(expected.ToString(), kSeparator, found.ToString())));
  return status;
}

std::optional<TypeMismatch> TypesOf(const Status& status) {
  const auto payload = status.GetPayload(kTypes);
  if (!payload) return std::nullopt;
  const std::string text(*payload);
  const size_t end = text.find(kSeparator);
  return TypeMismatch{.expected = text.substr(0, end), .found = text.substr(end + 1)};
}

}  // namespace signet
