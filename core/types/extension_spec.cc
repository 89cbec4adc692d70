#include "signet/extension_spec.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/types/identifier.h"
#include "core/types/record_parts.h"

namespace signet {

bool IsStatic(const TypeSpec& spec) {
  switch (spec.kind()) {
    case TypeKind::kLiteral:
      return true;
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
      return std::all_of(spec.children().begin(), spec.children().end(), IsStatic);
    case TypeKind::kTensor:
    case TypeKind::kRagged:
    case TypeKind::kSparse:
    case TypeKind::kStructured:
    case TypeKind::kExtension:
    case TypeKind::kAny:
      return false;
  }
  __builtin_unreachable();
}

StatusOr<TypeSpec> MakeExtensionType(std::string name, NamedTypes statics, NamedTypes components) {
  if (!IsTypeName(name)) {
    return InvalidArgument(
        "name of an extension type: expected words joined by dots, such as `project.Type`, found `",
        Printable(name), "`");
  }
  for (const auto* names : {&statics, &components}) {
    for (const auto& [part, type] : *names) {
      if (!IsIdentifier(part)) {
        return InvalidArgument("extension type `", name,
                               "`: expected an identifier as the name of a part, found `",
                               Printable(part), "`");
      }
    }
  }
  for (const auto& [attribute, type] : statics) {
    if (!IsStatic(type)) {
      return InvalidArgument("static attribute `", attribute, "` of `", name,
                             "`: expected a literal or a nest of literals, found `", type, "`");
    }
  }
  // compared as a whole, without notes
  for (auto& [attribute, type] : statics) type = type.plain();
  SIGNET_ASSIGN_OR_RETURN(RecordParts fixed, SplitSorted("static attribute", std::move(statics)));
  SIGNET_ASSIGN_OR_RETURN(RecordParts parts, SplitInOrder("component", std::move(components)));
  return Intern(ExtensionSpec(std::move(name), ZipNames(fixed.names, std::move(fixed.types)),
                              std::move(parts.names), std::move(parts.types)));
}

TypeSpec ExtensionSpec::LookupStatic(std::string_view name) const {
  for (const auto& [attribute, value] : statics_) {
    if (attribute == name) return value;
  }
  return {};
}

uint64_t ExtensionSpec::HashFixed() const {
  uint64_t hash = MixHash(HashBytes(name_), HashNames(component_names_));
  for (const auto& [attribute, value] : statics_) {
    hash = MixHash(MixHash(hash, HashBytes(attribute)), value.fingerprint());
  }
  return hash;
}

bool ExtensionSpec::EqualFixed(const TypeSpecRep& other) const {
  const auto& o = static_cast<const ExtensionSpec&>(other);
  return name_ == o.name_ && statics_ == o.statics_ && component_names_ == o.component_names_;
}

StatusOr<TypeSpec> ExtensionSpec::Rebuild(PartialShape, std::vector<TypeSpec> children) const {
  return MakeExtensionType(name_, statics_, ZipNames(component_names_, std::move(children)));
}

void ExtensionSpec::AppendComponents(std::string_view path, int,
                                     std::vector<ComponentSpec>& out) const {
  for (size_t i = 0; i < component_names_.size(); ++i) {
    children()[i].rep().AppendComponents(JoinPath(path, component_names_[i]), 0, out);
  }
}

void ExtensionSpec::AppendTo(std::string& out) const {
  out.append(name_);
  if (!statics_.empty()) {
    out.append("<");
    for (size_t i = 0; i < statics_.size(); ++i) {
      if (i > 0) out.append(", ");
      out.append(statics_[i].first).append("=");
      statics_[i].second.rep().AppendTo(out);
    }
    out.append(">");
  }
  AppendNamed(out, component_names_, *this);
}

}  // namespace signet
