// Calls of ops, functions, and extension types in expressions.

#include <algorithm>
#include <utility>

#include "core/base/nearest_name.h"
#include "core/graph/body/function_references.h"
#include "core/model/language/expression_builder.h"
#include "core/model/language/op_parts.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/limits.h"
#include "core/ops/catalog.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/familiar_names.h"
#include "core/ops/def/op_registry.h"
#include "signet/dtype.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/notation.h"

namespace signet {

BodyOperand ExpressionBuilder::EvaluateCall(const Expression& call, std::string name) {
  const Expression& callee = *call.children[0];
  std::string dotted = DottedName(callee);
  if (dotted.empty()) {
    if (callee.kind == ExpressionKind::kField) return FailMethod(callee);
    return Fail(callee.begin, "expected the name of an op or a function before `(`");
  }
  if (dotted.starts_with("ops.")) {
    return CallOp(dotted.substr(4), call, std::move(name), callee.children[0]->begin);
  }
  if (const std::string* function = scope_.functions.Lookup(dotted)) {
    return CallFunction(*function, call, std::move(name));
  }
  if (dotted == "while_loop") dotted = "while";
  const std::string head = dotted.substr(0, dotted.find('.'));
  if (head != dotted && (locals_.contains(head) || HasCapture(head))) return FailMethod(callee);
  if (IsOp(dotted)) {
    return CallOp(dotted, call, std::move(name), callee.begin);
  }
  if (scope_.model.types.Find(dotted).ok()) return MakeExtension(dotted, call, std::move(name));
  if (locals_.contains(dotted) || HasCapture(dotted)) {
    return Fail(callee.begin,
                Cat("expected an op or a function, found the value `", Printable(dotted), "`"));
  }
  EvaluateArguments(call);
  return Fail(callee.begin, Cat("op or function `", Printable(dotted), "` not found",
                                HintForCallee(dotted, call.children.size() - 1)));
}

const TakenNames& ExpressionBuilder::TakenBy(const std::string& function) const {
  static const TakenNames kNone;
  auto found = scope_.closures.find(function);
  return found == scope_.closures.end() ? kNone : found->second;
}

BodyOperand ExpressionBuilder::EvaluateTaken(const std::string& name, size_t position) {
  Expression expression;
  expression.begin = position;
  expression.text = name;
  return EvaluateName(expression);
}

void ExpressionBuilder::AddTaken(const OpDef& op, size_t position, OpArguments& out) {
  const TakenNames& names = TakenBy(out.functions[0]);
  if (names.empty()) return;
  const bool has_keywords = NamesAttributeOf(op) == "keywords";
  if (!has_keywords && LookupAttribute(op, "fixed") == nullptr) {
    errors_.Add(position, Cat("`", op.name, "`: a function that uses `", names[0],
                              "` of the function around it: expected `call`, `case`, `cond`, "
                              "`map`, `reduce`, `scan`, or `while`"));
    out.ok = false;
    return;
  }
  for (const std::string& name : names) {
    out.inputs.push_back(EvaluateTaken(name, position));
    if (has_keywords) out.names.push_back(name);
  }
  if (has_keywords) return;
  auto fixed = std::find_if(out.attributes.begin(), out.attributes.end(),
                            [](const auto& entry) { return entry.first == "fixed"; });
  if (fixed == out.attributes.end()) {
    out.attributes.emplace_back("fixed", AttributeOf(static_cast<int64_t>(names.size())));
    return;
  }
  const auto* stated = fixed->second.template As<LiteralSpec>();
  const auto count = stated == nullptr ? std::nullopt : stated->literal().AsInt64();
  if (count && *count >= 0 && *count <= kMaxNodeInputs) {
    fixed->second = AttributeOf(*count + static_cast<int64_t>(names.size()));
  }
}

bool ExpressionBuilder::IsOp(std::string_view name) {
  const OpDef* op = BuiltinOps().Lookup(name);
  return op != nullptr && !op->internal;
}

BodyOperand ExpressionBuilder::FailMethod(const Expression& callee) {
  std::string_view name = callee.text;
  if (std::string_view familiar = LookupFamiliarName(name); !familiar.empty()) name = familiar;
  const bool is_known = IsOp(name) || scope_.functions.Lookup(name) != nullptr;
  return Fail(callee.operator_position,
              is_known ? Cat("values have no methods; write `", name, "(x, ...)`")
                       : Cat("values have no methods, found `", Printable(name), "`"));
}

std::string ExpressionBuilder::HintForCallee(std::string_view name, size_t num_values) const {
  const std::string_view last = name.substr(name.rfind('.') + 1);  // `sum` of `np.sum`
  if (std::string_view familiar = LookupFamiliarName(last, num_values); !familiar.empty()) {
    return Cat("; its name in Signet is `", familiar, "`");
  }
  if (std::string_view written = LookupFamiliarExpression(last); !written.empty()) {
    return Cat("; write `", written, "`");
  }
  if (IsOp(last)) return Cat("; write `", last, "(...)`");
  if (last == "print") return "; a function of a model only returns values";
  std::vector<std::string> names = scope_.functions.All();
  const bool has_functions = !names.empty();
  for (const std::string& type : scope_.model.types.Names()) names.push_back(type);
  for (const OpDef* op : BuiltinOps().All()) {
    if (!op->internal) names.push_back(op->name);
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string_view> views(names.begin(), names.end());
  if (auto nearest = NearestName(name, views)) return Cat("; did you mean `", *nearest, "`?");
  return has_functions ? Cat("; functions: ", ListNames(scope_.functions.All()),
                             "; `signet ops` lists the ops")
                       : std::string("; `signet ops` lists the ops");
}

void ExpressionBuilder::EvaluateArguments(const Expression& call) {
  for (size_t i = 1; i < call.children.size(); ++i) EvaluatePart(*call.children[i]);
}

std::vector<BodyOperand> ExpressionBuilder::Positional(const Expression& call) {
  std::vector<BodyOperand> inputs;
  for (size_t i = 1; i < call.children.size(); ++i) {
    inputs.push_back(EvaluatePart(*call.children[i]));
  }
  return inputs;
}

BodyOperand ExpressionBuilder::CallFunction(const std::string& function, const Expression& call,
                                            std::string name) {
  std::vector<BodyOperand> inputs = Positional(call);
  std::vector<std::string> keywords;
  for (const NamedExpression& argument : call.named) {
    inputs.push_back(EvaluatePart(*argument.value));
    keywords.emplace_back(argument.name);
  }
  for (const std::string& taken : TakenBy(function)) {
    inputs.push_back(EvaluateTaken(taken, call.begin));
    keywords.push_back(taken);
  }
  NamedTypes attributes = {{"function", AttributeOf(std::string_view(function))}};
  if (!keywords.empty()) attributes.emplace_back("keywords", AttributeListOf(keywords));
  return AddNode("call", std::move(inputs), std::move(attributes), {}, NameOr(std::move(name)),
                 call.begin);
}

BodyOperand ExpressionBuilder::CallOp(const std::string& op_name, const Expression& call,
                                      std::string name, size_t position) {
  auto found = BuiltinOps().FindCallable(op_name);
  if (!found.ok()) return Fail(position, std::string(MessageOf(found.status())));
  const OpDef& op = **found;
  OpArguments arguments;
  arguments.inputs = Positional(call);
  if (!IsVariadic(op) && arguments.inputs.size() > op.inputs.size()) {
    const Expression& extra = *call.children[op.inputs.size() + 1];
    std::vector<std::string> names;
    for (const AttributeDef& attribute : op.attributes) names.push_back(attribute.name);
    const std::string hint =
        names.empty() ? ""
                      : Cat("; attributes are keyword arguments: ", ListNames(std::move(names)));
    return Fail(extra.begin, Cat("`", op_name, "`: expected at most ", op.inputs.size(),
                                 op.inputs.size() == 1 ? " input" : " inputs", ", found ",
                                 arguments.inputs.size(), hint));
  }
  const size_t positional = arguments.inputs.size();
  for (const NamedExpression& argument : call.named) AddKeyword(op, argument, arguments);
  if (arguments.ok) FillInputs(op, positional, position, arguments);
  if (!arguments.functions.empty()) AddTaken(op, position, arguments);
  if (!arguments.names.empty()) {
    const std::string attribute(NamesAttributeOf(op));
    if (arguments.HasAttribute(attribute)) {
      return Fail(position, Cat("`", op_name, "`: `", attribute,
                                "` and further keyword arguments are mutually exclusive"));
    }
    arguments.attributes.emplace_back(attribute, AttributeListOf(arguments.names));
  }
  if (!arguments.ok) return {};
  return AddNode(op.name, std::move(arguments.inputs), std::move(arguments.attributes),
                 std::move(arguments.attribute_edges), NameOr(std::move(name)), position);
}

void ExpressionBuilder::AddKeyword(const OpDef& op, const NamedExpression& argument,
                                   OpArguments& out) {
  const std::string name(argument.name);
  const Expression& value = *argument.value;
  const bool is_attribute = LookupAttribute(op, name) != nullptr;
  const std::optional<size_t> input = InputNamed(op, name);
  if (is_attribute && (NamesFunction(op, name) || NamesFunctions(op, name))) {
    return AddFunctionAttribute(op, argument, out);
  }
  if (is_attribute && (value.kind == ExpressionKind::kType ||
                       value.kind == ExpressionKind::kStatic || IsDTypeName(value))) {
    return AddStaticAttribute(argument, out);
  }
  // Some ops accept inputs with any names. An input is a value, so a function is an error here.
  const bool is_function = value.kind == ExpressionKind::kName &&
                           !locals_.contains(std::string(value.text)) && !HasCapture(value.text) &&
                           scope_.functions.Lookup(value.text) != nullptr;
  if (!is_attribute && !input && (NamesAttributeOf(op).empty() || is_function)) {
    std::vector<std::string> names;
    for (const AttributeDef& attribute : op.attributes) names.push_back(attribute.name);
    for (const std::string& other : op.inputs) names.emplace_back(PlainInput(other));
    errors_.Add(argument.position,
                Cat("`", op.name, "`: keyword argument `", Printable(name), "` not found",
                    HintAtName(name, std::move(names), "available")));
    if (!is_function) EvaluatePart(value);
    out.ok = false;
    return;
  }
  BodyOperand operand = EvaluatePart(value);
  if (!operand.ok) {
    out.ok = false;
  } else if (is_attribute && (operand.constant || !input)) {
    if (!operand.constant) {
      out.attribute_edges.emplace_back(name, std::move(operand));
    } else if (IsStatic(operand.constant->spec())) {
      out.attributes.emplace_back(name, operand.constant->spec());
    } else {
      errors_.Add(value.begin,
                  Cat("attribute `", name, "`: expected plain values, found a value of type `",
                      operand.constant->spec(), "`"));
      out.ok = false;
    }
  } else if (input) {
    AddInput(op, *input, argument, std::move(operand), out);
  } else {
    out.names.push_back(name);
    out.inputs.push_back(std::move(operand));
  }
}

void ExpressionBuilder::AddInput(const OpDef& op, size_t input, const NamedExpression& argument,
                                 BodyOperand operand, OpArguments& out) {
  if (input < out.inputs.size() && out.inputs[input].ok) {
    errors_.Add(argument.position, Cat("`", op.name, "`: duplicate input `", argument.name, "`"));
    out.ok = false;
    return;
  }
  if (out.inputs.size() <= input) out.inputs.resize(input + 1);
  out.inputs[input] = std::move(operand);
}

void ExpressionBuilder::FillInputs(const OpDef& op, size_t positional, size_t position,
                                   OpArguments& out) {
  for (size_t i = positional; i < out.inputs.size(); ++i) {
    if (out.inputs[i].ok) continue;
    if (op.inputs[i].ends_with("?")) {
      out.inputs[i].ok = true;
      out.inputs[i].constant = Value::None();
      continue;
    }
    errors_.Add(position, Cat("`", op.name, "`: missing input `", PlainInput(op.inputs[i]), "`"));
    out.ok = false;
  }
}

bool ExpressionBuilder::IsDTypeName(const Expression& value) const {
  return value.kind == ExpressionKind::kName && LookupDType(value.text) &&
         !locals_.contains(std::string(value.text)) && !HasCapture(value.text);
}

void ExpressionBuilder::AddStaticAttribute(const NamedExpression& argument, OpArguments& out) {
  const Expression& value = *argument.value;
  const std::string name(argument.name);
  if (value.kind == ExpressionKind::kName) {
    out.attributes.emplace_back(name, AttributeOf(value.text));
  } else if (value.kind == ExpressionKind::kStatic) {
    BodyOperand operand = EvaluatePart(*value.children[0]);
    out.ok = out.ok && operand.ok;
    out.attribute_edges.emplace_back(name, std::move(operand));
  } else {
    auto type = WithoutTensorNames(value.type);
    if (type.ok()) {
      out.attributes.emplace_back(name, *std::move(type));
    } else {
      errors_.Add(value.begin, std::string(MessageOf(type.status())));
      out.ok = false;
    }
  }
}

std::optional<std::string> ExpressionBuilder::FunctionNamed(const Expression& value) {
  std::string name = DottedName(value);
  if (!name.empty()) {
    // a function of the model, or `net.main` of an imported file
  } else if (value.kind == ExpressionKind::kValue && value.value.spec().is(TypeKind::kLiteral) &&
             value.value.literal().is(Literal::Kind::kString)) {
    name = value.value.literal().string_value();
  } else {
    errors_.Add(value.begin, "expected the name of a function of the model");
    return std::nullopt;
  }
  if (const std::string* function = scope_.functions.Lookup(name)) return *function;
  errors_.Add(value.begin, Cat("function `", Printable(name), "` not found",
                               HintAtName(name, scope_.functions.All(), "functions")));
  return std::nullopt;
}

void ExpressionBuilder::AddFunctionAttribute(const OpDef& op, const NamedExpression& argument,
                                             OpArguments& out) {
  const Expression& value = *argument.value;
  const std::string name(argument.name);
  if (NamesFunctions(op, name)) {
    std::vector<std::string> names;
    if (value.kind != ExpressionKind::kList) {
      errors_.Add(value.begin, "expected a list of functions, such as `[f, g]`");
      out.ok = false;
      return;
    }
    for (const auto& child : value.children) {
      auto function = FunctionNamed(*child);
      out.ok = out.ok && function.has_value();
      if (function) names.push_back(*std::move(function));
    }
    out.functions.insert(out.functions.end(), names.begin(), names.end());
    out.attributes.emplace_back(name, AttributeListOf(names));
    return;
  }
  const bool is_none = value.kind == ExpressionKind::kValue &&
                       value.value.spec().is(TypeKind::kLiteral) &&
                       value.value.literal().is(Literal::Kind::kNone);
  if (is_none) return out.attributes.emplace_back(name, value.value.spec()), void();
  auto function = FunctionNamed(value);
  out.ok = out.ok && function.has_value();
  if (!function) return;
  out.attributes.emplace_back(name, AttributeOf(std::string_view(*function)));
  out.functions.push_back(*std::move(function));
}

namespace {

// Returns the names of the components of the value that a call makes: those of an earlier version
// of the type, if the call states its static attributes, or those of the type itself.
std::vector<std::string> ComponentsOfCall(const ExtensionDeclaration& declaration,
                                          const Expression& call) {
  auto states = [&](const std::pair<std::string, TypeSpec>& attribute) {
    return std::any_of(call.named.begin(), call.named.end(), [&](const NamedExpression& argument) {
      return argument.name == attribute.first && argument.value->kind == Expression::Kind::kValue &&
             argument.value->value.spec() == attribute.second;
    });
  };
  for (const TypeSpec& older : declaration.older) {
    const auto& form = *older.As<ExtensionSpec>();
    const NamedTypes& statics = form.statics();
    if (statics.empty() || !std::all_of(statics.begin(), statics.end(), states)) continue;
    return {form.component_names().begin(), form.component_names().end()};
  }
  std::vector<std::string> names;
  for (const auto& component : declaration.components) names.push_back(component.first);
  return names;
}

}  // namespace

BodyOperand ExpressionBuilder::MakeExtension(const std::string& type, const Expression& call,
                                             std::string name) {
  auto found = scope_.model.types.Find(type);
  const ExtensionDeclaration& declaration = **found;
  std::vector<BodyOperand> inputs = Positional(call);
  bool ok = true;
  std::vector<std::pair<std::string, BodyOperand>> statics;
  const std::vector<std::string> component_names = ComponentsOfCall(declaration, call);
  std::vector<std::optional<BodyOperand>> components(component_names.size());
  if (inputs.size() > components.size()) {
    return Fail(
        call.children[components.size() + 1]->begin,
        Cat("`", type, "`: expected ", components.size(), " components, found ", inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) components[i] = std::move(inputs[i]);
  for (const NamedExpression& argument : call.named) {
    const std::string key(argument.name);
    const auto& attributes = declaration.attributes;
    const auto component = std::find(component_names.begin(), component_names.end(), key);
    BodyOperand operand = EvaluatePart(*argument.value);
    ok = ok && operand.ok;
    if (component != component_names.end()) {
      const auto i = static_cast<size_t>(component - component_names.begin());
      if (components[i]) {
        Fail(argument.position, Cat("`", type, "`: duplicate component `", key, "`"));
        ok = false;
      }
      components[i] = std::move(operand);
    } else if (std::find(attributes.begin(), attributes.end(), key) != attributes.end()) {
      if (operand.ok && operand.constant && !IsStatic(operand.constant->spec())) {
        Fail(argument.value->begin, Cat("static attribute `", key, "`: expected a plain value"));
        ok = false;
      }
      statics.emplace_back(key, std::move(operand));
    } else {
      std::vector<std::string> names = attributes;
      names.insert(names.end(), component_names.begin(), component_names.end());
      Fail(argument.position, Cat("`", type, "`: component `", Printable(key), "` not found",
                                  HintAtName(key, std::move(names), "available")));
      ok = false;
    }
  }
  inputs.clear();
  for (size_t i = 0; i < components.size(); ++i) {
    if (!components[i] && ok) {
      return Fail(call.begin, Cat("`", type, "`: missing component `", component_names[i], "`"));
    }
    if (components[i]) inputs.push_back(*std::move(components[i]));
  }
  if (!ok) return {};
  for (const std::string& attribute : declaration.attributes) {
    const bool is_given = std::any_of(statics.begin(), statics.end(),
                                      [&](const auto& entry) { return entry.first == attribute; });
    if (is_given) continue;
    return Fail(call.begin, Cat("`", type, "`: missing static attribute `", attribute, "`"));
  }
  NamedTypes attributes = {{"type", AttributeOf(std::string_view(type))}};
  std::vector<std::pair<std::string, BodyOperand>> computed;
  const bool is_known = std::all_of(statics.begin(), statics.end(), [](const auto& entry) {
    return entry.second.constant.has_value();
  });
  if (is_known && !statics.empty()) {
    NamedTypes types;
    for (auto& [key, operand] : statics) types.emplace_back(key, operand.constant->spec());
    auto dict = MakeDictType(std::move(types));
    if (!dict.ok()) return Fail(call.begin, std::string(MessageOf(dict.status())));
    attributes.emplace_back("statics", *std::move(dict));
  } else if (!statics.empty()) {
    // Known when the function is specialized, such as a static attribute of a parameter.
    std::vector<std::string> names;
    std::vector<BodyOperand> values;
    for (auto& [key, operand] : statics) {
      names.push_back(key);
      values.push_back(std::move(operand));
    }
    computed.emplace_back(
        "statics", AddNode("make_dict", std::move(values), {{"names", AttributeListOf(names)}}, {},
                           NameOr(""), call.begin));
  }
  return AddNode("make_extension", std::move(inputs), std::move(attributes), std::move(computed),
                 NameOr(std::move(name)), call.begin);
}

}  // namespace signet
