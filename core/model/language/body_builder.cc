#include "core/model/language/body_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/model/dimension_checks.h"
#include "core/model/language/expression_builder.h"
#include "core/model/language/syntax/limits.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"
#include "signet/attributes.h"
#include "signet/index_key.h"

namespace signet {
namespace {

// Builds the statements of a function.
class BodyBuilder : private ExpressionBuilder {
 public:
  BodyBuilder(const FunctionSyntax& function, const BodyScope& scope, FunctionDef& def,
              NodePositions& positions, SourceErrors& errors)
      : ExpressionBuilder(scope, positions, errors), function_(function), def_(def) {}

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

  // Returns the name of the node of `return`. A field or an index has its text as its name.
  std::string NameOfResult(const Expression& value) {
    if (value.kind == ExpressionKind::kField || value.kind == ExpressionKind::kIndex) return {};
    return IsFree("result") ? "result" : NextName();
  }

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
    if (targets.size() == 1) {
      operand.first_of = OpOfSeveral(value);
      return Define(targets[0], std::move(operand));
    }
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
      operands.back().first_of = OpOfSeveral(*values[i]);
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

  const FunctionSyntax& function_;
  FunctionDef& def_;
};

}  // namespace

void BuildBody(const FunctionSyntax& function, const BodyScope& scope, FunctionDef& def,
               NodePositions& positions, SourceErrors& errors) {
  BodyBuilder(function, scope, def, positions, errors).Build();
}

}  // namespace signet
