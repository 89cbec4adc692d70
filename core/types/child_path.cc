#include "core/types/child_path.h"

#include "core/types/identifier.h"
#include "signet/extension_spec.h"
#include "signet/structured_spec.h"

namespace signet {

std::span<const std::string> ChildNames(const TypeSpec& spec) {
  switch (spec.kind()) {
    case TypeKind::kDict:
      return spec.As<DictSpec>()->keys();
    case TypeKind::kNamedTuple:
      return spec.As<NamedTupleSpec>()->field_names();
    case TypeKind::kExtension:
      return spec.As<ExtensionSpec>()->component_names();
    case TypeKind::kStructured:
      return spec.As<StructuredSpec>()->field_names();
    case TypeKind::kTensor:
    case TypeKind::kRagged:
    case TypeKind::kSparse:
    case TypeKind::kLiteral:
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kAny:
      return {};
  }
  __builtin_unreachable();
}

std::string ChildStep(const TypeSpec& spec, size_t i) {
  auto names = ChildNames(spec);
  return names.empty() ? Cat("[", i, "]") : names[i];
}

std::string ChildPath(std::string_view path, const TypeSpec& spec, size_t i) {
  auto names = ChildNames(spec);
  return names.empty() ? Cat(path, "[", i, "]") : JoinPath(path, names[i]);
}

std::string BriefOf(const TypeSpec& spec) {
  constexpr size_t kMaxBrief = 100;
  std::string text = spec.ToString();
  if (text.size() <= kMaxBrief) return text;
  size_t cut = text.find_last_of(" ,", kMaxBrief - 2);  // not inside a character
  return cut == text.npos ? Printable(text) : text.substr(0, cut) + "..";
}

}  // namespace signet
