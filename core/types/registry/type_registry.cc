#include "core/types/registry/type_registry.h"

#include <algorithm>
#include <set>

#include "core/types/identifier.h"

namespace signet {
namespace {

Status CheckParts(const ExtensionDeclaration& declaration) {
  std::set<std::string_view> names;
  auto check = [&](std::string_view part) {
    if (!IsIdentifier(part) || part.starts_with("__")) {
      return InvalidArgument(
          "name of a part: expected an identifier that does not begin with two underscores, found "
          "`",
          Printable(part), "`");
    }
    if (!names.insert(part).second) {
      return InvalidArgument("duplicate part `", part, "`");
    }
    return absl::OkStatus();
  };
  for (const std::string& attribute : declaration.attributes)
    SIGNET_RETURN_IF_ERROR(check(attribute));
  for (const auto& [name, type] : declaration.components) SIGNET_RETURN_IF_ERROR(check(name));
  return absl::OkStatus();
}

template <class Map>
std::vector<std::string> KeysOf(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

bool IsOlder(const TypeSpec& type, const ExtensionDeclaration& declaration) {
  return std::any_of(declaration.older.begin(), declaration.older.end(),
                     [&](const TypeSpec& older) { return IsSubtype(type, older); });
}

std::string InOrder(std::span<const std::string> names) {
  return names.empty() ? "none" : Cat("`", Join(names, "`, `"), "`");
}

// A parent sees a value of a child as one of its own, so a child has all parts of its parent.
Status CheckPartsOfParent(const ExtensionDeclaration& child, const ExtensionDeclaration& parent) {
  for (const std::string& name : parent.attributes) {
    if (std::find(child.attributes.begin(), child.attributes.end(), name) ==
        child.attributes.end()) {
      return InvalidArgument("expected the static attribute `", name, "` of its parent `",
                             parent.name, "`, found ", InOrder(child.attributes));
    }
  }
  for (const auto& component : parent.components) {
    const std::string& name = component.first;
    const bool is_found = std::any_of(child.components.begin(), child.components.end(),
                                      [&](const auto& own) { return own.first == name; });
    if (is_found) continue;
    std::vector<std::string> names;
    for (const auto& own : child.components) names.push_back(own.first);
    return InvalidArgument("expected the component `", name, "` of its parent `", parent.name,
                           "`, found ", InOrder(names));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<TypeSpec> ConstraintOf(const ExtensionDeclaration& declaration, size_t i,
                                const NamedTypes& statics) {
  const auto& [name, type] = declaration.components[i];
  for (const auto& [component, written] : declaration.templates) {
    if (component != name) continue;
    auto filled = written.Fill(statics);
    if (!filled.ok()) return At(Cat("component `", name, "`"), filled.status());
    return filled;
  }
  return type;
}

Status CheckCurrentForm(const ExtensionSpec& spec, const ExtensionDeclaration& declaration) {
  std::vector<std::string> attributes = declaration.attributes;
  std::sort(attributes.begin(), attributes.end());
  std::vector<std::string> found;
  for (const auto& [name, value] : spec.statics()) found.push_back(name);
  if (attributes != found) {
    return InvalidArgument("attributes ", ListNames(found), "; `", spec.name(),
                           "` is declared with ", ListNames(attributes));
  }
  std::vector<std::string> wanted;
  for (const auto& [name, type] : declaration.components) wanted.push_back(name);
  if (!std::equal(wanted.begin(), wanted.end(), spec.component_names().begin(),
                  spec.component_names().end())) {
    return InvalidArgument("components ", InOrder(spec.component_names()), "; `", spec.name(),
                           "` is declared with ", InOrder(wanted));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(TypeSpec constraint, ConstraintOf(declaration, i, spec.statics()));
    if (constraint && !IsSubtype(spec.children()[i], constraint)) {
      return InvalidArgument("component `", wanted[i], "`: expected `", constraint, "`, found `",
                             spec.children()[i], "`");
    }
  }
  return absl::OkStatus();
}

Status TypeRegistry::Register(ExtensionDeclaration declaration) {
  if (!IsTypeName(declaration.name)) {
    return InvalidWithReason(
        "INVALID_NAME",
        "name of an extension type: expected words joined by dots, such as `project.Type`, found `",
        Printable(declaration.name), "`");
  }
  SIGNET_RETURN_IF_ERROR(
      At(Cat("extension type `", declaration.name, "`"), CheckParts(declaration)));
  std::lock_guard lock(mu_);
  if (auto found = by_class_.find(declaration.class_or_name()); found != by_class_.end()) {
    return WithReason("CLASS_ALREADY_REGISTERED",
                      AlreadyExists("class `", Printable(found->first),
                                    "` is already registered as `", found->second, "`"));
  }
  if (by_name_.contains(declaration.name)) {
    return WithReason("NAME_TAKEN", AlreadyExists("extension type `", declaration.name,
                                                  "` is already registered for another class"));
  }
  if (!declaration.parent.empty() && !by_name_.contains(declaration.parent)) {
    return WithReason(
        "NOT_REGISTERED",
        NotFound("extension type `", declaration.name, "`: parent `", Printable(declaration.parent),
                 "` not found; extension types: ", ListNames(KeysOf(by_name_))));
  }
  if (!declaration.parent.empty()) {
    SIGNET_RETURN_IF_ERROR(At(Cat("extension type `", declaration.name, "`"),
                              CheckPartsOfParent(declaration, *by_name_.at(declaration.parent))));
  }
  by_class_.emplace(declaration.class_or_name(), declaration.name);
  std::string name = declaration.name;
  by_name_.emplace(std::move(name),
                   std::make_shared<const ExtensionDeclaration>(std::move(declaration)));
  return absl::OkStatus();
}

TypeRegistry::Declaration TypeRegistry::Lookup(std::string_view name) const {
  std::lock_guard lock(mu_);
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

StatusOr<TypeRegistry::Declaration> TypeRegistry::Find(std::string_view name) const {
  if (auto found = Lookup(name)) return found;
  return WithReason("NOT_REGISTERED", NotFound("no extension type `", Printable(name),
                                               "`; registered: ", ListNames(Names())));
}

StatusOr<std::string> TypeRegistry::FindName(std::string_view class_name) const {
  std::lock_guard lock(mu_);
  if (auto found = by_class_.find(class_name); found != by_class_.end()) return found->second;
  return WithReason("NOT_REGISTERED", NotFound("no class `", Printable(class_name),
                                               "`; registered: ", ListNames(KeysOf(by_class_))));
}

std::vector<std::string> TypeRegistry::Names() const {
  std::lock_guard lock(mu_);
  return KeysOf(by_name_);
}

Status TypeRegistry::CheckType(const TypeSpec& type, bool known_only) const {
  const auto* spec = type.As<ExtensionSpec>();
  if (spec != nullptr && !(known_only && Lookup(spec->name()) == nullptr)) {
    SIGNET_ASSIGN_OR_RETURN(Declaration declaration, Find(spec->name()));
    if (IsOlder(type, *declaration)) return absl::OkStatus();
    SIGNET_RETURN_IF_ERROR(CheckCurrentForm(*spec, *declaration));
  }
  for (const TypeSpec& child : type.children()) {
    SIGNET_RETURN_IF_ERROR(CheckType(child, known_only));
  }
  return absl::OkStatus();
}

bool TypeRegistry::IsA(std::string_view name, std::string_view ancestor) const {
  std::string at(name);
  // A parent is registered before its child, so there are no cycles.
  while (at != ancestor) {
    Declaration declaration = Lookup(at);
    if (declaration == nullptr || declaration->parent.empty()) return false;
    at = declaration->parent;
  }
  return true;
}

}  // namespace signet
