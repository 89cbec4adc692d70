#include "core/serving/call/accepted_forms.h"

#include <algorithm>

#include "signet/extension_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

constexpr size_t kMaxForms = 16;

// Returns `form` with the components that the current version declares, if it states none. Null if
// these are not known.
TypeSpec WithDeclaredComponents(const TypeSpec& form, const ExtensionDeclaration& declaration) {
  const auto* extension = form.As<ExtensionSpec>();
  if (extension == nullptr || !form.children().empty()) return form;
  if (extension->name() != declaration.name) return {};
  bool is_older =
      std::any_of(declaration.older.begin(), declaration.older.end(), [&](const TypeSpec& older) {
        return older.As<ExtensionSpec>()->statics() == extension->statics();
      });
  bool is_known = std::all_of(declaration.components.begin(), declaration.components.end(),
                              [](const auto& component) { return bool{component.second}; });
  if (is_older || !is_known) return {};
  auto type = MakeExtensionType(declaration.name, extension->statics(), declaration.components);
  return type.ok() ? *std::move(type) : TypeSpec();
}

bool IsNestOfValues(const TypeSpec& type) {
  return type && (IsSequence(type) || type.is(TypeKind::kDict) || type.is(TypeKind::kNamedTuple));
}

}  // namespace

std::vector<TypeSpec> AcceptedForms(const TypeSpec& wanted, const ModelDef& model) {
  std::vector<TypeSpec> forms;
  const auto* extension = wanted ? wanted.As<ExtensionSpec>() : nullptr;
  if (extension == nullptr) return forms;
  for (const ExtensionTypeDef& type : model.extension_types) {
    if (type.declaration.name != extension->name()) continue;
    for (const TypeSpec& older : type.declaration.older) forms.push_back(older);
    for (const ConversionDef& conversion : type.functions.conversions) {
      TypeSpec form = WithDeclaredComponents(conversion.from, type.declaration);
      bool is_new = std::find(forms.begin(), forms.end(), form) == forms.end();
      if (form && is_new) forms.push_back(std::move(form));
    }
  }
  if (forms.size() > kMaxForms) forms.resize(kMaxForms);
  return forms;
}

bool HasOpenParts(const TypeSpec& type, const ModelDef& model) {
  if (!IsNestOfValues(type)) return false;
  return std::any_of(type.children().begin(), type.children().end(), [&](const TypeSpec& child) {
    return child.is(TypeKind::kAny) || HasOpenParts(child, model) ||
           !AcceptedForms(child, model).empty();
  });
}

}  // namespace signet
