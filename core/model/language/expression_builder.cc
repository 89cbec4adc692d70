#include "core/model/language/expression_builder.h"

#include "core/base/nearest_name.h"
#include "core/model/language/index_text.h"
#include "core/model/language/op_parts.h"
#include "core/model/language/operator_ops.h"
#include "core/model/language/syntax/limits.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/limits.h"
#include "core/ops/catalog.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"
#include "core/types/dtype_hint.h"
#include "signet/dtype.h"
#include "signet/literal_spec.h"
#include "signet/notation.h"

namespace signet {

BodyOperand ExpressionBuilder::Evaluate(const Expression& expression, std::string name) {
  if (errors_.is_full()) return {};
  switch (expression.kind) {
    case ExpressionKind::kName:
      return EvaluateName(expression);
    case ExpressionKind::kLocal:
    case ExpressionKind::kCapture:
      return EvaluateQuoted(expression);
    case ExpressionKind::kValue: {
      BodyOperand operand{.ok = true, .constant = expression.value, .text = {}};
      return operand;
    }
    case ExpressionKind::kType:
      return Fail(expression.begin, "expected a value, found a type; types are attributes");
    case ExpressionKind::kStatic:
      return Fail(expression.begin, "`static(...)` is allowed only in a keyword argument");
    case ExpressionKind::kList:
    case ExpressionKind::kTuple:
    case ExpressionKind::kDict:
      return EvaluateNest(expression, std::move(name));
    case ExpressionKind::kField:
      return EvaluateField(expression, std::move(name));
    case ExpressionKind::kIndex:
      return EvaluateIndex(expression, std::move(name));
    case ExpressionKind::kCall:
      return EvaluateCall(expression, std::move(name));
    case ExpressionKind::kUnary:
    case ExpressionKind::kBinary:
      return EvaluateOperator(expression, std::move(name));
  }
  return {};
}

BodyOperand ExpressionBuilder::OfCapture(std::string_view name) {
  BodyOperand operand{.ok = true, .edge = build_.AddCapture(name), .text = std::string(name)};
  return operand;
}

BodyOperand ExpressionBuilder::EvaluateName(const Expression& expression) {
  const std::string name(expression.text);
  auto local = locals_.find(name);
  if (local != locals_.end()) return local->second.operand;
  if (HasCapture(name)) return OfCapture(name);
  if (scope_.functions.Lookup(name) != nullptr) {
    return Fail(expression.begin, Cat("expected a value, found the function `", name,
                                      "`; call it as `", name, "(...)`"));
  }
  if (explicit_.contains(name)) {
    return Fail(expression.begin,
                Cat("name `", Printable(name), "` is used before it is assigned"));
  }
  if (LookupDType(name)) {
    return Fail(expression.begin, Cat("expected a value, found the dtype `", name,
                                      "`; pass it by name: `dtype=", name, "`"));
  }
  std::vector<std::string> names = ValueNames();
  std::vector<std::string_view> views(names.begin(), names.end());
  std::string hint;
  if (!NearestName(name, views)) {
    constexpr std::string_view kConstants[] = {"True", "False", "None"};
    const auto constant = name == "null" ? "None" : NearestName(name, kConstants);
    hint = constant ? Cat("; did you mean `", *constant, "`?") : HintForDType(name);
  }
  if (hint.empty()) hint = HintAtName(name, std::move(names), "available");
  return Fail(expression.begin, Cat("name `", Printable(name), "` not found", hint));
}

BodyOperand ExpressionBuilder::EvaluateQuoted(const Expression& expression) {
  const std::string name(expression.text);
  if (expression.kind == ExpressionKind::kCapture) {
    if (HasCapture(name)) return OfCapture(name);
    std::vector<std::string> names;
    for (const auto& [other, capture] : captures_) names.push_back(other);
    return Fail(expression.operator_position, Cat("capture `", Printable(name), "` not found",
                                                  HintAtName(name, std::move(names), "captures")));
  }
  auto local = locals_.find(name);
  if (local != locals_.end()) return local->second.operand;
  return Fail(expression.operator_position, Cat("name `", Printable(name), "` not found",
                                                HintAtName(name, ValueNames(), "available")));
}

BodyOperand ExpressionBuilder::EvaluateNest(const Expression& expression, std::string name) {
  std::vector<BodyOperand> children;
  std::vector<std::string> names;
  for (const auto& child : expression.children) children.push_back(EvaluatePart(*child));
  for (const NamedExpression& entry : expression.named) {
    children.push_back(EvaluatePart(*entry.value));
    names.emplace_back(entry.name);
  }
  bool is_constant = true;
  for (const BodyOperand& child : children) {
    if (!child.ok) return {};
    is_constant = is_constant && child.constant;
  }
  if (!is_constant) {
    NamedTypes attributes;
    if (expression.kind == ExpressionKind::kDict)
      attributes.emplace_back("names", AttributeListOf(names));
    const std::string_view op = expression.kind == ExpressionKind::kList    ? "make_list"
                                : expression.kind == ExpressionKind::kTuple ? "make_tuple"
                                                                            : "make_dict";
    return AddNode(op, std::move(children), std::move(attributes), {}, NameOr(std::move(name)),
                   expression.begin);
  }
  std::vector<Value> values;
  for (BodyOperand& child : children) values.push_back(*std::move(child.constant));
  BodyOperand out{.ok = true, .text = {}};
  if (expression.kind == ExpressionKind::kList) {
    out.constant = ListOf(values);
  } else if (expression.kind == ExpressionKind::kTuple) {
    out.constant = TupleOf(values);
  } else {
    NamedValues items;
    for (size_t i = 0; i < names.size(); ++i) items.emplace_back(names[i], values[i]);
    auto dict = MakeDict(std::move(items));
    if (!dict.ok()) return Fail(expression.begin, std::string(MessageOf(dict.status())));
    out.constant = *std::move(dict);
  }
  return out;
}

BodyOperand ExpressionBuilder::EvaluateOperator(const Expression& expression, std::string name) {
  std::vector<BodyOperand> inputs;
  for (const auto& child : expression.children) inputs.push_back(EvaluatePart(*child));
  const std::string_view op = expression.kind == ExpressionKind::kUnary
                                  ? OpOfUnary(expression.text)
                                  : OpOfBinary(expression.text);
  for (const BodyOperand& input : inputs) {
    if (!input.ok) return {};
  }
  return AddNode(op, std::move(inputs), AttributesOfOperator(expression.text), {},
                 NameOr(std::move(name)), expression.operator_position);
}

BodyOperand ExpressionBuilder::AddPart(std::string_view op, std::vector<BodyOperand> inputs,
                                       NamedTypes attributes, std::string name,
                                       const std::string& text, size_t position) {
  for (const BodyOperand& input : inputs) {
    if (!input.ok) return {};
  }
  if (!name.empty())
    return AddNode(op, std::move(inputs), std::move(attributes), {}, std::move(name), position);
  auto known = parts_.find(text);
  if (known != parts_.end()) return known->second;
  const bool is_name = !inputs[0].text.empty() && text.size() <= kMaxLocalName && IsFree(text);
  BodyOperand part = AddNode(op, std::move(inputs), std::move(attributes), {},
                             is_name ? text : NextName(), position);
  if (is_name && part.ok) parts_.emplace(text, part);
  return part;
}

BodyOperand ExpressionBuilder::EvaluateField(const Expression& expression, std::string name) {
  const std::string dotted = DottedName(expression);
  const std::string head = dotted.substr(0, dotted.find('.'));
  if (!dotted.empty() && !locals_.contains(head) && !HasCapture(head) && HasCapture(dotted)) {
    return Fail(expression.begin, Cat("name `", Printable(head), "` not found; write `captures[",
                                      Quote(dotted), "]` for the capture of this name"));
  }
  if (const OpDef* op = OpOfSeveral(*expression.children[0])) {
    return SelectOutput(*op, expression, std::move(name));
  }
  BodyOperand base = EvaluatePart(*expression.children[0]);
  if (base.first_of != nullptr) return FailSelection(*base.first_of, expression);
  std::string text = Cat(base.text, ".", expression.text);
  return AddPart("struct_get", {std::move(base)}, {{"field", AttributeOf(expression.text)}},
                 std::move(name), text, expression.operator_position);
}

bool ExpressionBuilder::ReadBound(const ExpressionPointer& expression,
                                  std::optional<int64_t>& bound, std::optional<size_t>* input,
                                  std::vector<BodyOperand>& inputs,
                                  std::vector<std::string>& references) {
  if (expression == nullptr) return true;
  BodyOperand operand = EvaluatePart(*expression);
  if (!operand.ok) return false;
  if (const Literal* literal = operand.literal()) {
    bound = literal->AsInt64();
    if (bound || literal->is(Literal::Kind::kNone)) return true;
  }
  if (operand.constant || input == nullptr) {
    errors_.Add(expression->begin, input == nullptr ? "expected an integer as the step of a slice"
                                                    : "expected an integer or a value in a slice");
    return false;
  }
  *input = references.size();
  references.push_back(operand.text);
  inputs.push_back(std::move(operand));
  return true;
}

std::optional<IndexKey> ExpressionBuilder::ReadKey(const KeyExpression& key,
                                                   std::vector<BodyOperand>& inputs,
                                                   std::vector<std::string>& references) {
  if (key.kind == KeyExpression::Kind::kEllipsis) return IndexKey(EllipsisKey{});
  if (key.kind == KeyExpression::Kind::kSlice) {
    SliceKey slice;
    const bool ok = ReadBound(key.value, slice.start, &slice.start_input, inputs, references) &&
                    ReadBound(key.stop, slice.stop, &slice.stop_input, inputs, references) &&
                    ReadBound(key.step, slice.step, nullptr, inputs, references);
    if (ok && slice.step != 0) return IndexKey(slice);
    if (ok) errors_.Add(key.step->begin, "expected a step other than 0");
    return std::nullopt;
  }
  BodyOperand operand = EvaluatePart(*key.value);
  if (!operand.ok) return std::nullopt;
  if (operand.constant) {
    if (const Literal* literal = operand.literal()) {
      if (auto index = literal->AsInt64()) return IndexKey(*index);
      if (literal->is(Literal::Kind::kNone)) return IndexKey(NewAxisKey{});
      if (literal->is(Literal::Kind::kString)) return IndexKey(literal->string_value());
    }
    errors_.Add(key.position,
                Cat("expected an integer, a name in quotation marks, a slice, `...`, or None as a "
                    "key, found `",
                    Printable(ToString(*operand.constant)), "`"));
    return std::nullopt;
  }
  references.push_back(operand.text);
  inputs.push_back(std::move(operand));
  return IndexKey(InputKey{references.size() - 1});
}

const OpDef* ExpressionBuilder::OpOfSeveral(const Expression& expression) const {
  if (expression.kind != ExpressionKind::kCall) return nullptr;
  std::string callee = DottedName(*expression.children[0]);
  if (callee.empty() || scope_.functions.Lookup(callee) != nullptr) return nullptr;
  if (callee.starts_with("ops.")) callee = callee.substr(4);
  const OpDef* op = BuiltinOps().Lookup(callee == "while_loop" ? "while" : callee);
  if (op == nullptr || op->internal) return nullptr;
  auto is_set = [&](std::string_view attribute) {
    return std::any_of(expression.named.begin(), expression.named.end(), [&](const auto& entry) {
      const Expression& value = *entry.value;
      return entry.name == attribute && value.kind == ExpressionKind::kValue &&
             value.value.spec() == AttributeOf(true);
    });
  };
  return HasSeveralOutputs(*op, expression.children.size() - 1, is_set) ? op : nullptr;
}

BodyOperand ExpressionBuilder::SelectOutput(const OpDef& op, const Expression& selection,
                                            std::string name) {
  const std::optional<size_t> output = OutputOf(op, selection);
  BodyOperand operand = Evaluate(*selection.children[0], std::move(name));
  if (!output || !operand.ok) return {};
  if (operand.max_outputs && *output >= *operand.max_outputs) {
    return Fail(selection.operator_position, Cat("`", op.name, "` has ", *operand.max_outputs,
                                                 " outputs, found the index ", *output));
  }
  if (*output == 0) return operand;
  operand.text = Cat(operand.text, ":", *output);
  operand.edge.output = static_cast<int>(*output);
  return operand;
}

std::optional<size_t> ExpressionBuilder::OutputOf(const OpDef& op, const Expression& selection) {
  std::vector<std::string> names;
  for (std::string_view output : op.outputs) {
    if (!output.ends_with("...")) names.emplace_back(PlainInput(output));
  }
  if (selection.kind == ExpressionKind::kField) {
    auto found = std::find(names.begin(), names.end(), selection.text);
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
  } else if (selection.keys.size() == 1 && selection.keys[0].kind == KeyExpression::Kind::kValue) {
    const BodyOperand key = EvaluatePart(*selection.keys[0].value);
    if (!key.ok) return std::nullopt;
    const auto index = key.literal() != nullptr ? key.literal()->AsInt64() : std::nullopt;
    if (index && *index >= 0 && *index <= kMaxNodeInputs) return static_cast<size_t>(*index);
  }
  const std::string hint =
      names.empty() ? std::string() : Cat(", or its name: ", ListNames(std::move(names)));
  errors_.Add(selection.operator_position,
              Cat("`", op.name, "` has several outputs: expected the number of one, as in `",
                  op.name, "(...)[0]`", hint));
  return std::nullopt;
}

BodyOperand ExpressionBuilder::FailSelection(const OpDef& op, const Expression& selection) {
  const std::string_view name = selection.children[0]->text;
  return Fail(
      selection.operator_position,
      Cat("`", name, "` is the first of several outputs of `", op.name, "`; write `", name, " = ",
          op.name, "(...)[0]`, or a name for each output, as in `a, b = ", op.name, "(...)`"));
}

BodyOperand ExpressionBuilder::EvaluateIndex(const Expression& expression, std::string name) {
  if (const OpDef* op = OpOfSeveral(*expression.children[0])) {
    return SelectOutput(*op, expression, std::move(name));
  }
  BodyOperand base = EvaluatePart(*expression.children[0]);
  if (base.first_of != nullptr) return FailSelection(*base.first_of, expression);
  std::string text = base.text;
  std::vector<BodyOperand> inputs;
  inputs.push_back(std::move(base));
  std::vector<IndexKey> keys;
  std::vector<std::string> references;
  if (expression.keys.size() > kMaxIndexKeys) {
    return Fail(expression.operator_position,
                Cat(expression.keys.size(), " keys exceed the limit of ", kMaxIndexKeys));
  }
  bool ok = true;
  for (const KeyExpression& key : expression.keys) {
    if (auto read = ReadKey(key, inputs, references)) {
      keys.push_back(*std::move(read));
    } else {
      ok = false;
    }
  }
  if (!ok) return {};
  text.append(TextOfKeys(keys, references));
  return AddPart("get_item", std::move(inputs),
                 {{"key", AttributeOf(std::span<const IndexKey>(keys))}}, std::move(name), text,
                 expression.operator_position);
}

}  // namespace signet
