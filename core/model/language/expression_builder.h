// ExpressionBuilder: adds the nodes of an expression to the graph of a function.
//
// Not thread-safe.

#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/language/node_builder.h"
#include "core/model/language/syntax/syntax.h"
#include "core/ops/def/op_def.h"
#include "signet/index_key.h"

namespace signet {

// The arguments of a call of an op.
struct OpArguments {
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

class ExpressionBuilder : protected NodeBuilder {
 protected:
  using ExpressionKind = Expression::Kind;
  using NodeBuilder::NodeBuilder;

  // Returns the value of an expression. If the expression makes a node, its name is `name`, or if
  // `name` is empty, the next name of a part.
  BodyOperand Evaluate(const Expression& expression, std::string name);
  BodyOperand EvaluatePart(const Expression& expression) { return Evaluate(expression, ""); }
  BodyOperand OfCapture(std::string_view name);
  BodyOperand EvaluateName(const Expression& expression);
  BodyOperand EvaluateQuoted(const Expression& expression);
  BodyOperand EvaluateNest(const Expression& expression, std::string name);
  BodyOperand EvaluateOperator(const Expression& expression, std::string name);
  // Adds the node of a field or an index, or returns the node that exists.
  BodyOperand AddPart(std::string_view op, std::vector<BodyOperand> inputs, NamedTypes attributes,
                      std::string name, const std::string& text, size_t position);
  BodyOperand EvaluateField(const Expression& expression, std::string name);
  // Reads a bound of a slice. A computed bound is added to `inputs`, and its name to `references`.
  // Adds an error if `input` is null, so that the bound must be known now.
  bool ReadBound(const ExpressionPointer& expression, std::optional<int64_t>& bound,
                 std::optional<size_t>* input, std::vector<BodyOperand>& inputs,
                 std::vector<std::string>& references);
  // Reads one key. A computed key is added to `inputs`, and its name to `references`.
  std::optional<IndexKey> ReadKey(const KeyExpression& key, std::vector<BodyOperand>& inputs,
                                  std::vector<std::string>& references);
  BodyOperand EvaluateIndex(const Expression& expression, std::string name);
  // Returns the op of a call with several outputs, or null for other expressions.
  const OpDef* OpOfSeveral(const Expression& expression) const;
  // Returns an output of a call with several, which a field or an index selects.
  BodyOperand SelectOutput(const OpDef& op, const Expression& selection, std::string name);
  // Returns the number of the output that a field or an index selects, or adds an error.
  std::optional<size_t> OutputOf(const OpDef& op, const Expression& selection);
  // Adds an error for a field or an index of a name that is assigned the first of several outputs.
  BodyOperand FailSelection(const OpDef& op, const Expression& selection);

  // Calls of ops, functions, and extension types (call_expressions.cc).
  BodyOperand EvaluateCall(const Expression& call, std::string name);
  const TakenNames& TakenBy(const std::string& function) const;
  BodyOperand EvaluateTaken(const std::string& name, size_t position);
  // Adds the values that the functions of an op take to its inputs. All these functions take the
  // same values.
  void AddTaken(const OpDef& op, size_t position, OpArguments& out);
  // Returns whether models can call the op `name`.
  static bool IsOp(std::string_view name);
  BodyOperand FailMethod(const Expression& callee);
  std::string HintForCallee(std::string_view name, size_t num_values) const;
  // Evaluates the arguments of a call that is an error, so that their errors are reported, too.
  void EvaluateArguments(const Expression& call);
  std::vector<BodyOperand> Positional(const Expression& call);
  BodyOperand CallFunction(const std::string& function, const Expression& call, std::string name);
  BodyOperand CallOp(const std::string& op_name, const Expression& call, std::string name,
                     size_t position);
  void AddKeyword(const OpDef& op, const NamedExpression& argument, OpArguments& out);
  void AddInput(const OpDef& op, size_t input, const NamedExpression& argument, BodyOperand operand,
                OpArguments& out);
  // Sets the inputs that are left out between inputs with keywords: to None if they are optional.
  // `positional` inputs have no keywords.
  void FillInputs(const OpDef& op, size_t positional, size_t position, OpArguments& out);
  bool IsDTypeName(const Expression& value) const;
  void AddStaticAttribute(const NamedExpression& argument, OpArguments& out);
  // Returns the name of a function in the model, or adds an error.
  std::optional<std::string> FunctionNamed(const Expression& value);
  void AddFunctionAttribute(const OpDef& op, const NamedExpression& argument, OpArguments& out);
  // `project.Type(component, other=component, attribute=value)`.
  BodyOperand MakeExtension(const std::string& type, const Expression& call, std::string name);
};

}  // namespace signet
