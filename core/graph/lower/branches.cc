#include "core/graph/lower/branches.h"

#include <algorithm>
#include <memory>

#include "core/base/constraint.h"
#include "core/function/binding.h"
#include "core/function/cast.h"
#include "core/graph/flat/control_nodes.h"
#include "core/graph/lower/body_inputs.h"
#include "core/graph/lower/coerce.h"
#include "core/graph/lower/value_converter.h"
#include "core/ops/build/op_builder.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

size_t Within(int64_t number, size_t num_branches) {
  bool known = number >= 0 && number < static_cast<int64_t>(num_branches);
  return known ? static_cast<size_t>(number) : num_branches - 1;
}

struct Branch {
  std::unique_ptr<FlatBuilder> builder;
  StatusOr<GraphValue> result;
};

// Replaces the body of the branch by one that returns an error when it runs, with a result of
// `type`.
StatusOr<GraphValue> DeferError(FlatBuilder& outer, BodyInputs& inputs, Branch& branch,
                                const TypeSpec& type) {
  SIGNET_ASSIGN_OR_RETURN(branch.builder, outer.MakeBody());
  inputs.AddTo(*branch.builder);
  std::vector<TypeSpec> types;
  for (ComponentSpec& component : ComponentsOf(type)) types.push_back(std::move(component.spec));
  FlatNode failure = MakeFailure(branch.result.status(), std::move(types));
  SIGNET_ASSIGN_OR_RETURN(std::vector<int> edges, branch.builder->AddControl(std::move(failure)));
  return GraphValue{type, {edges.begin(), edges.end()}};
}

// A function that accepts the arguments.
struct Candidate {
  const FunctionDef* function;
  ParameterValues parameters;
  std::vector<TypeSpec> constraints;  // by argument; null for no constraint
  bool takes_as_is = false;           // no argument must be cast or converted
};

// Returns the parameter to which each argument is bound.
StatusOr<std::vector<const Parameter*>> ParametersOf(const FunctionDef& function,
                                                     size_t num_arguments,
                                                     std::span<const std::string> keywords) {
  std::vector<std::string_view> names(keywords.begin(), keywords.end());
  size_t num_positional = num_arguments - keywords.size();
  SIGNET_ASSIGN_OR_RETURN(Binding binding, BindArguments(function.type, num_positional, names));
  std::vector<const Parameter*> parameters(num_arguments);
  for (size_t i = 0; i < binding.parameters.size(); ++i) {
    const Parameter& parameter = function.type.parameters()[i];
    const BoundParameter& bound = binding.parameters[i];
    if (parameter.kind == ParameterKind::kVarPositional) {
      for (size_t k = 0; k < bound.count; ++k) parameters[bound.index + k] = &parameter;
    } else if (parameter.kind == ParameterKind::kVarKeyword) {
      for (size_t k : binding.extra_keywords) parameters[num_positional + k] = &parameter;
    } else if (bound.source == BoundParameter::Source::kPositional) {
      parameters[bound.index] = &parameter;
    } else if (bound.source == BoundParameter::Source::kKeyword) {
      parameters[num_positional + bound.index] = &parameter;
    }
  }
  return parameters;
}

// The first argument that a function does not accept.
struct Rejection {
  std::string function;
  size_t argument = 0;
  std::string parameter = {};  // empty if the arguments cannot be bound
  TypeSpec constraint = {};
  Status status = absl::OkStatus();
};

Rejection FindRejection(Inliner& inliner, const FunctionDef& function, const Status& status,
                        std::span<const GraphValue> arguments,
                        std::span<const std::string> keywords) {
  Rejection rejection{.function = function.name, .status = status};
  auto parameters = ParametersOf(function, arguments.size(), keywords);
  for (size_t i = 0; parameters.ok() && i < arguments.size(); ++i) {
    const Parameter& parameter = *(*parameters)[i];
    auto constrained = inliner.Constrained(parameter, arguments[i]);
    if (constrained.ok()) continue;
    rejection.argument = i;
    rejection.parameter = parameter.name;
    rejection.constraint = parameter.type;
    rejection.status = constrained.status();
    break;
  }
  return rejection;
}

// Returns the error of a call that no function accepts. It states what the functions expect of the
// argument that the functions that accept the most arguments reject.
Status NoFunctionAccepts(std::span<const Rejection> rejections,
                         std::span<const GraphValue> arguments) {
  constexpr size_t kMostShown = 8;
  const Rejection* last = nullptr;
  for (const Rejection& rejection : rejections) {
    if (rejection.parameter.empty()) continue;
    if (last == nullptr || rejection.argument > last->argument) last = &rejection;
  }
  if (last == nullptr) {
    std::string reasons;
    for (const Rejection& rejection : rejections) {
      reasons += Cat("\n  ", rejection.function, ": ", MessageOf(rejection.status));
    }
    return InvalidArgument("no function accepts the arguments", reasons.empty() ? "" : ":",
                           reasons);
  }
  std::vector<std::string> expected;
  for (const Rejection& rejection : rejections) {
    if (rejection.parameter.empty() || rejection.argument != last->argument) continue;
    std::string text = Cat("`", rejection.constraint, "`");
    if (std::find(expected.begin(), expected.end(), text) == expected.end()) {
      expected.push_back(std::move(text));
    }
  }
  if (expected.size() == 1) return WithField(last->parameter, last->status);
  std::string list;
  for (size_t i = 0; i < expected.size() && i < kMostShown; ++i) {
    const bool is_last = i + 1 == expected.size();
    list += Cat(i == 0 ? "" : is_last ? " or " : ", ", expected[i]);
  }
  if (expected.size() > kMostShown) list += Cat(", or ", expected.size() - kMostShown, " more");
  return WithField(last->parameter,
                   WithReason(ReasonOf(last->status),
                              InvalidArgument("argument `", last->parameter, "`: expected ", list,
                                              ", found `", arguments[last->argument].spec, "`")));
}

// Returns true if `b` accepts every value that `a` accepts, perhaps after a cast: for example, a
// literal if a tensor is expected, or a child type if its parent is expected.
bool IsBelow(const TypeSpec& a, const TypeSpec& b, const Converter& converter) {
  if (!b || (a && Satisfies(a, b))) return true;
  if (!a) return false;
  Value any_of_a = IsStatic(a) ? Value::Trusted(a, {}) : Value::OfType(a);
  return CastTo(std::move(any_of_a), b, {}, &converter).ok();
}

bool IsBelow(const Candidate& a, const Candidate& b, const Converter& converter) {
  for (size_t i = 0; i < a.constraints.size(); ++i) {
    if (!IsBelow(a.constraints[i], b.constraints[i], converter)) return false;
  }
  return true;
}

}  // namespace

StatusOr<std::optional<size_t>> KnownBranch(const CallExpander& build, const GraphValue& index,
                                            Control op, size_t num_branches) {
  const bool is_cond = op == Control::kCond;
  const auto* literal = index.spec.As<LiteralSpec>();
  if (literal != nullptr && is_cond && literal->literal().is(Literal::Kind::kBool)) {
    return literal->literal().bool_value() ? 0 : 1;
  }
  if (literal != nullptr && !is_cond && literal->literal().is(Literal::Kind::kInt)) {
    return Within(literal->literal().AsInt64().value_or(-1), num_branches);
  }
  // C1: a scalar that is a bool, or an integer.
  const auto* tensor = index.spec.As<TensorSpec>();
  bool is_scalar = tensor != nullptr && tensor->shape().has_rank() && tensor->shape().rank() == 0;
  DType dtype = is_scalar ? tensor->dtype() : DType::kString;
  if (is_cond && dtype != DType::kBool) {
    return WithConstraint(
        "C1", InvalidArgument("the condition: expected `bool[]`, found `", index.spec, "`"));
  }
  if (!is_cond && dtype != DType::kInt32 && dtype != DType::kInt64) {
    return WithConstraint(
        "C1",
        InvalidArgument("the index: expected `int32[]` or `int64[]`, found `", index.spec, "`"));
  }
  const Tensor* known = build.LookupConstant(index.components[0]);
  if (known == nullptr) return std::optional<size_t>();
  if (is_cond) return known->scalar<bool>() ? 0 : 1;
  return Within(dtype == DType::kInt32 ? known->scalar<int32_t>() : known->scalar<int64_t>(),
                num_branches);
}

std::string BranchName(Control op, size_t number) {
  if (op != Control::kCond) return Cat("branch ", number);
  return number == 0 ? "branch `then`" : "branch `else`";
}

StatusOr<GraphValue> BuildSwitch(FlatBuilder& outer, const GraphValue& index,
                                 std::span<const SwitchBranch> makers,
                                 std::span<const GraphValue> arguments,
                                 const std::function<bool(const Status&)>& defers) {
  BodyInputs inputs(outer);
  inputs.Add(arguments);
  std::vector<Branch> branches;
  std::vector<TypeSpec> types;
  for (const SwitchBranch& maker : makers) {
    SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<FlatBuilder> body, outer.MakeBody());
    inputs.AddTo(*body);
    auto result = maker.make(*body, inputs.In(*body, arguments));
    if (!result.ok()) result = At(maker.name, result.status());
    if (result.ok()) {
      types.push_back(result->spec);
    } else if (!defers(result.status())) {
      return result.status();
    }
    branches.push_back({std::move(body), std::move(result)});
  }
  if (types.empty()) return branches[0].result.status();
  // C2: the results of all branches have a common type.
  auto joined = JoinValueTypes(outer.library(), types);
  if (!joined.ok()) return WithConstraint("C2", At("results of branches", joined.status()));
  for (const TypeSpec& type : types) {
    if (!IsSubtype(type, *joined)) outer.NoteConvertedResult();
  }
  FlatNode node{&SwitchOp(), {index.components[0]}, {}, {}};
  node.inputs.insert(node.inputs.end(), inputs.edges().begin(), inputs.edges().end());
  std::vector<EdgeDimensions> dimensions;  // of each output
  std::vector<RankSet> ranks;              // of each output
  for (Branch& branch : branches) {
    const bool has_result = branch.result.ok();
    auto result = has_result ? CoerceTo(*branch.builder, *branch.result, *joined)
                             : DeferError(outer, inputs, branch, *joined);
    SIGNET_RETURN_IF_ERROR(result.status());
    // The dimensions of an output are those of all branches.
    std::vector<EdgeDimensions> given;
    for (int edge : result->components) given.push_back(branch.builder->dimensions().Of(edge));
    if (node.bodies.empty()) dimensions = given;
    ranks.resize(given.size());
    for (size_t i = 0; i < given.size(); ++i) {
      dimensions[i] = outer.dimensions().JointOf(dimensions[i], given[i]);
      if (has_result) ranks[i] |= branch.builder->RanksOf(result->components[i]);
    }
    node.bodies.push_back(
        std::make_shared<const FlatGraph>(std::move(*branch.builder).Finish(*result)));
  }
  SIGNET_ASSIGN_OR_RETURN(std::vector<int> outputs, outer.AddControl(std::move(node)));
  for (size_t i = 0; i < outputs.size(); ++i) {
    outer.dimensions().Set(outputs[i], dimensions[i]);
    outer.SetRanks(outputs[i], ranks[i]);
  }
  return GraphValue{*joined, {outputs.begin(), outputs.end()}};
}

StatusOr<GraphValue> BuildSwitch(Inliner& inliner, Control op, const GraphValue& index,
                                 std::span<const std::string> functions,
                                 std::span<const GraphValue> arguments,
                                 std::span<const std::string> keywords, bool defer_errors) {
  std::vector<SwitchBranch> branches;
  for (const std::string& function : functions) {
    branches.push_back({BranchName(op, branches.size()),
                        [&](FlatBuilder& body, std::span<const GraphValue> inside) {
                          return inliner.Within(body).CallNamed(function, inside, keywords);
                        }});
  }
  return BuildSwitch(
      *inliner.expander().AsBuilder(), index, branches, arguments,
      [&](const Status& status) { return defer_errors && absl::IsInvalidArgument(status); });
}

StatusOr<GraphValue> CallCandidate(Inliner& inliner, std::span<const std::string> functions,
                                   std::span<const GraphValue> arguments,
                                   std::span<const std::string> keywords) {
  std::vector<Candidate> accepted;
  std::vector<Rejection> rejections;
  for (const std::string& name : functions) {
    SIGNET_ASSIGN_OR_RETURN(const FunctionDef* function, inliner.FindFunction(name));
    auto parameters = inliner.Bind(*function, arguments, keywords);
    if (!parameters.ok()) {
      rejections.push_back(
          FindRejection(inliner, *function, parameters.status(), arguments, keywords));
      continue;
    }
    SIGNET_ASSIGN_OR_RETURN(auto bound, ParametersOf(*function, arguments.size(), keywords));
    std::vector<TypeSpec> constraints;
    for (const Parameter* parameter : bound) constraints.push_back(parameter->type);
    bool as_is = true;
    for (size_t i = 0; i < arguments.size(); ++i) {
      as_is &= !constraints[i] || Satisfies(arguments[i].spec, constraints[i]);
    }
    accepted.push_back({function, *std::move(parameters), std::move(constraints), as_is});
  }
  if (accepted.empty()) return NoFunctionAccepts(rejections, arguments);
  ValueConverter converter(inliner.expander().library());
  auto is_best = [&](const Candidate& candidate) {
    return std::none_of(accepted.begin(), accepted.end(), [&](const Candidate& other) {
      return IsBelow(other, candidate, converter) && !IsBelow(candidate, other, converter);
    });
  };
  // Among equally specific functions, prefer one that needs no cast, then the first one.
  const Candidate* chosen = nullptr;
  for (const Candidate& candidate : accepted) {
    bool better = chosen == nullptr || (candidate.takes_as_is && !chosen->takes_as_is);
    if (better && (accepted.size() == 1 || is_best(candidate))) chosen = &candidate;
  }
  const Candidate& best = *chosen;
  inliner.expander().NoteChoice(Cat("candidate ", best.function->name));
  return inliner.InlineNamed(*best.function, best.parameters);
}

}  // namespace signet
