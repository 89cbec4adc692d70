#include "core/model/language/class_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/nearest_name.h"
#include "core/model/extension_type_def.h"
#include "core/model/native/attribute_value.h"
#include "core/ops/catalog.h"
#include "signet/any_spec.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

using ExpressionKind = Expression::Kind;

// Returns `a.b.c` of an expression that consists of names, the content of a text, or nothing.
std::string WordOf(const Expression& expression) {
  if (expression.kind == ExpressionKind::kName) return std::string(expression.text);
  if (expression.kind == ExpressionKind::kValue && expression.value.spec().is(TypeKind::kLiteral) &&
      expression.value.literal().is(Literal::Kind::kString)) {
    return expression.value.literal().string_value();
  }
  if (expression.kind != ExpressionKind::kField) return {};
  std::string base = WordOf(*expression.children[0]);
  return base.empty() ? base : Cat(base, ".", expression.text);
}

constexpr OpFamily kFamilies[] = {OpFamily::kUnaryElementwise, OpFamily::kBinaryElementwise,
                                  OpFamily::kReduction};

OpFamily FamilyNamed(std::string_view name) {
  for (OpFamily family : kFamilies) {
    if (NameOf(family) == name) return family;
  }
  return OpFamily::kNone;
}

// Returns the name of the family that is most like `name`, if one is.
std::optional<std::string_view> NearestFamily(std::string_view name) {
  std::vector<std::string_view> names;
  for (OpFamily family : kFamilies) names.push_back(NameOf(family));
  return NearestName(name, names);
}

}  // namespace

std::vector<ExtensionTypeDef> ClassReader::Read(const std::vector<ClassSyntax>& classes,
                                                TypeRegistry& registry) {
  std::vector<ExtensionTypeDef> types;
  for (const ClassSyntax& type : classes) types.push_back(ReadClass(type));
  if (!file_.errors.empty()) return {};
  auto registered = RegisterTypes(std::move(types), registry);
  if (registered.ok()) return *std::move(registered);
  const std::string_view message = MessageOf(registered.status());
  size_t position = 0;
  for (const ClassSyntax& type : classes) {
    if (!message.starts_with(PlaceOfType(type.name))) continue;
    position = type.position;
    if (message.find(Cat("parent `", type.parent, "`")) != message.npos) {
      position = type.parent_position;
      break;
    }
    for (const ComponentSyntax& component : type.components) {
      if (message.find(Cat("`", component.name, "`")) != message.npos) {
        position = component.position;
      }
    }
  }
  file_.errors.Add(position, std::string(message));
  return {};
}

void ClassReader::AddNamedType(const ExtensionDeclaration& declaration) {
  TypeSpec& type = named_types_[declaration.name];
  if (!declaration.attributes.empty()) return;
  NamedTypes components = declaration.components;
  for (auto& [name, component] : components) {
    if (!component) component = AnyType();
  }
  auto made = MakeExtensionType(declaration.name, {}, std::move(components));
  if (made.ok()) type = *std::move(made);
}

ExtensionTypeDef ClassReader::ReadClass(const ClassSyntax& type) {
  ExtensionTypeDef out;
  if (file_.CheckText(type.doc_position, type.doc)) out.doc = type.doc;
  ExtensionDeclaration& declaration = out.declaration;
  declaration.name = type.name;
  declaration.parent = type.parent;
  declaration.batches = type.batches;
  for (const ComponentSyntax& component : type.components) {
    if (component.is_static) declaration.attributes.emplace_back(component.name);
  }
  for (const ComponentSyntax& component : type.components) {
    if (!component.is_static) ReadComponent(component, declaration);
  }
  for (const Declaration& member : type.declarations) ReadMember(member, out);
  const Status status = AddOlderTypes(out);
  if (!status.ok()) file_.errors.Add(type.position, std::string(MessageOf(status)));
  AddNamedType(declaration);
  return out;
}

void ClassReader::ReadComponent(const ComponentSyntax& component,
                                ExtensionDeclaration& declaration) {
  const std::string name(component.name);
  TypeSpec type;
  if (component.has_type) {
    const std::string_view text = file_.Notation(component.type);
    Status status;
    if (TypeTemplate::HasPlaces(text)) {
      auto written = TypeTemplate::Parse(text, declaration.attributes);
      status = written.status();
      if (written.ok()) declaration.templates.emplace_back(name, *std::move(written));
    } else {
      auto plain = ParsePlainType(text, &named_types_);
      status = plain.status();
      if (plain.ok()) type = *std::move(plain);
    }
    if (!status.ok()) {
      file_.AddNotationError(component.type, component.position, status);
    }
  }
  declaration.components.emplace_back(name, std::move(type));
}

std::string ClassReader::FunctionOf(const Declaration& member) {
  if (member.arguments.empty()) {
    file_.errors.Add(member.position, Cat("`", member.name, "`: expected a function"));
    return {};
  }
  const Expression& last = *member.arguments.back();
  std::string name = WordOf(last);
  if (functions_.Lookup(name) != nullptr) return *functions_.Lookup(name);
  std::vector<std::string> names = functions_.All();
  std::sort(names.begin(), names.end());
  std::vector<std::string_view> views(names.begin(), names.end());
  auto nearest = NearestName(name, views);
  file_.errors.Add(
      last.begin,
      nearest ? Cat("function `", Printable(name), "` not found; did you mean `", *nearest, "`?")
              : Cat("function `", Printable(name),
                    "` not found; functions: ", ListNames(std::move(names))));
  return {};
}

bool ClassReader::CheckArguments(const Declaration& member, size_t count, std::string_view form) {
  const bool ok =
      member.arguments.size() == count && (member.named.empty() || member.name == "override");
  if (!ok) file_.errors.Add(member.position, Cat("expected `", form, "`"));
  return ok;
}

void ClassReader::ReadMember(const Declaration& member, ExtensionTypeDef& out) {
  if (member.name == "invariant") {
    if (CheckArguments(member, 1, "invariant(FUNCTION)")) {
      out.functions.invariants.push_back(FunctionOf(member));
    }
  } else if (member.name == "override") {
    ReadOverride(member, out);
  } else if (member.name == "conversion" || member.name == "older") {
    const bool is_older = member.name == "older";
    if (!CheckArguments(member, is_older ? 1 : 2,
                        is_older ? "older(TYPE)" : "conversion(TYPE, FUNCTION)")) {
      return;
    }
    const Expression& argument = *member.arguments[0];
    auto type = ParsePlainType(file_.Notation(argument.notation), &named_types_);
    if (!type.ok()) {
      file_.AddNotationError(argument.notation, argument.begin, type.status());
    } else if (is_older) {
      out.declaration.older.push_back(*std::move(type));
    } else {
      out.functions.conversions.push_back({*std::move(type), FunctionOf(member)});
    }
  } else {
    file_.errors.Add(member.position, Cat("`", Printable(member.name),
                                          "` not found; members are components, "
                                          "`invariant`, `override`, `conversion`, and `older`"));
  }
}

void ClassReader::ReadOverride(const Declaration& member, ExtensionTypeDef& out) {
  if (!CheckArguments(member, 2, "override(OP, FUNCTION, inputs=[KIND, ...])")) return;
  OverrideDef override{.function = FunctionOf(member)};
  std::string op = WordOf(*member.arguments[0]);
  override.family = FamilyNamed(op);
  const auto nearest = override.family == OpFamily::kNone ? NearestFamily(op) : std::nullopt;
  if (nearest && !BuiltinOps().FindCallable(op).ok()) {
    file_.errors.Add(member.arguments[0]->begin,
                     Cat("op `", Printable(op), "` not found; did you mean `", *nearest, "`?"));
  }
  if (override.family == OpFamily::kNone) override.op = std::move(op);
  if (override.op.empty() && override.family == OpFamily::kNone) {
    file_.errors.Add(member.arguments[0]->begin, "expected the name of an op or a family of ops");
  }
  for (const NamedExpression& argument : member.named) {
    if (argument.name != "inputs" || argument.value->kind != ExpressionKind::kList) {
      file_.errors.Add(argument.position, "expected `inputs=[KIND, ...]`");
      continue;
    }
    for (const auto& child : argument.value->children) {
      override.inputs.push_back(WordOf(*child));
      if (override.inputs.back().empty()) {
        file_.errors.Add(child->begin, "expected a kind of input or an extension type");
      }
    }
  }
  out.functions.overrides.push_back(std::move(override));
}

}  // namespace signet
