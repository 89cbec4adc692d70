#include "core/model/extension_type_def.h"

#include <algorithm>
#include <map>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/graph/body/dependency_order.h"
#include "core/ops/catalog.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

constexpr size_t kMaxFunctionsOfType = 1024;  // of one kind: overrides, invariants, conversions
constexpr std::string_view kInputKinds[] = {"tensor",     "ragged",  "sparse",
                                            "structured", "literal", "any"};

// The names of the functions of a model.
using FunctionNames = absl::flat_hash_set<std::string>;

Status CheckFunction(const std::string& name, const FunctionNames& functions) {
  if (functions.contains(name)) return absl::OkStatus();
  return NotFound("function `", Printable(name),
                  "` not found; functions: ", ListNames({functions.begin(), functions.end()}));
}

Status CheckOverride(const OverrideDef& override, const FunctionNames& functions,
                     const TypeRegistry& registry) {
  if (override.op.empty() && override.family == OpFamily::kNone) {
    return InvalidArgument("expected `op` or `family`, found neither");
  }
  if (!override.op.empty()) {
    SIGNET_ASSIGN_OR_RETURN(const OpDef* op, BuiltinOps().FindCallable(override.op));
    if (op->any_type || op->control != Control::kNone) {
      return InvalidArgument(
          "`", op->name, "` cannot be overridden, because it accepts values of any type unchanged");
    }
  }
  for (const std::string& input : override.inputs) {
    bool kind =
        std::find(std::begin(kInputKinds), std::end(kInputKinds), input) != std::end(kInputKinds);
    if (!kind && !registry.Find(input).ok()) {
      return NotFound("kind of input or extension type `", Printable(input),
                      "` not found; kinds: ", Join(kInputKinds, ", "),
                      "; types: ", ListNames(registry.Names()));
    }
  }
  return CheckFunction(override.function, functions);
}

Status CheckFunctionsOf(const ExtensionFunctions& functions, const FunctionNames& names,
                        const TypeRegistry& registry) {
  for (const std::string& invariant : functions.invariants) {
    SIGNET_RETURN_IF_ERROR(At("invariant", CheckFunction(invariant, names)));
  }
  for (size_t i = 0; i < functions.overrides.size(); ++i) {
    const OverrideDef& override = functions.overrides[i];
    std::string what = override.op.empty() ? std::string(NameOf(override.family))
                                           : Cat("`", Printable(override.op), "`");
    SIGNET_RETURN_IF_ERROR(
        At(Cat("override ", i, ", of ", what), CheckOverride(override, names, registry)));
  }
  for (size_t i = 0; i < functions.conversions.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(
        At(Cat("conversion ", i), CheckFunction(functions.conversions[i].function, names)));
  }
  return absl::OkStatus();
}

}  // namespace

std::string PlaceOfType(std::string_view name) {
  return Cat("extension type `", Printable(name), "`");
}

Status AddOlderTypes(ExtensionTypeDef& type) {
  ExtensionDeclaration& declaration = type.declaration;
  const ExtensionFunctions& functions = type.functions;
  const size_t most = std::max({functions.invariants.size(), functions.overrides.size(),
                                functions.conversions.size(), declaration.older.size()});
  if (most > kMaxFunctionsOfType) {
    return InvalidArgument(most, " functions of one kind exceed the limit of ",
                           kMaxFunctionsOfType);
  }
  for (size_t i = 0; i < declaration.older.size(); ++i) {
    const TypeSpec& older = declaration.older[i];
    const auto* form = older.As<ExtensionSpec>();
    if (form == nullptr || form->name() != declaration.name) {
      return At(Cat("older ", i), InvalidArgument("expected a type with the name `",
                                                  declaration.name, "`, found `", older, "`"));
    }
  }
  for (const ConversionDef& conversion : functions.conversions) {
    const auto* form = conversion.from.As<ExtensionSpec>();
    if (form == nullptr || form->name() != declaration.name || conversion.from.children().empty()) {
      continue;
    }
    const std::vector<TypeSpec>& known = declaration.older;
    const bool is_known = std::find(known.begin(), known.end(), conversion.from) != known.end();
    if (!is_known && !CheckCurrentForm(*form, declaration).ok()) {
      declaration.older.push_back(conversion.from);
    }
  }
  return absl::OkStatus();
}

StatusOr<std::vector<ExtensionTypeDef>> RegisterTypes(std::vector<ExtensionTypeDef> types,
                                                      TypeRegistry& registry) {
  std::map<std::string, int> indices;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string& name = types[i].declaration.name;
    if (!indices.emplace(name, static_cast<int>(i)).second) {
      return At(PlaceOfType(name), InvalidArgument("duplicate name of an extension type"));
    }
  }
  std::vector<std::vector<int>> parents(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    auto parent = indices.find(types[i].declaration.parent);
    if (parent != indices.end()) parents[i].push_back(parent->second);
  }
  DependencyOrder sorted = OrderByDependencies(parents);
  if (!sorted.cycle.empty()) {
    const auto& first = types[static_cast<size_t>(sorted.cycle[0])];
    return At(
        PlaceOfType(first.declaration.name),
        InvalidArgument("expected a parent that does not derive from this type, found a cycle"));
  }
  std::vector<ExtensionTypeDef> in_order;
  for (int i : sorted.order) {
    in_order.push_back(std::move(types[static_cast<size_t>(i)]));
    const ExtensionDeclaration& declaration = in_order.back().declaration;
    const std::string place = PlaceOfType(declaration.name);
    Status status = registry.Register(declaration);
    if (!status.ok()) return MessageOf(status).starts_with(place) ? status : At(place, status);
  }
  return in_order;
}

Status CheckFunctionsOfTypes(const std::vector<ExtensionTypeDef>& types,
                             const std::vector<FunctionDef>& functions,
                             const TypeRegistry& registry) {
  FunctionNames names;
  for (const FunctionDef& function : functions) names.insert(function.name);
  for (const ExtensionTypeDef& type : types) {
    SIGNET_RETURN_IF_ERROR(
        At(PlaceOfType(type.declaration.name), CheckFunctionsOf(type.functions, names, registry)));
  }
  return absl::OkStatus();
}

}  // namespace signet
