#include "core/graph/lower/extension_types.h"

#include <algorithm>
#include <set>

#include "core/function/cast.h"
#include "core/ops/build/leaves.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

constexpr int kMaxConversions = 16;
constexpr size_t kMostShown = 8;  // lines about overrides that were tried

// Returns the distinct extension types among `inputs`, in the order in which they are tried.
std::vector<std::string> TypesInDispatchOrder(const TypeRegistry& registry,
                                              std::span<const GraphValue> inputs) {
  std::vector<std::string> names;
  for (const GraphValue& input : inputs) {
    const auto* extension = input.spec ? input.spec.As<ExtensionSpec>() : nullptr;
    if (extension == nullptr) continue;
    const std::string& name = extension->name();
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    auto parent = std::find_if(names.begin(), names.end(),
                               [&](const std::string& other) { return registry.IsA(name, other); });
    names.insert(parent, name);
  }
  return names;
}

std::string PrintableTypes(std::span<const GraphValue> values) {
  std::vector<std::string> types;
  for (const GraphValue& value : values) {
    types.push_back(value.spec ? std::string(Printable(value.spec.ToString())) : "None");
  }
  return Join(types, "`, `");
}

Status NoOverrideError(const OpCall& call, std::span<const GraphValue> inputs,
                       const std::vector<std::string>& tried, std::vector<std::string> declined) {
  std::string text = Cat("`", call.op.name, "` of `", PrintableTypes(inputs),
                         "`; types that were tried, in this order: `", Join(tried, "`, `"), "`");
  size_t more = declined.size() - std::min(declined.size(), kMostShown);
  declined.resize(declined.size() - more);
  for (const std::string& line : declined) text += Cat("\n  ", line);
  if (more > 0) text += Cat("\n  (", more, " more)");
  return Unimplemented(text);
}

}  // namespace

Status ExtensionProtocol::CheckValue(CallExpander&, const GraphValue&, std::string_view) const {
  return absl::OkStatus();
}

StatusOr<std::optional<std::vector<GraphValue>>> ExtensionProtocol::Override(
    CallExpander&, const OpCall&, std::span<const GraphValue>, std::vector<std::string>&) const {
  return std::optional<std::vector<GraphValue>>();
}

StatusOr<std::optional<Converted>> ExtensionProtocol::Convert(CallExpander&, const GraphValue&,
                                                              const TypeSpec&) const {
  return std::optional<Converted>();
}

Status ExtensionTypes::Add(std::shared_ptr<const ExtensionProtocol> type) {
  SIGNET_RETURN_IF_ERROR(registry_.Register(type->declaration()));
  std::string name = type->declaration().name;
  by_name_.emplace(std::move(name), std::move(type));
  return absl::OkStatus();
}

bool ExtensionTypes::GoesByComponent(const OpCall& call, std::span<const GraphValue> inputs,
                                     std::span<const std::string> names) const {
  const ExtensionProtocol* type = names.size() == 1 ? Lookup(names[0]) : nullptr;
  size_t taken = InputsByLeaf(call.op, inputs.size());
  if (type == nullptr || !type->declaration().batches || taken == 0) return false;
  auto is_extension = [](const GraphValue& input) {
    return input.spec && input.spec.is(TypeKind::kExtension);
  };
  return std::all_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(taken),
                     is_extension) &&
         std::none_of(inputs.begin() + static_cast<std::ptrdiff_t>(taken), inputs.end(),
                      is_extension);
}

const ExtensionProtocol* ExtensionTypes::Lookup(std::string_view name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second.get();
}

std::string ExtensionTypes::NameForKeys(std::span<const std::string> keys) const {
  for (const auto& [name, type] : by_name_) {
    const ExtensionDeclaration& declaration = type->declaration();
    std::vector<std::string> parts = declaration.attributes;
    for (const auto& [part, component] : declaration.components) parts.push_back(part);
    if (std::is_permutation(parts.begin(), parts.end(), keys.begin(), keys.end())) return name;
  }
  return {};
}

StatusOr<GraphValue> ExtensionTypes::ShownAs(std::string_view name, const GraphValue& value) const {
  const auto& spec = *value.spec.As<ExtensionSpec>();
  if (spec.name() == name) return value;
  SIGNET_ASSIGN_OR_RETURN(auto declaration, registry_.Find(name));
  const ExtensionDeclaration& parent = *declaration;
  NamedTypes statics;
  for (const std::string& attribute : parent.attributes) {
    TypeSpec found = spec.LookupStatic(attribute);
    if (!found) return value;
    statics.emplace_back(attribute, std::move(found));
  }
  NamedTypes types;
  std::vector<GraphValue> components;
  for (const auto& [part, constraint] : parent.components) {
    auto names = spec.component_names();
    auto found = std::find(names.begin(), names.end(), part);
    if (found == names.end()) return value;
    components.push_back(ChildOf(value, static_cast<size_t>(found - names.begin())));
    types.emplace_back(part, components.back().spec);
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type,
                          MakeExtensionType(parent.name, std::move(statics), std::move(types)));
  return Joined(std::move(type), components);
}

Status ExtensionTypes::CheckValue(CallExpander& build, const GraphValue& value,
                                  std::string_view where) const {
  if (empty()) return absl::OkStatus();
  const auto* extension = value.spec.As<ExtensionSpec>();
  if (extension != nullptr) {
    Status fits = registry_.CheckType(value.spec, /*known_only=*/true);
    if (!fits.ok()) return where.empty() ? fits : At(where, std::move(fits));
  }
  switch (value.spec.kind()) {
    case TypeKind::kExtension:
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
      for (size_t i = 0; i < value.spec.children().size(); ++i) {
        SIGNET_RETURN_IF_ERROR(CheckValue(build, ChildOf(value, i), where));
      }
      break;
    case TypeKind::kTensor:
    case TypeKind::kRagged:
    case TypeKind::kSparse:
    case TypeKind::kStructured:
    case TypeKind::kLiteral:
    case TypeKind::kAny:
      break;
  }
  if (extension == nullptr) return absl::OkStatus();
  GraphValue shown = value;
  for (const ExtensionProtocol* type = Lookup(extension->name()); type != nullptr;
       type = Lookup(type->declaration().parent)) {
    const ExtensionDeclaration& declaration = type->declaration();
    SIGNET_ASSIGN_OR_RETURN(shown, ShownAs(declaration.name, value));
    // An older form is checked after its conversion.
    bool older = std::any_of(declaration.older.begin(), declaration.older.end(),
                             [&](const TypeSpec& form) { return IsSubtype(value.spec, form); });
    if (older) return absl::OkStatus();
    std::string place = Cat(where, where.empty() ? "" : ": ", "`", declaration.name, "`");
    SIGNET_RETURN_IF_ERROR(type->CheckValue(build, shown, place));
  }
  return absl::OkStatus();
}

StatusOr<std::vector<GraphValue>> ExtensionTypes::Dispatch(
    CallExpander& build, const OpCall& call, std::span<const GraphValue> inputs) const {
  std::vector<std::string> names = TypesInDispatchOrder(registry_, inputs);
  std::vector<std::string> tried;
  std::vector<std::string> declined;
  for (const std::string& name : names) {
    for (const ExtensionProtocol* type = Lookup(name); type != nullptr;
         type = Lookup(type->declaration().parent)) {
      const ExtensionDeclaration& declaration = type->declaration();
      if (std::find(tried.begin(), tried.end(), declaration.name) != tried.end()) continue;
      tried.push_back(declaration.name);
      std::vector<GraphValue> shown(inputs.begin(), inputs.end());
      std::vector<TypeSpec> specs;
      for (GraphValue& input : shown) {
        const auto* extension = input.spec ? input.spec.As<ExtensionSpec>() : nullptr;
        if (extension != nullptr && registry_.IsA(extension->name(), declaration.name)) {
          SIGNET_ASSIGN_OR_RETURN(input, ShownAs(declaration.name, input));
        }
        specs.push_back(input.spec);
      }
      SIGNET_ASSIGN_OR_RETURN(
          auto outputs, type->Override(build, {call.op, specs, call.attributes}, shown, declined));
      if (!outputs) continue;
      build.NoteChoice(Cat("override ", declaration.name, " ", call.op.name));
      return *std::move(outputs);
    }
  }
  if (GoesByComponent(call, inputs, names)) {
    SIGNET_ASSIGN_OR_RETURN(auto outputs, CallOnLeaves(build, call, inputs));
    for (const GraphValue& output : outputs) {
      SIGNET_RETURN_IF_ERROR(CheckValue(build, output, Cat("`", call.op.name, "`")));
    }
    return outputs;
  }
  return NoOverrideError(call, inputs, tried, std::move(declined));
}

StatusOr<std::optional<Converted>> ExtensionTypes::Convert(CallExpander& build,
                                                           const GraphValue& value,
                                                           const TypeSpec& wanted) const {
  const auto* extension = wanted.As<ExtensionSpec>();
  const ExtensionProtocol* type = extension == nullptr ? nullptr : Lookup(extension->name());
  if (type == nullptr) return std::optional<Converted>();
  Converted at{value, ""};
  const auto* given = value.spec.As<ExtensionSpec>();
  if (given != nullptr && given->name() != extension->name() &&
      registry_.IsA(given->name(), extension->name())) {
    SIGNET_ASSIGN_OR_RETURN(at.value, ShownAs(type->declaration().name, value));
    at.by = Cat("`", extension->name(), "` is a parent");
    if (Satisfies(at.value.spec, wanted)) return std::optional(std::move(at));
  }
  for (int i = 0; i < kMaxConversions; ++i) {
    SIGNET_ASSIGN_OR_RETURN(auto made, type->Convert(build, at.value, wanted));
    if (!made) break;
    at = {std::move(made->value), Cat(at.by, at.by.empty() ? "" : ", ", made->by)};
    if (Satisfies(at.value.spec, wanted)) return std::optional(std::move(at));
  }
  return std::optional<Converted>();
}

}  // namespace signet
