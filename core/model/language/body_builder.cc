#include "core/model/language/body_builder.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/base/nearest_name.h"
#include "core/graph/body/function_references.h"
#include "core/graph/body/graph_builder.h"
#include "core/graph/body/verify.h"
#include "core/model/dimension_checks.h"
#include "core/model/language/limits.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/limits.h"
#include "core/ops/catalog.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/familiar_names.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"
#include "signet/extension_spec.h"
#include "signet/index_key.h"
#include "signet/literal_spec.h"
#include "signet/notation.h"

namespace signet {
namespace {

using ExpressionKind = Expression::Kind;

struct OperatorOp {
  std::string_view text;
  std::string_view op;
};
constexpr OperatorOp kBinaryOps[] = {
    {"or", "logical_or"}, {"and", "logical_and"}, {"==", "equal"},  {"!=", "not_equal"},
    {"<", "less"},        {"<=", "less_equal"},   {">", "greater"}, {">=", "greater_equal"},
    {"+", "add"},         {"-", "sub"},           {"*", "mul"},     {"/", "div"},
    {"//", "floordiv"},   {"%", "mod"},           {"@", "matmul"},  {"**", "pow"},
};
constexpr OperatorOp kUnaryOps[] = {{"-", "neg"}, {"not", "logical_not"}};

template <size_t N>
std::string_view Find(const OperatorOp (&table)[N], std::string_view text) {
  for (const OperatorOp& row : table) {
    if (row.text == text) return row.op;
  }
  return {};
}

std::string_view PlainInput(std::string_view input) {
  if (input.ends_with("...")) input.remove_suffix(3);
  if (input.ends_with("?")) input.remove_suffix(1);
  return input;
}

bool IsVariadic(const OpDef& op) { return !op.inputs.empty() && op.inputs.back().ends_with("..."); }

const AttributeDef* LookupAttribute(const OpDef& op, std::string_view name) {
  for (const AttributeDef& attribute : op.attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

std::optional<size_t> InputNamed(const OpDef& op, std::string_view name) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (PlainInput(op.inputs[i]) == name && !op.inputs[i].ends_with("...")) return i;
  }
  return std::nullopt;
}

// Returns a hint with the name that the author probably meant, or the names that exist.
std::string Hint(std::string_view name, std::vector<std::string> names, std::string_view what) {
  std::sort(names.begin(), names.end());
  std::vector<std::string_view> views(names.begin(), names.end());
  if (auto nearest = NearestName(name, views)) return Cat("; did you mean `", *nearest, "`?");
  return Cat("; ", what, ": ", ListNames(std::move(names)));
}

// The value of an expression: an edge of the graph, or a value that is known now.
struct BodyOperand {
  bool ok = false;  // false: an error was added
  std::optional<Value> constant = {};
  GraphEdge edge = {};
  std::string text = {};                   // the name of the edge in the names of its fields
  std::optional<size_t> max_outputs = {};  // of the node, if it is known

  const Literal* literal() const {
    return constant && constant->spec().is(TypeKind::kLiteral) ? &constant->literal() : nullptr;
  }
};

// The arguments of a call of an op.
struct Arguments {
  std::vector<BodyOperand> inputs;
  NamedTypes attributes;
  std::vector<std::pair<std::string, BodyOperand>> attribute_edges;
  std::vector<std::string> names;           // of the last inputs
  std::vector<std::string> functions = {};  // that the op calls
  bool ok = true;

  bool HasAttribute(std::string_view name) const {
    auto is_named = [&](const auto& entry) { return entry.first == name; };
    return std::any_of(attributes.begin(), attributes.end(), is_named) ||
           std::any_of(attribute_edges.begin(), attribute_edges.end(), is_named);
  }
};

class BodyBuilder {
 public:
  BodyBuilder(const FunctionSyntax& function, const BodyScope& scope, FunctionDef& def,
              NodePositions& positions, SourceErrors& errors)
      : function_(function),
        scope_(scope),
        captures_(scope.model.captures),
        def_(def),
        positions_(positions),
        errors_(errors),
        may_override_(!scope.model.types.Names().empty()),
        build_(BuiltinOps(), captures_) {}

  void Build() {
    AddParameters();
    for (const Statement& statement : function_.statements) {
      for (const Target& target : statement.targets) {
        if (!target.is_blank) explicit_.emplace(target.name);
      }
    }
    std::optional<BodyOperand> result;
    for (const Statement& statement : function_.statements) {
      if (errors_.is_full()) return;
      if (result) {
        errors_.Add(statement.position, "expected the end of the function after `return`");
        break;
      }
      switch (statement.kind) {
        case Statement::Kind::kAssign:
          Assign(statement);
          break;
        case Statement::Kind::kExpression:
          Perform(statement);
          break;
        case Statement::Kind::kReturn:
          base_ = "result";
          result = Evaluate(*statement.value, NameOfResult(*statement.value));
          break;
      }
    }
    if (!result) {
      errors_.Add(function_.position, Cat("function `", function_.name, "`: missing `return`"));
    }
    if (!errors_.empty() || !result || !result->ok) return;
    auto graph = std::move(build_).Finish(EdgeOf(*result));
    if (graph.ok()) {
      def_.graph = *std::move(graph);
    } else {
      errors_.Add(function_.position, std::string(MessageOf(graph.status())));
    }
  }

 private:
  // --- names

  void AddParameters() {
    for (const Parameter& parameter : def_.type.parameters()) {
      BodyOperand operand{.ok = true, .edge = build_.AddParameter(parameter.name), .text = {}};
      operand.text = parameter.name;
      explicit_.insert(parameter.name);
      locals_.emplace(parameter.name, Local{std::move(operand), function_.position});
    }
    AddSizeChecks(def_.type.parameters(), def_.dimension_names, build_);
    CheckBuilder(function_.position);
  }

  bool HasCapture(std::string_view name) const {
    return captures_.contains(absl::string_view(name.data(), name.size()));
  }

  // Returns whether the name belongs to nothing in this function.
  bool IsFree(const std::string& name) const {
    return !explicit_.contains(name) && !HasCapture(name) && !build_.Lookup(name);
  }

  // Returns the next name of a part of the statement.
  std::string NextName() {
    int& count = counts_[base_];
    std::string name;
    do {
      name = Cat(base_, "_", ++count);
    } while (!IsFree(name));
    return name;
  }

  // Returns the name of the node of `return`. A field or an index has its text as its name.
  std::string NameOfResult(const Expression& value) {
    if (value.kind == ExpressionKind::kField || value.kind == ExpressionKind::kIndex) return {};
    return IsFree("result") ? "result" : NextName();
  }

  BodyOperand Fail(size_t position, std::string message) {
    errors_.Add(position, std::move(message));
    return {};
  }

  void CheckBuilder(size_t position) {
    if (!build_.status().ok()) errors_.Add(position, std::string(MessageOf(build_.status())));
  }

  // --- statements

  void Define(const Target& target, BodyOperand operand) {
    if (target.is_blank || errors_.is_full()) return;
    if (target.name.size() > kMaxLocalName) {
      errors_.Add(target.position, Cat("a name of ", target.name.size(),
                                       " characters exceeds the limit of ", kMaxLocalName));
      return;
    }
    auto [known, is_new] =
        locals_.emplace(std::string(target.name), Local{std::move(operand), target.position});
    if (is_new) return;
    const bool is_parameter = def_.type.LookupParameter(target.name) != nullptr;
    const std::string other =
        is_parameter ? std::string("a parameter has it")
                     : Cat("line ", PositionOf(errors_.source(), known->second.position).line,
                           " assigns it");
    errors_.Add(target.position, Cat("duplicate name `", Printable(target.name), "`; ", other,
                                     "; choose another name, because a name has one value"));
  }

  // Returns false, after an error, for a name that is taken.
  bool CheckTargets(const std::vector<Target>& targets) {
    bool ok = true;
    for (const Target& target : targets) {
      if (target.is_blank || !locals_.contains(std::string(target.name))) continue;
      Define(target, {});  // adds the error
      ok = false;
    }
    return ok;
  }

  void Assign(const Statement& statement) {
    const std::vector<Target>& targets = statement.targets;
    const auto named =
        std::find_if(targets.begin(), targets.end(), [](const Target& t) { return !t.is_blank; });
    base_ = named == targets.end() ? "unused" : std::string(named->name);
    const bool is_free = CheckTargets(targets);
    const Expression& value = *statement.value;
    if (targets.size() > 1 && value.kind == ExpressionKind::kTuple) return AssignEach(statement);
    const bool has_outputs =
        targets.size() == 1 || (value.kind == ExpressionKind::kCall && !HasOneOutput(value));
    std::string name;  // empty: a part
    if (has_outputs) {
      name = is_free && !targets[0].is_blank ? std::string(targets[0].name) : NextName();
    }
    BodyOperand operand = Evaluate(value, std::move(name));
    if (!is_free) return;
    if (targets.size() == 1) return Define(targets[0], std::move(operand));
    if (operand.constant) operand = Fail(value.begin, "expected a call with several results");
    if (operand.ok && !has_outputs) return Unpack(statement, operand);
    if (operand.max_outputs && *operand.max_outputs < targets.size()) {
      operand = Fail(targets[*operand.max_outputs].position,
                     Cat("expected at most ", *operand.max_outputs,
                         " names, one per result of the op, found ", targets.size()));
    }
    for (size_t i = 0; i < targets.size(); ++i) {
      BodyOperand output = operand;
      output.edge.output = static_cast<int>(i);
      if (i > 0) output.text = Cat(operand.text, ":", i);
      Define(targets[i], std::move(output));
    }
  }

  // `a, b = x, y`.
  void AssignEach(const Statement& statement) {
    const auto& values = statement.value->children;
    if (values.size() != statement.targets.size()) {
      errors_.Add(statement.position, Cat("expected ", statement.targets.size(),
                                          " values, one per name, found ", values.size()));
      for (const Target& target : statement.targets) Define(target, {});
      return;
    }
    std::vector<BodyOperand> operands;
    for (size_t i = 0; i < values.size(); ++i) {
      const Target& target = statement.targets[i];
      operands.push_back(
          Evaluate(*values[i], target.is_blank ? NextName() : std::string(target.name)));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      Define(statement.targets[i], std::move(operands[i]));
    }
  }

  // A call of a function has one result, which may be a tuple.
  bool HasOneOutput(const Expression& value) const {
    if (value.kind != ExpressionKind::kCall) return false;
    const std::string callee = DottedName(*value.children[0]);
    if (scope_.functions.Lookup(callee) != nullptr) return true;
    const OpDef* op = BuiltinOps().Lookup(
        callee.starts_with("ops.") ? std::string_view(callee).substr(4) : std::string_view(callee));
    return op != nullptr && op->control != Control::kNone &&
           MaxOutputs(*op, value.children.size() - 1) == size_t{1};
  }

  void Unpack(const Statement& statement, const BodyOperand& tuple) {
    for (size_t i = 0; i < statement.targets.size(); ++i) {
      const Target& target = statement.targets[i];
      if (target.is_blank) continue;
      const IndexKey key(static_cast<int64_t>(i));
      Define(target, AddNode("get_item", {tuple}, {{"key", AttributeOf(std::span(&key, 1))}}, {},
                             std::string(target.name), target.position));
    }
  }

  // A call whose result is not used, such as `check_true(...)`.
  void Perform(const Statement& statement) {
    if (statement.value->kind != ExpressionKind::kCall) {
      errors_.Add(statement.position, "expected an assignment, a call, or `return`");
      return;
    }
    base_ = DottedName(*statement.value->children[0]);
    if (base_.empty()) base_ = "unused";
    std::replace(base_.begin(), base_.end(), '.', '_');
    Evaluate(*statement.value, NextName());
  }

  // --- nodes

  GraphEdge EdgeOf(const BodyOperand& operand) {
    if (!operand.constant) return operand.edge;
    const Literal* literal = operand.literal();
    return literal != nullptr ? build_.AddLiteral(*literal) : build_.AddLiteral(*operand.constant);
  }

  // Adds a node. The arguments are operands without errors, or the result is an error, too.
  BodyOperand AddNode(std::string_view op_name, std::vector<BodyOperand> inputs,
                      NamedTypes attributes,
                      std::vector<std::pair<std::string, BodyOperand>> attribute_edges,
                      std::string name, size_t position) {
    auto op = BuiltinOps().FindCallable(op_name);
    if (!op.ok()) return Fail(position, std::string(MessageOf(op.status())));
    auto is_ok = [](const BodyOperand& operand) { return operand.ok; };
    bool ok = std::all_of(inputs.begin(), inputs.end(), is_ok);
    GraphNode checked{.name = name, .op = *op, .inputs = {}, .attributes = attributes};
    for (const auto& [attribute, operand] : attribute_edges) {
      checked.attribute_edges.emplace_back(attribute, GraphEdge());
      ok = ok && operand.ok;
    }
    positions_.emplace(name, position);
    Status status = CheckArity(**op, inputs.size());
    if (status.ok()) status = CompleteAttributesOf(checked).status();
    if (!status.ok()) return Fail(position, Cat("`", op_name, "`: ", MessageOf(status)));
    if (!ok || !build_.status().ok()) return {};
    GraphBuilder::Edges edges;
    for (const BodyOperand& input : inputs) edges.push_back(EdgeOf(input));
    GraphBuilder::AttributeEdges others;
    for (auto& [attribute, operand] : attribute_edges) {
      others.emplace_back(attribute, EdgeOf(operand));
    }
    BodyOperand out{.ok = true, .edge = {}, .text = {}};
    out.edge = build_.AddNode(name, op_name, std::move(edges), Attributes(std::move(attributes)),
                              std::move(others));
    CheckBuilder(position);
    out.ok = build_.status().ok();
    const bool may_override = may_override_ && !(*op)->any_type && (*op)->control == Control::kNone;
    if (!may_override) out.max_outputs = MaxOutputs(**op, inputs.size());
    out.text = std::move(name);
    return out;
  }

  // --- expressions

  // Returns the value of an expression. If the expression makes a node, its name is `name`, or if
  // `name` is empty, the next name of a part.
  BodyOperand Evaluate(const Expression& expression, std::string name) {
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
  BodyOperand EvaluatePart(const Expression& expression) { return Evaluate(expression, ""); }

  std::string NameOr(std::string name) { return name.empty() ? NextName() : std::move(name); }

  std::vector<std::string> ValueNames() const {
    std::vector<std::string> names;
    for (const auto& [name, local] : locals_) names.push_back(name);
    for (const auto& [name, capture] : captures_) names.push_back(name);
    return names;
  }

  BodyOperand OfCapture(std::string_view name) {
    BodyOperand operand{.ok = true, .edge = build_.AddCapture(name), .text = std::string(name)};
    return operand;
  }

  BodyOperand EvaluateName(const Expression& expression) {
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
    return Fail(expression.begin, Cat("name `", Printable(name), "` not found",
                                      Hint(name, ValueNames(), "available")));
  }

  BodyOperand EvaluateQuoted(const Expression& expression) {
    const std::string name(expression.text);
    if (expression.kind == ExpressionKind::kCapture) {
      if (HasCapture(name)) return OfCapture(name);
      std::vector<std::string> names;
      for (const auto& [other, capture] : captures_) names.push_back(other);
      return Fail(expression.operator_position, Cat("capture `", Printable(name), "` not found",
                                                    Hint(name, std::move(names), "captures")));
    }
    auto local = locals_.find(name);
    if (local != locals_.end()) return local->second.operand;
    return Fail(expression.operator_position, Cat("name `", Printable(name), "` not found",
                                                  Hint(name, ValueNames(), "available")));
  }

  BodyOperand EvaluateNest(const Expression& expression, std::string name) {
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

  BodyOperand EvaluateOperator(const Expression& expression, std::string name) {
    std::vector<BodyOperand> inputs;
    for (const auto& child : expression.children) inputs.push_back(EvaluatePart(*child));
    const std::string_view op = expression.kind == ExpressionKind::kUnary
                                    ? OpOfUnary(expression.text)
                                    : OpOfBinary(expression.text);
    for (const BodyOperand& input : inputs) {
      if (!input.ok) return {};
    }
    return AddNode(op, std::move(inputs), {}, {}, NameOr(std::move(name)),
                   expression.operator_position);
  }

  // Adds the node of a field or an index, or returns the node that exists.
  BodyOperand AddPart(std::string_view op, std::vector<BodyOperand> inputs, NamedTypes attributes,
                      std::string name, const std::string& text, size_t position) {
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

  BodyOperand EvaluateField(const Expression& expression, std::string name) {
    const std::string dotted = DottedName(expression);
    const std::string head = dotted.substr(0, dotted.find('.'));
    if (!dotted.empty() && !locals_.contains(head) && !HasCapture(head) && HasCapture(dotted)) {
      return Fail(expression.begin, Cat("name `", Printable(head), "` not found; write `captures[",
                                        Quote(dotted), "]` for the capture of this name"));
    }
    BodyOperand base = EvaluatePart(*expression.children[0]);
    std::string text = Cat(base.text, ".", expression.text);
    return AddPart("struct_get", {std::move(base)}, {{"field", AttributeOf(expression.text)}},
                   std::move(name), text, expression.operator_position);
  }

  // --- indices

  // Returns a bound of a slice. Adds an error unless it is an integer that is known now.
  bool ReadBound(const ExpressionPointer& expression, std::optional<int64_t>& bound) {
    if (expression == nullptr) return true;
    const BodyOperand operand = EvaluatePart(*expression);
    if (!operand.ok) return false;
    if (const Literal* literal = operand.literal()) {
      bound = literal->AsInt64();
      if (bound || literal->is(Literal::Kind::kNone)) return true;
    }
    errors_.Add(expression->begin,
                "expected an integer in a slice; for a computed range, write `slice(x, [start], "
                "[limit])`");
    return false;
  }

  // Reads one key. A computed key is added to `inputs`, and its name to `references`.
  std::optional<IndexKey> ReadKey(const KeyExpression& key, std::vector<BodyOperand>& inputs,
                                  std::vector<std::string>& references) {
    if (key.kind == KeyExpression::Kind::kEllipsis) return IndexKey(EllipsisKey{});
    if (key.kind == KeyExpression::Kind::kSlice) {
      SliceKey slice;
      const bool ok = ReadBound(key.value, slice.start) && ReadBound(key.stop, slice.stop) &&
                      ReadBound(key.step, slice.step);
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
      errors_.Add(
          key.position,
          Cat("expected an integer, a name in quotation marks, a slice, `...`, or None as a "
              "key, found `",
              Printable(ToString(*operand.constant)), "`"));
      return std::nullopt;
    }
    references.push_back(operand.text);
    inputs.push_back(std::move(operand));
    return IndexKey(InputKey{references.size() - 1});
  }

  BodyOperand EvaluateIndex(const Expression& expression, std::string name) {
    BodyOperand base = EvaluatePart(*expression.children[0]);
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

  // --- calls

  BodyOperand EvaluateCall(const Expression& call, std::string name) {
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
    return Fail(callee.begin,
                Cat("op or function `", Printable(dotted), "` not found", HintForCallee(dotted)));
  }

  // --- values that nested functions take from the functions around them (closures.h)

  const TakenNames& TakenBy(const std::string& function) const {
    static const TakenNames kNone;
    auto found = scope_.closures.find(function);
    return found == scope_.closures.end() ? kNone : found->second;
  }

  BodyOperand EvaluateTaken(const std::string& name, size_t position) {
    Expression expression;
    expression.begin = position;
    expression.text = name;
    return EvaluateName(expression);
  }

  // Adds the values that the functions of an op take to its inputs. All these functions take the
  // same values.
  void AddTaken(const OpDef& op, size_t position, Arguments& out) {
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

  // Returns whether models can call the op `name`.
  static bool IsOp(std::string_view name) {
    const OpDef* op = BuiltinOps().Lookup(name);
    return op != nullptr && !op->internal;
  }

  BodyOperand FailMethod(const Expression& callee) {
    std::string_view name = callee.text;
    if (std::string_view familiar = LookupFamiliarName(name); !familiar.empty()) name = familiar;
    const bool is_known = IsOp(name) || scope_.functions.Lookup(name) != nullptr;
    return Fail(callee.operator_position,
                is_known ? Cat("values have no methods; write `", name, "(x, ...)`")
                         : Cat("values have no methods, found `", Printable(name), "`"));
  }

  std::string HintForCallee(std::string_view name) const {
    const std::string_view last = name.substr(name.rfind('.') + 1);  // `sum` of `np.sum`
    if (std::string_view familiar = LookupFamiliarName(last); !familiar.empty()) {
      return Cat("; its name in Signet is `", familiar, "`");
    }
    if (IsOp(last)) return Cat("; write `", last, "(...)`");
    if (last == "print") return "; a function of a model only returns values";
    std::vector<std::string> names = scope_.functions.All();
    const bool has_functions = !names.empty();
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

  // Evaluates the arguments of a call that is an error, so that their errors are reported, too.
  void EvaluateArguments(const Expression& call) {
    for (size_t i = 1; i < call.children.size(); ++i) EvaluatePart(*call.children[i]);
  }

  std::vector<BodyOperand> Positional(const Expression& call) {
    std::vector<BodyOperand> inputs;
    for (size_t i = 1; i < call.children.size(); ++i) {
      inputs.push_back(EvaluatePart(*call.children[i]));
    }
    return inputs;
  }

  BodyOperand CallFunction(const std::string& function, const Expression& call, std::string name) {
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

  BodyOperand CallOp(const std::string& op_name, const Expression& call, std::string name,
                     size_t position) {
    auto found = BuiltinOps().FindCallable(op_name);
    if (!found.ok()) return Fail(position, std::string(MessageOf(found.status())));
    const OpDef& op = **found;
    Arguments arguments;
    arguments.inputs = Positional(call);
    if (!IsVariadic(op) && arguments.inputs.size() > op.inputs.size()) {
      const Expression& extra = *call.children[op.inputs.size() + 1];
      std::vector<std::string> names;
      for (const AttributeDef& attribute : op.attributes) names.push_back(attribute.name);
      return Fail(extra.begin, Cat("`", op_name, "`: expected at most ", op.inputs.size(),
                                   " inputs, found ", arguments.inputs.size(),
                                   names.empty() ? "" : "; attributes are keyword arguments: ",
                                   names.empty() ? "" : ListNames(std::move(names))));
    }
    for (const NamedExpression& argument : call.named) AddKeyword(op, argument, arguments);
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

  void AddKeyword(const OpDef& op, const NamedExpression& argument, Arguments& out) {
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
    if (!is_attribute && !input && NamesAttributeOf(op).empty()) {
      std::vector<std::string> names;
      for (const AttributeDef& attribute : op.attributes) names.push_back(attribute.name);
      for (const std::string& other : op.inputs) names.emplace_back(PlainInput(other));
      errors_.Add(argument.position, Cat("`", op.name, "`: keyword argument `", Printable(name),
                                         "` not found", Hint(name, std::move(names), "available")));
      EvaluatePart(value);
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

  void AddInput(const OpDef& op, size_t input, const NamedExpression& argument, BodyOperand operand,
                Arguments& out) {
    if (input < out.inputs.size() && out.inputs[input].ok) {
      errors_.Add(argument.position, Cat("`", op.name, "`: duplicate input `", argument.name, "`"));
      out.ok = false;
      return;
    }
    // An optional input that is left out is None.
    while (out.inputs.size() <= input) {
      const size_t i = out.inputs.size();
      BodyOperand none;
      if (i < input && op.inputs[i].ends_with("?")) {
        none.ok = true;
        none.constant = Value::None();
      } else if (i < input) {
        errors_.Add(argument.position,
                    Cat("`", op.name, "`: missing input `", PlainInput(op.inputs[i]), "` before `",
                        argument.name, "`"));
        out.ok = false;
        return;
      }
      out.inputs.push_back(std::move(none));
    }
    out.inputs[input] = std::move(operand);
  }

  bool IsDTypeName(const Expression& value) const {
    return value.kind == ExpressionKind::kName && LookupDType(value.text) &&
           !locals_.contains(std::string(value.text)) && !HasCapture(value.text);
  }

  void AddStaticAttribute(const NamedExpression& argument, Arguments& out) {
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

  // Returns the name of a function in the model, or adds an error.
  std::optional<std::string> FunctionNamed(const Expression& value) {
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
                                 Hint(name, scope_.functions.All(), "functions")));
    return std::nullopt;
  }

  void AddFunctionAttribute(const OpDef& op, const NamedExpression& argument, Arguments& out) {
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

  // `project.Type(component, other=component, attribute=value)`.
  BodyOperand MakeExtension(const std::string& type, const Expression& call, std::string name) {
    auto found = scope_.model.types.Find(type);
    const ExtensionDeclaration& declaration = **found;
    std::vector<BodyOperand> inputs = Positional(call);
    bool ok = true;
    std::vector<std::pair<std::string, BodyOperand>> statics;
    std::vector<std::optional<BodyOperand>> components(declaration.components.size());
    if (inputs.size() > components.size()) {
      return Fail(
          call.children[components.size() + 1]->begin,
          Cat("`", type, "`: expected ", components.size(), " components, found ", inputs.size()));
    }
    for (size_t i = 0; i < inputs.size(); ++i) components[i] = std::move(inputs[i]);
    for (const NamedExpression& argument : call.named) {
      const std::string key(argument.name);
      const auto& attributes = declaration.attributes;
      const auto component =
          std::find_if(declaration.components.begin(), declaration.components.end(),
                       [&](const auto& entry) { return entry.first == key; });
      BodyOperand operand = EvaluatePart(*argument.value);
      ok = ok && operand.ok;
      if (component != declaration.components.end()) {
        const auto i = static_cast<size_t>(component - declaration.components.begin());
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
        for (const auto& entry : declaration.components) names.push_back(entry.first);
        Fail(argument.position, Cat("`", type, "`: component `", Printable(key), "` not found",
                                    Hint(key, std::move(names), "available")));
        ok = false;
      }
    }
    inputs.clear();
    for (size_t i = 0; i < components.size(); ++i) {
      if (!components[i] && ok) {
        return Fail(call.begin,
                    Cat("`", type, "`: missing component `", declaration.components[i].first, "`"));
      }
      if (components[i]) inputs.push_back(*std::move(components[i]));
    }
    if (!ok) return {};
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
          "statics", AddNode("make_dict", std::move(values), {{"names", AttributeListOf(names)}},
                             {}, NameOr(""), call.begin));
    }
    return AddNode("make_extension", std::move(inputs), std::move(attributes), std::move(computed),
                   NameOr(std::move(name)), call.begin);
  }

  struct Local {
    BodyOperand operand;
    size_t position;
  };

  const FunctionSyntax& function_;
  const BodyScope& scope_;
  const Captures& captures_;
  FunctionDef& def_;
  NodePositions& positions_;
  SourceErrors& errors_;
  const bool may_override_;  // whether extension types may override ops
  GraphBuilder build_;
  absl::flat_hash_set<std::string> explicit_;       // names that parameters and assignments state
  absl::flat_hash_map<std::string, Local> locals_;  // parameters and names that are assigned so far
  absl::flat_hash_map<std::string, BodyOperand> parts_;  // fields and indices, by their text
  absl::flat_hash_map<std::string, int> counts_;  // of the parts of statements, by first target
  std::string base_;                              // of the names of parts of this statement
};

std::string TextOfSlice(const SliceKey& slice) {
  std::string text = slice.start ? Cat(*slice.start, ":") : ":";
  if (slice.stop) text.append(Cat(*slice.stop));
  if (slice.step) text.append(Cat(":", *slice.step));
  return text;
}

}  // namespace

void BuildBody(const FunctionSyntax& function, const BodyScope& scope, FunctionDef& def,
               NodePositions& positions, SourceErrors& errors) {
  BodyBuilder(function, scope, def, positions, errors).Build();
}

std::string_view OpOfBinary(std::string_view text) { return Find(kBinaryOps, text); }
std::string_view OpOfUnary(std::string_view text) { return Find(kUnaryOps, text); }

std::string TextOfKeys(std::span<const IndexKey> keys, std::span<const std::string> references) {
  std::vector<std::string> texts;
  for (const IndexKey& key : keys) {
    if (const auto* index = std::get_if<int64_t>(&key)) {
      texts.push_back(Cat(*index));
    } else if (const auto* slice = std::get_if<SliceKey>(&key)) {
      texts.push_back(TextOfSlice(*slice));
    } else if (const auto* name = std::get_if<std::string>(&key)) {
      texts.push_back(Quote(*name));
    } else if (std::holds_alternative<EllipsisKey>(key)) {
      texts.emplace_back("...");
    } else if (std::holds_alternative<NewAxisKey>(key)) {
      texts.emplace_back("None");
    } else {
      const size_t input = std::get<InputKey>(key).input;
      texts.push_back(input < references.size() ? references[input] : Cat("input ", input));
    }
  }
  return Cat("[", Join(texts, ", "), "]");
}

std::string_view NamesAttributeOf(const OpDef& op) {
  if (!IsVariadic(op)) return {};
  for (std::string_view name : {"names", "keywords"}) {
    if (LookupAttribute(op, name) != nullptr) return name;
  }
  return {};
}

}  // namespace signet
