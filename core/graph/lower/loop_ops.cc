#include "core/graph/lower/loop_ops.h"

#include <algorithm>

#include "core/graph/lower/evaluator.h"
#include "core/graph/lower/flat_builder.h"
#include "core/graph/lower/loop_builder.h"
#include "core/graph/lower/loop_elements.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/literal_dtype.h"
#include "core/ops/def/op_registry.h"
#include "signet/literal_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Returns the elements of a tuple of `count` values. If `count` is 1, returns the value itself.
StatusOr<Values> TupleParts(const GraphValue& value, size_t count, std::string_view function) {
  if (count == 1) return Values{value};
  if (!value.spec.is(TypeKind::kTuple) || value.spec.children().size() != count) {
    return WithConstraint("C2", InvalidArgument("`", function, "`: expected a tuple of ", count,
                                                " values as the result, found `", value.spec, "`"));
  }
  Values parts;
  for (size_t i = 0; i < count; ++i) parts.push_back(ChildOf(value, i));
  return parts;
}

// Returns a condition as a tensor.
StatusOr<GraphValue> AsCondition(OpBuilder& build, const GraphValue& value) {
  if (const auto* literal = value.spec.As<LiteralSpec>()) {
    if (literal->literal().is(Literal::Kind::kBool)) {
      return build.Constant(Tensor::Scalar(literal->literal().bool_value()));
    }
  }
  if (IsSubtype(value.spec, TensorType(DType::kBool, Shape{}))) return value;
  return WithConstraint(
      "C1", InvalidArgument("the condition: expected `bool[]`, found `", value.spec, "`"));
}

// Returns a tensor of one element as a scalar.
StatusOr<GraphValue> AsScalar(OpBuilder& build, const GraphValue& value) {
  const auto* tensor = value.spec.As<TensorSpec>();
  if (tensor == nullptr || tensor->shape() == PartialShape(Shape{})) return value;
  return build.Reshape(value, {.shape = {}});
}

// Returns how many of the last inputs are the same in each call: the attribute `fixed`. At least
// one input is not fixed.
StatusOr<size_t> CountFixed(const Attributes& attributes, size_t num_inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t fixed, attributes.Int("fixed"));
  if (fixed >= 0 && static_cast<size_t>(fixed) < num_inputs) return static_cast<size_t>(fixed);
  return InvalidArgument("`fixed`: expected 0 to ", num_inputs - 1,
                         ", less than the number of inputs, found ", fixed);
}

Values Joined(std::span<const GraphValue> a, std::span<const GraphValue> b) {
  Values out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

constexpr int64_t kMaxUnrolled = 4096;  // maximum number of unrolled iterations

bool IsListOrNone(const GraphValue& value) {
  return value.spec.is(TypeKind::kList) || IsNone(value.spec);
}

// Returns the number or bool `value` if it is known, or `otherwise` if it has no type.
template <class T>
std::optional<T> KnownScalar(const OpBuilder& build, const GraphValue& value, T otherwise) {
  if (!value.spec) return otherwise;
  const Tensor* known = build.LookupConstant(value.components[0]);
  if (known == nullptr) return std::nullopt;
  return known->scalar<T>();
}

// Unrolls a loop that a `loop` node cannot represent, for the reason `why`. The number of
// iterations must be known.
StatusOr<LoopOutputs> Unroll(Inliner& inliner, const LoopRequest& request, MakeRound make,
                             const Status& why) {
  CallExpander& build = inliner.expander();
  auto not_known = [&](std::string_view what) {
    return Unimplemented("a loop over a list that changes its length requires ", what,
                         " to be known before the function runs: ", MessageOf(why));
  };
  std::optional<int64_t> limit = KnownScalar<int64_t>(build, request.limit, kMaxUnrolled + 1);
  if (!limit) return not_known("the number of iterations");
  LoopOutputs outputs = {request.variables, {}};
  std::vector<Values> collected;  // of each output, by round
  GraphValue going = request.going;
  for (int64_t i = 0; i < *limit; ++i) {
    std::optional<bool> goes = KnownScalar<bool>(build, going, true);
    if (!goes) return not_known("the condition for another iteration");
    if (!*goes) break;
    if (i == kMaxUnrolled) {
      return ResourceExhausted("a loop over a list that changes its length exceeds the limit of ",
                               kMaxUnrolled, " iterations");
    }
    SIGNET_ASSIGN_OR_RETURN(LoopRound round, make(inliner, Int64Constant(build, i),
                                                  outputs.variables, request.outside));
    going = round.going;
    outputs.variables = std::move(round.variables);
    collected.resize(round.collected.size());
    for (size_t k = 0; k < collected.size(); ++k) collected[k].push_back(round.collected[k]);
  }
  for (const Values& elements : collected) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue stack, StackElements(build, elements, request.ragged));
    outputs.collected.push_back(std::move(stack));
  }
  return outputs;
}

// Builds a loop whose variables may be lists that change their length. If the number of iterations
// is known, the loop is unrolled, so that the lists remain lists. Otherwise, they become open
// lists.
StatusOr<LoopOutputs> BuildLoopOverLists(Inliner& inliner, LoopRequest request, MakeRound make) {
  auto made = BuildLoop(inliner, request, make);
  bool has_lists = std::any_of(request.variables.begin(), request.variables.end(), IsListOrNone);
  if (made.ok() || !has_lists) return made;
  auto unrolled = Unroll(inliner, request, make, made.status());
  if (unrolled.ok()) return unrolled;
  request.opens_lists = true;
  if (FlatBuilder* builder = inliner.expander().AsBuilder()) builder->NoteConvertedResult();
  made = BuildLoop(inliner, request, make);
  if (made.ok()) return made;
  return unrolled;
}

StatusOr<Values> While(Inliner& inliner, std::span<const GraphValue> inputs,
                       const Attributes& attributes) {
  if (inputs.empty()) return InvalidArgument("expected at least one variable, found none");
  SIGNET_ASSIGN_OR_RETURN(std::string condition, attributes.String("condition"));
  SIGNET_ASSIGN_OR_RETURN(std::string body, attributes.String("body"));
  SIGNET_ASSIGN_OR_RETURN(auto max_steps, attributes.OptionalInt("max_steps"));
  SIGNET_ASSIGN_OR_RETURN(const size_t num_fixed, CountFixed(attributes, inputs.size()));
  auto test = [&](Inliner& where, std::span<const GraphValue> given) -> StatusOr<GraphValue> {
    SIGNET_ASSIGN_OR_RETURN(GraphValue value, where.CallNamed(condition, given));
    return AsCondition(where.expander(), value);
  };
  LoopRequest request;
  request.tests = true;
  const auto end_of_variables = inputs.end() - static_cast<std::ptrdiff_t>(num_fixed);
  request.variables.assign(inputs.begin(), end_of_variables);
  request.outside.assign(end_of_variables, inputs.end());
  if (max_steps) request.limit = Int64Constant(inliner.expander(), *max_steps);
  SIGNET_ASSIGN_OR_RETURN(request.going, test(inliner, inputs));
  auto made = BuildLoopOverLists(
      inliner, std::move(request),
      [&](Inliner& where, const GraphValue&, std::span<const GraphValue> variables,
          std::span<const GraphValue> fixed) -> StatusOr<LoopRound> {
        LoopRound round;
        SIGNET_ASSIGN_OR_RETURN(GraphValue result, where.CallNamed(body, Joined(variables, fixed)));
        SIGNET_ASSIGN_OR_RETURN(round.variables, TupleParts(result, variables.size(), body));
        SIGNET_ASSIGN_OR_RETURN(round.going, test(where, Joined(round.variables, fixed)));
        return round;
      });
  SIGNET_RETURN_IF_ERROR(made.status());
  return std::move(made->variables);
}

// Calls loop, whose function returns (going, carried..., collected...).
StatusOr<Values> Loop(Inliner& inliner, std::span<const GraphValue> inputs,
                      const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(std::string body, attributes.String("body"));
  SIGNET_ASSIGN_OR_RETURN(int64_t carried, attributes.Int("carried"));
  auto values = inputs.subspan(2);
  if (carried < 0 || static_cast<size_t>(carried) > values.size()) {
    return WithConstraint("C3", InvalidArgument("`carried`: expected at most ", values.size(),
                                                ", the number of values, found ", carried));
  }
  auto count = static_cast<size_t>(carried);
  OpBuilder& outer = inliner.expander();
  LoopRequest request;
  request.tests = true;
  request.variables.assign(values.begin(), values.begin() + carried);
  request.outside.assign(values.begin() + carried, values.end());
  // C4: the limit is an integer or None.
  if (!IsNone(inputs[0].spec)) {
    SIGNET_ASSIGN_OR_RETURN(request.limit, AsScalar(outer, inputs[0]));
    SIGNET_ASSIGN_OR_RETURN(request.limit, TensorFor(outer, request.limit, DType::kInt64));
    if (!IsSubtype(request.limit.spec, TensorType(DType::kInt64, Shape{}))) {
      return WithConstraint("C4", InvalidArgument("the limit: expected `int64[]` or None, found `",
                                                  inputs[0].spec, "`"));
    }
  }
  if (!IsNone(inputs[1].spec)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue going, AsScalar(outer, inputs[1]));
    SIGNET_ASSIGN_OR_RETURN(request.going, AsCondition(outer, going));
  }
  size_t num_collected = 0;
  auto make_round = [&](Inliner& where, const GraphValue& number,
                        std::span<const GraphValue> variables,
                        std::span<const GraphValue> outside) -> StatusOr<LoopRound> {
    CallExpander& build = where.expander();
    Values given = {number, build.Constant(Tensor::Scalar(true))};
    given = Joined(Joined(given, variables), outside);
    SIGNET_ASSIGN_OR_RETURN(GraphValue result, where.CallNamed(body, given));
    // C2: the function returns a tuple: going, the carried values, the collected values.
    if (!result.spec.is(TypeKind::kTuple) || result.spec.children().size() < count + 1) {
      return WithConstraint(
          "C2", InvalidArgument("`", body, "`: expected a tuple of at least ", count + 1,
                                " values as the result, found `", result.spec, "`"));
    }
    LoopRound round;
    num_collected = result.spec.children().size() - count - 1;
    SIGNET_ASSIGN_OR_RETURN(GraphValue going, AsScalar(build, ChildOf(result, 0)));
    SIGNET_ASSIGN_OR_RETURN(round.going, AsCondition(build, going));
    for (size_t i = 1; i < result.spec.children().size(); ++i) {
      (i <= count ? round.variables : round.collected).push_back(ChildOf(result, i));
    }
    return round;
  };
  auto made = BuildLoopOverLists(inliner, std::move(request), make_round);
  SIGNET_RETURN_IF_ERROR(made.status());
  Values outputs = std::move(made->variables);
  if (made->collected.size() != num_collected) {
    return Unimplemented(
        "a loop over lists without iterations cannot collect values, because their types are "
        "unknown");
  }
  outputs.insert(outputs.end(), made->collected.begin(), made->collected.end());
  return outputs;
}

StatusOr<Values> Map(Inliner& inliner, std::span<const GraphValue> inputs,
                     const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(std::string function, attributes.String("function"));
  SIGNET_ASSIGN_OR_RETURN(const size_t num_fixed, CountFixed(attributes, inputs.size()));
  const auto stacks = inputs.first(inputs.size() - num_fixed);
  LoopRequest request;
  SIGNET_ASSIGN_OR_RETURN(request.ragged, attributes.Bool("ragged"));
  SIGNET_ASSIGN_OR_RETURN(request.outside, PartsOfStacks(inliner.expander(), stacks));
  SIGNET_ASSIGN_OR_RETURN(request.limit, CountElements(inliner.expander(), request.outside));
  request.outside = Joined(request.outside, inputs.last(num_fixed));
  auto made = BuildLoop(
      inliner, request,
      [&](Inliner& where, const GraphValue& number, std::span<const GraphValue>,
          std::span<const GraphValue> outside) -> StatusOr<LoopRound> {
        LoopRound round;
        const auto parts = outside.first(outside.size() - num_fixed);
        SIGNET_ASSIGN_OR_RETURN(Values given, ElementsAt(where.expander(), stacks, parts, number));
        given = Joined(given, outside.last(num_fixed));
        SIGNET_ASSIGN_OR_RETURN(GraphValue result, where.CallNamed(function, given));
        SIGNET_ASSIGN_OR_RETURN(result, WithRowsDeclared(where.expander(), result));
        round.collected.push_back(std::move(result));
        return round;
      });
  SIGNET_RETURN_IF_ERROR(made.status());
  NoteNumberOfElements(inliner.expander(), stacks, made->collected[0]);
  return std::move(made->collected);
}

// Returns the index of the element of an iteration, from the end or the beginning.
StatusOr<GraphValue> NumberOf(OpBuilder& build, const GraphValue& round, const GraphValue& count,
                              bool reverse) {
  if (!reverse) return round;
  return build.Sub(count, Int64Constant(build, 1)) - round;
}

// Calls scan, whose function returns (carried, output), or reduce, whose function returns carried.
StatusOr<Values> Fold(Inliner& inliner, std::span<const GraphValue> inputs,
                      const Attributes& attributes, bool collects) {
  SIGNET_ASSIGN_OR_RETURN(std::string function, attributes.String("function"));
  bool reverse = false;
  LoopRequest request;
  if (collects) {
    SIGNET_ASSIGN_OR_RETURN(reverse, attributes.Bool("reverse"));
    SIGNET_ASSIGN_OR_RETURN(request.ragged, attributes.Bool("ragged"));
  }
  request.backward = reverse;
  request.variables = {inputs[0]};
  SIGNET_ASSIGN_OR_RETURN(const size_t num_fixed, CountFixed(attributes, inputs.size()));
  const auto stacks = inputs.subspan(1, inputs.size() - 1 - num_fixed);
  SIGNET_ASSIGN_OR_RETURN(request.outside, PartsOfStacks(inliner.expander(), stacks));
  SIGNET_ASSIGN_OR_RETURN(request.limit, CountElements(inliner.expander(), request.outside));
  const size_t num_parts = request.outside.size();
  request.outside.push_back(request.limit);
  request.outside = Joined(request.outside, inputs.last(num_fixed));
  auto made = BuildLoop(
      inliner, request,
      [&](Inliner& where, const GraphValue& number, std::span<const GraphValue> variables,
          std::span<const GraphValue> outside) -> StatusOr<LoopRound> {
        LoopRound round;
        CallExpander& build = where.expander();
        SIGNET_ASSIGN_OR_RETURN(GraphValue at,
                                NumberOf(build, number, outside[num_parts], reverse));
        SIGNET_ASSIGN_OR_RETURN(Values elements,
                                ElementsAt(build, stacks, outside.first(num_parts), at));
        const Values given = Joined(Joined(variables, elements), outside.last(num_fixed));
        SIGNET_ASSIGN_OR_RETURN(GraphValue result, where.CallNamed(function, given));
        SIGNET_ASSIGN_OR_RETURN(Values parts, TupleParts(result, collects ? 2 : 1, function));
        round.variables = {parts[0]};
        if (collects) {
          SIGNET_ASSIGN_OR_RETURN(parts[1], WithRowsDeclared(build, parts[1]));
          round.collected.push_back(std::move(parts[1]));
        }
        return round;
      });
  SIGNET_RETURN_IF_ERROR(made.status());
  Values outputs = std::move(made->variables);
  for (GraphValue& stack : made->collected) {
    NoteNumberOfElements(inliner.expander(), stacks, stack);
    outputs.push_back(std::move(stack));
  }
  return outputs;
}

StatusOr<Values> Build(Inliner& inliner, const OpDef& op, std::span<const GraphValue> inputs,
                       const Attributes& attributes) {
  SIGNET_RETURN_IF_ERROR(CheckArity(op, inputs.size()));
  SIGNET_ASSIGN_OR_RETURN(Attributes complete, CompleteAttributes(op, attributes));
  if (op.control == Control::kWhile) return While(inliner, inputs, complete);
  if (op.control == Control::kMap) return Map(inliner, inputs, complete);
  if (op.control == Control::kLoop) return Loop(inliner, inputs, complete);
  return Fold(inliner, inputs, complete, op.control == Control::kScan);
}

// Builds the loop for values of these types, and runs it.
StatusOr<Values> RunAtOnce(Evaluator& evaluator, const Inliner& inliner, const OpDef& op,
                           std::span<const GraphValue> inputs, const Attributes& attributes) {
  FlatBuilder builder(evaluator.library(), {});
  Values given;
  for (const GraphValue& input : inputs) given.push_back(builder.AddInput(input.spec));
  Inliner within = inliner.Within(builder);
  SIGNET_ASSIGN_OR_RETURN(Values made, Build(within, op, given, attributes));
  FlatGraph graph = std::move(builder).Finish(TupleOfValues(made));
  PruneDead(graph);
  SIGNET_ASSIGN_OR_RETURN(std::vector<int> edges, evaluator.RunGraph(graph, inputs));
  Values outputs;
  size_t next = 0;
  for (GraphValue& value : made) {
    for (int& component : value.components) component = edges[next++];
    outputs.push_back(evaluator.Constant(evaluator.ValueOf(value)));
  }
  return outputs;
}

}  // namespace

StatusOr<Values> CallLoopOp(Inliner& inliner, const OpDef& op, std::span<const GraphValue> inputs,
                            const Attributes& attributes) {
  Evaluator* evaluator = inliner.expander().AsEvaluator();
  if (evaluator != nullptr) return RunAtOnce(*evaluator, inliner, op, inputs, attributes);
  return Build(inliner, op, inputs, attributes);
}

}  // namespace signet
