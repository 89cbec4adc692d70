#include "core/graph/loop_ops.h"

#include <algorithm>

#include "core/graph/evaluator.h"
#include "core/graph/flat_builder.h"
#include "core/graph/loop_builder.h"
#include "core/ops/leaves.h"
#include "core/ops/parts.h"
#include "core/ops/registry.h"
#include "core/ops/rows.h"
#include "core/types/literal_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// `value` with each leaf replaced, those of extension values too.
StatusOr<GraphValue> MapAllLeaves(const GraphValue& value, ChangeLeaf change) {
  return MapLeaves(value, [&](const GraphValue& leaf) -> StatusOr<GraphValue> {
    if (!leaf.spec.is(TypeKind::kExtension)) return change(leaf);
    auto by_component = [&](std::span<const GraphValue> component) {
      auto made = MapAllLeaves(component[0], change);
      return made.ok() ? StatusOr<Values>(Values{*std::move(made)}) : made.status();
    };
    SIGNET_ASSIGN_OR_RETURN(Values made, MapChildren(std::span(&leaf, 1), by_component));
    return std::move(made[0]);
  });
}

// How many elements there are, the same in each leaf; C1: there is one leaf at least.
StatusOr<GraphValue> CountElements(Expander& expander, std::span<const GraphValue> elements) {
  GraphValue count;
  for (const GraphValue& each : elements) {
    auto counted = MapAllLeaves(each, [&](const GraphValue& leaf) -> StatusOr<GraphValue> {
      const PartialShape* shape = leaf.spec.shape();
      if (shape == nullptr || leaf.spec.is(TypeKind::kSparse)) {
        return Unimplemented("C1 elements of `", leaf.spec,
                             "`; takes tensors, ragged values, structures, and nests and "
                             "extension values of them");
      }
      if (!shape->has_rank() || shape->rank() == 0) {
        return InvalidArgument("C1 elements of `", leaf.spec, "`; takes values of rank at least 1");
      }
      SIGNET_ASSIGN_OR_RETURN(GraphValue rows, CountRows(expander, leaf));
      if (!count.spec) {
        count = std::move(rows);
      } else if (count.components != rows.components) {
        SIGNET_ASSIGN_OR_RETURN(count, expander.Call1("check_same_size", {count, rows}));
      }
      return leaf;
    });
    SIGNET_RETURN_IF_ERROR(counted.status());
  }
  if (!count.spec) return InvalidArgument("C1 nothing with elements; takes at least one tensor");
  return count;
}

// Element `round` of each.
StatusOr<Values> ElementsAt(Expander& expander, std::span<const GraphValue> elements,
                            const GraphValue& round) {
  Values found;
  for (const GraphValue& each : elements) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue element, MapLeaves(each, [&](const GraphValue& leaf) {
                              return expander.Call1("gather", {leaf, round});
                            }));
    found.push_back(std::move(element));
  }
  return found;
}

// `value`, whose first `depth` dimensions are those of its structure, or the round by itself, with
// row partitions between them, which differ from round to round; with `ragged`, behind them as
// well.
StatusOr<GraphValue> WithOpenRows(Expander& expander, const GraphValue& value, int depth,
                                  bool ragged) {
  if (value.spec.is(TypeKind::kStructured)) {
    StructureParts parts = StructurePartsOf(value);
    for (FieldPart& field : parts.fields) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue open,
                              WithOpenRows(expander, field.value, parts.shape.rank(), ragged));
      field.fits = open.components == field.value.components;
      field.value = std::move(open);
    }
    return MakeStructureValue(expander, std::move(parts));
  }
  const auto* has = value.spec.As<RaggedSpec>();
  int wanted = std::min(value.spec.shape()->rank() - 1, ragged ? depth : depth - 1);
  if (wanted <= (has == nullptr ? 0 : has->ragged_rank())) return value;
  return AsRagged(expander, value, wanted);
}

// `value` as a stack of one, for rounds to be joined; of an extension value, as its type stacks.
StatusOr<GraphValue> StackOfOne(Expander& expander, const GraphValue& value, bool ragged) {
  return MapLeaves(value, [&](const GraphValue& leaf) -> StatusOr<GraphValue> {
    if (leaf.spec.is(TypeKind::kExtension)) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue stacked, expander.Call1("stack", {leaf}));
      return MapAllLeaves(stacked, [&](const GraphValue& part) -> StatusOr<GraphValue> {
        if (part.spec.shape() == nullptr || part.spec.is(TypeKind::kSparse)) return part;
        return WithOpenRows(expander, part, 1, ragged);
      });
    }
    if (leaf.spec.shape() == nullptr || leaf.spec.is(TypeKind::kSparse)) {
      return Unimplemented("rounds that give `", leaf.spec,
                           "`; takes tensors, ragged values, structures, and nests and extension "
                           "values of them");
    }
    SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(expander, leaf, 0));
    return WithOpenRows(expander, opened.elements, 1, ragged);
  });
}

// The children of a tuple of `count` values; of one, the value itself.
StatusOr<Values> TupleParts(const GraphValue& value, size_t count, std::string_view function) {
  if (count == 1) return Values{value};
  if (!value.spec.is(TypeKind::kTuple) || value.spec.children().size() != count) {
    return InvalidArgument("C2 `", function, "` returns `", value.spec, "`; takes a tuple of ",
                           count, " values");
  }
  Values parts;
  for (size_t i = 0; i < count; ++i) parts.push_back(ChildOf(value, i));
  return parts;
}

// A condition, as a tensor.
StatusOr<GraphValue> AsCondition(Expander& expander, const GraphValue& value) {
  if (const auto* literal = value.spec.As<LiteralSpec>()) {
    if (literal->literal().is(Literal::Kind::kBool)) {
      return expander.Constant(Tensor::Scalar(literal->literal().bool_value()));
    }
  }
  if (IsSubtype(value.spec, TensorType(DType::kBool, Shape{}))) return value;
  return InvalidArgument("C1 the condition is `", value.spec, "`; takes `bool[]`");
}

StatusOr<Values> While(Inliner& inliner, std::span<const GraphValue> inputs,
                       const Attributes& attributes) {
  if (inputs.empty()) return InvalidArgument("no variables; takes at least one");
  SIGNET_ASSIGN_OR_RETURN(std::string condition, attributes.String("condition"));
  SIGNET_ASSIGN_OR_RETURN(std::string body, attributes.String("body"));
  SIGNET_ASSIGN_OR_RETURN(auto max_steps, attributes.OptionalInt("max_steps"));
  auto test = [&](Inliner& where, std::span<const GraphValue> variables) -> StatusOr<GraphValue> {
    SIGNET_ASSIGN_OR_RETURN(GraphValue value, where.CallNamed(condition, variables));
    return AsCondition(where.expander(), value);
  };
  LoopRequest request;
  request.tests = true;
  request.variables.assign(inputs.begin(), inputs.end());
  if (max_steps) request.limit = Int64Constant(inliner.expander(), *max_steps);
  SIGNET_ASSIGN_OR_RETURN(request.going, test(inliner, inputs));
  auto made =
      BuildLoop(inliner, request,
                [&](Inliner& where, const GraphValue&, std::span<const GraphValue> given,
                    std::span<const GraphValue>) -> StatusOr<LoopRound> {
                  LoopRound round;
                  SIGNET_ASSIGN_OR_RETURN(GraphValue result, where.CallNamed(body, given));
                  SIGNET_ASSIGN_OR_RETURN(round.variables, TupleParts(result, given.size(), body));
                  SIGNET_ASSIGN_OR_RETURN(round.going, test(where, round.variables));
                  return round;
                });
  SIGNET_RETURN_IF_ERROR(made.status());
  return std::move(made->variables);
}

// What must hold of an extension value must hold of many as one.
Status CheckStacked(Inliner& inliner, std::span<const GraphValue> collected) {
  for (const GraphValue& each : collected) {
    SIGNET_RETURN_IF_ERROR(inliner.expander().CheckExtensions(each, "the rounds together"));
  }
  return absl::OkStatus();
}

StatusOr<Values> Map(Inliner& inliner, std::span<const GraphValue> inputs,
                     const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(std::string function, attributes.String("function"));
  SIGNET_ASSIGN_OR_RETURN(bool ragged, attributes.Bool("ragged"));
  LoopRequest request;
  SIGNET_ASSIGN_OR_RETURN(request.limit, CountElements(inliner.expander(), inputs));
  request.outside.assign(inputs.begin(), inputs.end());
  auto made = BuildLoop(
      inliner, request,
      [&](Inliner& where, const GraphValue& number, std::span<const GraphValue>,
          std::span<const GraphValue> elements) -> StatusOr<LoopRound> {
        LoopRound round;
        SIGNET_ASSIGN_OR_RETURN(Values given, ElementsAt(where.expander(), elements, number));
        SIGNET_ASSIGN_OR_RETURN(GraphValue result, where.CallNamed(function, given));
        SIGNET_ASSIGN_OR_RETURN(result, StackOfOne(where.expander(), result, ragged));
        round.collected.push_back(std::move(result));
        return round;
      });
  SIGNET_RETURN_IF_ERROR(made.status());
  SIGNET_RETURN_IF_ERROR(CheckStacked(inliner, made->collected));
  return std::move(made->collected);
}

// The number of the element of a round, from the back or the front.
StatusOr<GraphValue> NumberOf(Expander& expander, const GraphValue& round, const GraphValue& count,
                              bool reverse) {
  if (!reverse) return round;
  SIGNET_ASSIGN_OR_RETURN(GraphValue last,
                          expander.Call1("sub", {count, Int64Constant(expander, 1)}));
  return expander.Call1("sub", {last, round});
}

// scan, whose function gives (carried, output), or reduce, whose function gives what is carried.
StatusOr<Values> Fold(Inliner& inliner, std::span<const GraphValue> inputs,
                      const Attributes& attributes, bool collects) {
  SIGNET_ASSIGN_OR_RETURN(std::string function, attributes.String("function"));
  bool reverse = false;
  bool ragged = false;
  if (collects) {
    SIGNET_ASSIGN_OR_RETURN(reverse, attributes.Bool("reverse"));
    SIGNET_ASSIGN_OR_RETURN(ragged, attributes.Bool("ragged"));
  }
  LoopRequest request;
  request.backward = reverse;
  request.variables = {inputs[0]};
  SIGNET_ASSIGN_OR_RETURN(request.limit, CountElements(inliner.expander(), inputs.subspan(1)));
  request.outside.assign(inputs.begin() + 1, inputs.end());
  request.outside.push_back(request.limit);
  auto made = BuildLoop(
      inliner, request,
      [&](Inliner& where, const GraphValue& number, std::span<const GraphValue> variables,
          std::span<const GraphValue> outside) -> StatusOr<LoopRound> {
        LoopRound round;
        Expander& expander = where.expander();
        SIGNET_ASSIGN_OR_RETURN(GraphValue at, NumberOf(expander, number, outside.back(), reverse));
        SIGNET_ASSIGN_OR_RETURN(Values elements,
                                ElementsAt(expander, outside.first(outside.size() - 1), at));
        Values given = {variables[0]};
        given.insert(given.end(), elements.begin(), elements.end());
        SIGNET_ASSIGN_OR_RETURN(GraphValue result, where.CallNamed(function, given));
        SIGNET_ASSIGN_OR_RETURN(Values parts, TupleParts(result, collects ? 2 : 1, function));
        round.variables = {parts[0]};
        if (collects) {
          SIGNET_ASSIGN_OR_RETURN(GraphValue output, StackOfOne(expander, parts[1], ragged));
          round.collected.push_back(std::move(output));
        }
        return round;
      });
  SIGNET_RETURN_IF_ERROR(made.status());
  SIGNET_RETURN_IF_ERROR(CheckStacked(inliner, made->collected));
  Values outputs = std::move(made->variables);
  for (GraphValue& collected : made->collected) outputs.push_back(std::move(collected));
  return outputs;
}

StatusOr<Values> Build(Inliner& inliner, const OpDef& op, std::span<const GraphValue> inputs,
                       const Attributes& attributes) {
  SIGNET_RETURN_IF_ERROR(CheckArity(op, inputs.size()));
  SIGNET_ASSIGN_OR_RETURN(Attributes complete, CompleteAttributes(op, attributes));
  if (op.control == Control::kWhile) return While(inliner, inputs, complete);
  if (op.control == Control::kMap) return Map(inliner, inputs, complete);
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
