#include "core/frontends/savedmodel/import/extension_classes.h"

#include <algorithm>
#include <set>

#include "core/frontends/savedmodel/import/structured_types.h"
#include "core/model/extension_type_def.h"
#include "core/types/identifier.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

using Structured = tensorflow::StructuredValue;
using tensorflow::TypeSpecProto;

constexpr int kMaxNestDepth = 64;
constexpr int kMaxFields = 4096;

// Calls `visit` with each element of a nest.
template <class Visit>
void VisitElements(const Structured& value, Visit visit) {
  for (const Structured& child : value.list_value().values()) visit(child);
  for (const Structured& child : value.tuple_value().values()) visit(child);
  for (const auto& [name, child] : value.dict_value().fields()) visit(child);
  for (const auto& pair : value.named_tuple_value().values()) visit(pair.value());
}

// Returns true if `value` is a type of tensors, or contains one. Returns an error for tensors,
// which are not part of a type.
StatusOr<bool> ContainsType(const Structured& value, int depth) {
  if (depth > kMaxNestDepth) {
    return InvalidArgument("types are nested more than ", kMaxNestDepth, " deep");
  }
  if (value.has_tensor_value() || value.has_numpy_value()) {
    return Unimplemented("unsupported tensor in a type");
  }
  bool found = value.has_type_spec_value() || value.has_tensor_spec_value() ||
               value.has_bounded_tensor_spec_value();
  Status status;
  VisitElements(value, [&](const Structured& child) {
    auto inner = ContainsType(child, depth + 1);
    status.Update(inner.status());
    found = found || (inner.ok() && *inner);
  });
  if (!status.ok()) return status;
  return found;
}

// Returns true for words that are joined by dots and may be written in a model file.
bool IsClassName(std::string_view name) {
  if (!IsTypeName(name)) return false;
  while (!name.empty()) {
    const std::string_view word = name.substr(0, name.find('.'));
    if (!IsIdentifier(word) || IsPythonKeyword(word)) return false;
    name.remove_prefix(std::min(word.size() + 1, name.size()));
  }
  return true;
}

StatusOr<std::string> NameOf(const TypeSpecProto& spec) {
  constexpr std::string_view kSuffix = ".Spec";
  std::string name = spec.type_spec_class_name();
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  if (name.find('.') == std::string::npos) name.insert(0, "saved_model.");
  if (IsClassName(name)) return name;
  return InvalidArgument("expected the name of an extension type, such as `project.Type.Spec`, ",
                         "found `", Printable(spec.type_spec_class_name()), "`");
}

// Returns the fields with the kinds that this type alone shows.
StatusOr<std::vector<ExtensionField>> FieldsOf(const TypeSpecProto& spec) {
  if (!spec.type_state().has_tuple_value()) {
    return InvalidArgument("expected a tuple of fields as the state of an extension type");
  }
  if (spec.type_state().tuple_value().values_size() > kMaxFields) {
    return ResourceExhausted("fields exceed the limit of ", kMaxFields);
  }
  std::vector<ExtensionField> out;
  std::set<std::string_view> names;
  for (const Structured& field : spec.type_state().tuple_value().values()) {
    const auto& pair = field.tuple_value();
    if (pair.values_size() != 2 || !pair.values(0).has_string_value()) {
      return InvalidArgument("expected a name and a value as field ", out.size());
    }
    const std::string& name = pair.values(0).string_value();
    if (name == "_tf_extension_type_is_packed") {
      return Unimplemented("unsupported values that are packed into one tensor");
    }
    // The limits of TypeRegistry, and of names in a model file.
    if (!IsIdentifier(name) || name.starts_with("__") || IsPythonKeyword(name)) {
      return InvalidArgument("expected an identifier as the name of field ", out.size(),
                             ", found `", Printable(name), "`");
    }
    if (!names.insert(name).second) return InvalidArgument("duplicate field `", name, "`");
    auto is_component = ContainsType(pair.values(1), 0);
    if (!is_component.ok()) return At(Cat("field `", name, "`"), is_component.status());
    out.push_back({name, &pair.values(1), *is_component});
  }
  return out;
}

bool HaveSameNames(const std::vector<ExtensionField>& a, const std::vector<ExtensionField>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name; });
}

std::string NamesOf(const std::vector<ExtensionField>& fields) {
  std::vector<std::string> names;
  for (const ExtensionField& field : fields) names.push_back(field.name);
  return names.empty() ? "no fields" : Cat("the fields `", Join(names, "`, `"), "`");
}

// Returns `type` with unknown sizes, and with unknown ranks outside of structures.
TypeSpec OfAnySize(const TypeSpec& type, bool keeps_rank = false) {
  if (type.is(TypeKind::kLiteral)) return type;
  keeps_rank = keeps_rank || type.is(TypeKind::kStructured);
  PartialShape shape;
  if (keeps_rank && type.shape()->has_rank()) shape = PartialShape::OfRank(type.shape()->rank());
  std::vector<TypeSpec> children;
  for (const TypeSpec& child : type.children()) children.push_back(OfAnySize(child, keeps_rank));
  auto made = type.rep().Rebuild(std::move(shape), std::move(children));
  return made.ok() ? *made : type;
}

void AddNames(const TypeSpec& type, std::set<std::string, std::less<>>& names) {
  if (!type) return;
  if (const auto* extension = type.As<ExtensionSpec>()) names.insert(extension->name());
  for (const TypeSpec& child : type.children()) AddNames(child, names);
}

}  // namespace

bool ExtensionClasses::IsExtension(const TypeSpecProto& spec) {
  return spec.type_spec_class() == TypeSpecProto::EXTENSION_TYPE_SPEC &&
         !spec.type_spec_class_name().starts_with("tf.");
}

void ExtensionClasses::Add(const Structured& type, int depth) {
  if (depth > kMaxNestDepth) return;
  if (type.has_type_spec_value()) Add(type.type_spec_value(), depth);
  VisitElements(type, [&](const Structured& child) { Add(child, depth + 1); });
}

void ExtensionClasses::Add(const TypeSpecProto& spec, int depth) {
  if (!IsExtension(spec)) return;
  auto name = NameOf(spec);
  auto fields = FieldsOf(spec);
  if (!name.ok() || !fields.ok()) return;
  for (ExtensionField& field : *fields) {
    Add(*field.value, depth + 1);
    field.value = nullptr;
  }
  Class& known = classes_[*name];
  if (known.specs.empty()) known.fields = *fields;
  if (!HaveSameNames(known.fields, *fields)) return;
  for (size_t i = 0; i < known.fields.size(); ++i) {
    known.fields[i].is_component |= (*fields)[i].is_component;
  }
  known.specs.push_back(&spec);
}

StatusOr<ExtensionForm> ExtensionClasses::FormOf(const TypeSpecProto& spec) const {
  ExtensionForm out;
  SIGNET_ASSIGN_OR_RETURN(out.name, NameOf(spec));
  auto fields = FieldsOf(spec);
  if (!fields.ok()) return At(PlaceOfType(out.name), fields.status());
  out.fields = *std::move(fields);
  auto known = classes_.find(out.name);
  if (known == classes_.end()) {  // a default value, or a type that is nested too deep
    return At(PlaceOfType(out.name),
              Unimplemented("expected the type of an argument or of a result"));
  }
  const std::vector<ExtensionField>& declared = known->second.fields;
  if (!HaveSameNames(declared, out.fields)) {
    return At(PlaceOfType(out.name),
              Unimplemented("expected ", NamesOf(declared),
                            ", which an earlier type of this name in the model has, found ",
                            NamesOf(out.fields)));
  }
  for (size_t i = 0; i < declared.size(); ++i) {
    out.fields[i].is_component = declared[i].is_component;
  }
  return out;
}

ExtensionTypeDef ExtensionClasses::DeclarationOf(const std::string& name,
                                                 const Class& known) const {
  ExtensionTypeDef out;
  out.doc = "Extension type of TensorFlow.";
  out.declaration.name = name;
  for (const ExtensionField& field : known.fields) {
    if (!field.is_component) out.declaration.attributes.push_back(field.name);
  }
  std::vector<TypeSpec> forms;
  for (const TypeSpecProto* spec : known.specs) {
    Structured type;
    *type.mutable_type_spec_value() = *spec;
    auto form = TypeFromStructured(type, *this);
    // A function with this type is not available.
    if (form.ok()) forms.push_back(OfAnySize(*form));
  }
  size_t index = 0;
  for (const ExtensionField& field : known.fields) {
    if (!field.is_component) continue;
    TypeSpec common;
    for (const TypeSpec& form : forms) {
      const TypeSpec& component = form.children()[index];
      common = &form == &forms.front() ? component : MostSpecificCommonSupertype(common, component);
      if (!common) break;
    }
    out.declaration.components.emplace_back(field.name, std::move(common));
    ++index;
  }
  return out;
}

std::vector<ExtensionTypeDef> ExtensionClasses::DeclarationsFor(
    const std::vector<FunctionDef>& functions) const {
  std::set<std::string, std::less<>> names;
  for (const FunctionDef& function : functions) {
    for (const Parameter& parameter : function.type.parameters()) AddNames(parameter.type, names);
    for (const GraphNode& node : function.graph.nodes) {
      if (node.op->name != "make_extension") continue;
      auto name = node.attributes.String("type");
      if (name.ok()) names.insert(*std::move(name));
    }
  }
  std::vector<ExtensionTypeDef> out;
  for (const auto& [name, known] : classes_) {
    if (names.contains(name)) out.push_back(DeclarationOf(name, known));
  }
  return out;
}

}  // namespace signet
