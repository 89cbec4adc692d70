#include "core/graph/lower/loop_builder.h"

#include <algorithm>
#include <memory>

#include "core/base/constraint.h"
#include "core/graph/flat/control_nodes.h"
#include "core/graph/lower/body_inputs.h"
#include "core/graph/lower/coerce.h"
#include "core/graph/lower/loop_elements.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/open_list.h"
#include "core/ops/build/rows/outer_dimension.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

constexpr int kMaxTypeRounds = 32;

// The number of specializations after which variables lose their identified dimensions. Variables
// that are swapped could otherwise need many more.
constexpr int kMaxDimensionRounds = 8;

// A variable: its type, and the types of its components, which may be less specific.
struct Variable {
  TypeSpec type;
  std::vector<TypeSpec> parts;
  std::vector<EdgeDimensions> dimensions = {};  // of each component, in every iteration
};

// Returns `known` without dimensions that vary from iteration to iteration of an outer loop.
EdgeDimensions WithoutVarying(const FlatBuilder& builder, EdgeDimensions known) {
  const DimensionRegistry& registry = *builder.dimensions().registry();
  auto forget = [&](DimensionId& id) {
    if (registry.Varies(id)) id = kUnidentified;
  };
  for (DimensionId& id : known.dims) forget(id);
  forget(known.rows);
  forget(known.values);
  return known.is_known() ? known : EdgeDimensions();
}

// Joins the types of the components with the types of the edges of `value`.
Status JoinParts(const FlatBuilder& builder, const GraphValue& value,
                 std::vector<TypeSpec>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    TypeSpec joined = MostSpecificCommonSupertype(parts[i], builder.TypeOf(value.components[i]));
    if (!joined) return Internal("a variable is `", value.spec, "`, but not its components");
    parts[i] = std::move(joined);
  }
  return absl::OkStatus();
}

// Appends the rules by which the components of `spec` are joined along their outermost dimension.
// `spec` is a field of a structure of rank `shared`, or a separate value if `shared` is 0.
Status AppendRules(const TypeSpec& spec, int shared, std::vector<JoinRule>& rules) {
  auto splits = [&](int count) {
    for (int i = 0; i < count; ++i) rules.push_back(JoinRule::kSplits);
  };
  switch (spec.kind()) {
    case TypeKind::kTensor:
      rules.push_back(JoinRule::kConcat);
      return absl::OkStatus();
    case TypeKind::kRagged:
      rules.push_back(JoinRule::kConcat);
      splits(spec.As<RaggedSpec>()->ragged_rank() - std::max(shared - 1, 0));
      return absl::OkStatus();
    case TypeKind::kStructured: {
      int rank = spec.As<StructuredSpec>()->rank();
      if (shared == 0) rules.push_back(JoinRule::kSum);
      splits(rank - 1 - std::max(shared - 1, 0));
      for (const TypeSpec& field : spec.children()) {
        SIGNET_RETURN_IF_ERROR(AppendRules(field, rank, rules));
      }
      return absl::OkStatus();
    }
    case TypeKind::kLiteral:
      return absl::OkStatus();
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
      for (const TypeSpec& child : spec.children()) {
        SIGNET_RETURN_IF_ERROR(AppendRules(child, 0, rules));
      }
      return absl::OkStatus();
    case TypeKind::kSparse:
    case TypeKind::kExtension:
    case TypeKind::kAny:
      break;
  }
  return Unimplemented(
      "results of iterations: expected tensors, ragged values, structures, or nests "
      "of them, found `",
      spec, "`");
}

// Returns the type of the stacked results of `rows` iterations, each of which returned a row of
// `spec`.
StatusOr<TypeSpec> StackOf(const TypeSpec& spec, int64_t rows) {
  if (spec.shape() != nullptr) return WithRows(spec, rows);
  if (IsStatic(spec)) return spec;
  std::vector<TypeSpec> children;
  for (const TypeSpec& child : spec.children()) {
    SIGNET_ASSIGN_OR_RETURN(TypeSpec stacked, StackOf(child, rows));
    children.push_back(std::move(stacked));
  }
  return spec.rep().Rebuild(PartialShape(), std::move(children));
}

class LoopBuilder {
 public:
  LoopBuilder(Inliner& inliner, const LoopRequest& request, MakeRound make)
      : inliner_(inliner),
        outer_(*inliner.expander().AsBuilder()),
        request_(request),
        make_(make),
        outside_(outer_) {
    outside_.Add(request.outside);
    for (const GraphValue& variable : request.variables) {
      variables_.push_back({variable.spec, {}});
    }
  }

  StatusOr<LoopOutputs> Build() {
    for (int i = 0; i < kMaxTypeRounds; ++i) {
      keeps_dimensions_ = i < kMaxDimensionRounds;
      SIGNET_ASSIGN_OR_RETURN(bool settled, Specialize());
      if (settled) return Finish();
    }
    std::vector<TypeSpec> types;
    for (const Variable& variable : variables_) types.push_back(variable.type);
    return InvalidArgument(
        "expected a body that keeps the types of its variables, found types that "
        "change in each iteration: `",
        Join(types, "`, `"), "`");
  }

 private:
  // Makes the body for the current types. Returns true if the body does not change them.
  StatusOr<bool> Specialize() {
    SIGNET_RETURN_IF_ERROR(CoerceInitial());
    SIGNET_ASSIGN_OR_RETURN(body_, outer_.MakeBody());
    GraphValue round = body_->AddInput(TensorType(DType::kInt64, Shape{}));
    std::vector<GraphValue> given;
    for (const Variable& variable : variables_) {
      GraphValue value{variable.type, {}};
      for (size_t i = 0; i < variable.parts.size(); ++i) {
        int edge = body_->AddInput(variable.parts[i]).components[0];
        body_->dimensions().Set(edge, variable.dimensions[i]);
        value.components.push_back(edge);
      }
      given.push_back(std::move(value));
    }
    outside_.AddTo(*body_);
    Inliner within = inliner_.Within(*body_);
    SIGNET_ASSIGN_OR_RETURN(made_,
                            make_(within, round, given, outside_.In(*body_, request_.outside)));
    bool settled = true;
    for (size_t i = 0; i < variables_.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(bool same, JoinVariable(i));
      settled = settled && same;
    }
    return settled;
  }

  Status CoerceInitial() {
    initial_.clear();
    for (size_t i = 0; i < variables_.size(); ++i) {
      Variable& variable = variables_[i];
      SIGNET_ASSIGN_OR_RETURN(GraphValue value,
                              CoerceTo(outer_, request_.variables[i], variable.type));
      if (variable.parts.empty()) {
        for (ComponentSpec& part : ComponentsOf(variable.type)) {
          variable.parts.push_back(std::move(part.spec));
        }
      }
      SIGNET_RETURN_IF_ERROR(JoinParts(outer_, value, variable.parts));
      if (variable.dimensions.empty() && keeps_dimensions_) {
        for (int edge : value.components) {
          variable.dimensions.push_back(WithoutVarying(outer_, outer_.dimensions().Of(edge)));
        }
      }
      variable.dimensions.resize(variable.parts.size());
      initial_.push_back(std::move(value));
    }
    return absl::OkStatus();
  }

  // Joins the type of variable `i` with its type after an iteration. Returns true if it changed.
  StatusOr<bool> JoinVariable(size_t i) {
    Variable& variable = variables_[i];
    const TypeSpec both[] = {variable.type, made_.variables[i].spec};
    auto joined = JoinValueTypes(outer_.library(), both);
    if (joined.ok() && variable.type.is(TypeKind::kList) && IsOpenList(*joined) &&
        !request_.opens_lists) {
      joined = InvalidArgument("`", both[0], "` and `", both[1], "` have different lengths");
    }
    if (!joined.ok())
      return WithConstraint(
          "C3", At(Cat("variable ", i, " before and after an iteration"), joined.status()));
    if (*joined != variable.type) {
      variable = {*joined, {}};
      return false;
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue value, CoerceTo(*body_, made_.variables[i], variable.type));
    std::vector<TypeSpec> parts = variable.parts;
    SIGNET_RETURN_IF_ERROR(JoinParts(*body_, value, parts));
    made_.variables[i] = std::move(value);
    bool same = parts == variable.parts && JoinDimensions(made_.variables[i], variable);
    variable.parts = std::move(parts);
    return same;
  }

  // Keeps only the dimensions that an iteration keeps, too. Returns true if these are all.
  bool JoinDimensions(const GraphValue& value, Variable& variable) const {
    bool same = true;
    for (size_t i = 0; i < variable.dimensions.size(); ++i) {
      EdgeDimensions& known = variable.dimensions[i];
      if (!known.is_known()) continue;
      EdgeDimensions joined;
      if (keeps_dimensions_) {
        joined = WithoutVarying(*body_, body_->dimensions().EitherOf(
                                            known, body_->dimensions().Of(value.components[i])));
      }
      same = same && joined == known;
      known = std::move(joined);
    }
    return same;
  }

  StatusOr<LoopOutputs> Finish() {
    LoopForm form;
    bool goes_on = request_.limit.spec && request_.tests && IsTrue(*body_, made_.going);
    form.tests = request_.tests && !goes_on;
    stops_ = form.tests || (request_.going.spec && !IsTrue(outer_, request_.going));
    GraphValue going = stops_ ? request_.going : GraphValue{};
    GraphValue results{{}, {}};
    auto add = [&](const GraphValue& value) {
      results.components.insert(results.components.end(), value.components.begin(),
                                value.components.end());
    };
    if (form.tests) add(made_.going);
    FlatNode node{&LoopOp(), {EdgeOf(request_.limit), EdgeOf(going)}, {}, {}};
    for (size_t i = 0; i < variables_.size(); ++i) {
      add(made_.variables[i]);
      node.inputs.insert(node.inputs.end(), initial_[i].components.begin(),
                         initial_[i].components.end());
      form.carried += static_cast<int>(initial_[i].components.size());
    }
    node.inputs.insert(node.inputs.end(), outside_.edges().begin(), outside_.edges().end());
    for (const GraphValue& element : made_.collected) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue collected, PartsOfOne(*body_, element, request_.ragged));
      std::vector<JoinRule> rules;
      SIGNET_RETURN_IF_ERROR(AppendRules(collected.spec, 0, rules));
      if (rules.size() != collected.components.size()) {
        return Internal("`", collected.spec, "` is joined by ", rules.size(), " rules");
      }
      for (JoinRule rule : rules) form.collected.push_back({rule, request_.backward});
      add(collected);
      parts_.push_back(collected.spec);
    }
    node.attributes = form.ToAttributes();
    node.bodies = {std::make_shared<const FlatGraph>(std::move(*body_).Finish(results))};
    SIGNET_ASSIGN_OR_RETURN(std::vector<int> edges, outer_.AddControl(std::move(node)));
    return OutputsOf(edges);
  }

  StatusOr<LoopOutputs> OutputsOf(std::span<const int> edges) {
    LoopOutputs outputs;
    size_t next = 0;
    auto take = [&](TypeSpec spec, size_t count) {
      GraphValue value{std::move(spec), {}};
      for (size_t i = 0; i < count; ++i) value.components.push_back(edges[next++]);
      return value;
    };
    for (const Variable& variable : variables_) {
      outputs.variables.push_back(take(variable.type, variable.parts.size()));
      for (size_t i = 0; i < variable.dimensions.size(); ++i) {
        outer_.dimensions().Set(outputs.variables.back().components[i], variable.dimensions[i]);
      }
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(TypeSpec joined, StackOf(parts_[i], KnownRounds()));
      const size_t count = joined.num_components();
      SIGNET_ASSIGN_OR_RETURN(GraphValue stack, StackOfParts(outer_, take(std::move(joined), count),
                                                             made_.collected[i].spec));
      outputs.collected.push_back(std::move(stack));
    }
    return outputs;
  }

  int64_t KnownRounds() const {
    if (stops_ || !request_.limit.spec) return kUnknownDim;
    const Tensor* known = outer_.LookupConstant(request_.limit.components[0]);
    return known == nullptr ? kUnknownDim : std::max<int64_t>(known->scalar<int64_t>(), 0);
  }

  static bool IsTrue(const FlatBuilder& builder, const GraphValue& value) {
    const Tensor* known = value.spec ? builder.LookupConstant(value.components[0]) : nullptr;
    return known != nullptr && known->scalar<bool>();
  }
  static int EdgeOf(const GraphValue& value) { return value.spec ? value.components[0] : kNoEdge; }

  Inliner& inliner_;
  FlatBuilder& outer_;
  const LoopRequest& request_;
  MakeRound make_;
  BodyInputs outside_;
  std::vector<Variable> variables_;
  // The results of the last specialization.
  std::vector<GraphValue> initial_;
  std::unique_ptr<FlatBuilder> body_;
  LoopRound made_;
  std::vector<TypeSpec> parts_;  // the types of the collected elements, as the node collects them
  bool stops_ = true;            // the loop may stop before the limit
  bool keeps_dimensions_ = true;
};

}  // namespace

StatusOr<LoopOutputs> BuildLoop(Inliner& inliner, const LoopRequest& request, MakeRound make) {
  return LoopBuilder(inliner, request, make).Build();
}

}  // namespace signet
