#include "core/runtime/concrete_function.h"

#include <algorithm>

#include "core/function/binding.h"
#include "core/function/cast.h"
#include "core/graph/flat/capture_edges.h"
#include "core/graph/lower/specializer.h"
#include "core/runtime/executor.h"
#include "core/runtime/returned_value.h"
#include "core/types/type_bytes.h"
#include "core/values/buffer_bytes.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

// Returns true if ExactSpecOf of a value of type `spec` is always `spec`.
bool HasAllSizes(const TypeSpec& spec) {
  if (const PartialShape* shape = spec.shape()) {
    if (!shape->has_rank()) return false;
    const auto* ragged = spec.As<RaggedSpec>();
    const int ragged_rank = ragged == nullptr ? 0 : ragged->ragged_rank();
    const bool is_structured = spec.is(TypeKind::kStructured);
    for (int axis = 0; axis < shape->rank(); ++axis) {
      // The row splits contain the sizes of ragged dimensions.
      if (axis > 0 && (is_structured || axis <= ragged_rank)) continue;
      if (shape->dim(axis) == kUnknownDim) return false;
    }
  }
  return std::all_of(spec.children().begin(), spec.children().end(), HasAllSizes);
}

StatusOr<ConcreteFunction::PlanPtr> PlanOf(FlatGraph graph) {
  SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<const Plan> plan, Plan::Make(std::move(graph)));
  return std::make_shared<const FramedPlan>(std::move(plan));
}

// Rejects arguments that would be converted if the function returned them.
Status CheckParameterTypes(const FunctionType& type) {
  for (const Parameter& parameter : type.parameters()) {
    if (!HasReturnMark(parameter.type)) continue;
    return WithField(
        parameter.name,
        InvalidArgument("argument `", Printable(parameter.name), "`: expected a value, found `",
                        parameter.type,
                        "`, a type of intermediate results; pass the value itself, ", "or None"));
  }
  return absl::OkStatus();
}

// Returns true if a plan for a wider type that runs without an error has the same results as a plan
// for a type with `choices` and `output`: the same type except for sizes, and the same chosen
// branches.
bool GivesTheSame(const ConcreteFunction& wider, uint64_t choices, const TypeSpec& output) {
  return wider.choices() == choices &&
         MostSpecificCommonSupertype(wider.output(), output) == wider.output();
}

// Returns the default values of `function` by index in `type`, the type of a call. A default is not
// included if the argument of the call had another type.
std::vector<Value> DefaultsOf(const FunctionDef& function, const FunctionType& type) {
  const auto& given = type.parameters();
  auto positional =
      static_cast<size_t>(std::count_if(given.begin(), given.end(), [](const Parameter& parameter) {
        return parameter.kind <= ParameterKind::kPositionalOrKeyword;
      }));
  std::vector<Value> defaults(given.size());
  size_t next = 0;
  for (const Parameter& parameter : function.type.parameters()) {
    if (parameter.kind == ParameterKind::kVarPositional) next = positional;
    if (IsVariadic(parameter.kind)) continue;
    auto found = function.defaults.find(parameter.name);
    bool fits = found != function.defaults.end() && next < given.size() &&
                IsSubtype(found->second.spec(), given[next].type);
    if (fits) defaults[next] = found->second;
    ++next;
  }
  return defaults;
}

// Other constants of a graph that is kept to replace captures. A larger one may be packed by a
// kernel, and keeping it would hold it twice.
constexpr size_t kMaxKeptConstantBytes = size_t{1} << 20;

CaptureUse CaptureUseOf(const FlatGraph& graph) {
  if (!FoldedCaptures(graph).empty()) return CaptureUse::kFolded;
  return UsesCaptures(graph) ? CaptureUse::kByReference : CaptureUse::kNone;
}

// The weights of some networks are written as fills. These are computed once and packed, as long as
// they are small compared with what one call may hold.
size_t MaxExpandedBytes(const RunBudget& budget) {
  return static_cast<size_t>(std::min(budget.max_bytes / 16, int64_t{128} << 20));
}

}  // namespace

ConcreteFunction::ConcreteFunction(FunctionType target_type, Parts parts)
    : DispatchTarget(std::move(target_type), std::move(parts.wider)),
      defaults_(std::move(parts.defaults)),
      output_(std::move(parts.output)),
      is_run_time_type_(HasReturnMark(output_)),
      is_exact_(!is_run_time_type_ && HasAllSizes(output_)),
      choices_(parts.choices),
      plan_(std::move(parts.plan)),
      budget_(parts.budget),
      num_bytes_(parts.num_bytes),
      capture_use_(parts.capture_use),
      graph_(std::move(parts.graph)),
      make_own_(std::move(parts.make_own)) {
  if (make_own_ != nullptr) components_ = ComponentsOf(output_);
}

StatusOr<Value> ConcreteFunction::Call(CallArguments arguments, const RunControl& control) const {
  std::vector<Parameter> parameters = type.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].optional = static_cast<bool>(defaults_[i]);
  }
  FunctionType signature = FunctionType::MakeUnchecked(std::move(parameters));
  std::vector<std::string_view> keywords;
  for (const auto& [name, value] : arguments.keyword) keywords.push_back(name);
  SIGNET_ASSIGN_OR_RETURN(Binding binding,
                          BindArguments(signature, arguments.positional.size(), keywords));
  std::vector<Value> values;
  for (size_t i = 0; i < defaults_.size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    const BoundParameter& bound = binding.parameters[i];
    Value value = defaults_[i];
    if (bound.source == BoundParameter::Source::kPositional) {
      value = std::move(arguments.positional[bound.index]);
    } else if (bound.source == BoundParameter::Source::kKeyword) {
      value = std::move(arguments.keyword[bound.index].second);
    }
    if (!value || value.is_placeholder()) {
      return WithField(parameter.name, InvalidArgument("argument `", Printable(parameter.name),
                                                       "`: expected a value, found none"));
    }
    SIGNET_ASSIGN_OR_RETURN(value, CastTo(std::move(value), parameter.type, parameter.name));
    values.push_back(std::move(value));
  }
  return Run(values, control);
}

StatusOr<Value> ConcreteFunction::Run(std::span<const Value> arguments,
                                      const RunControl& control) const {
  if (make_own_ == nullptr || own_.load(std::memory_order_acquire) != nullptr) {
    return RunWith(Current(), arguments, control);
  }
  const RunBudget before = control.budget == nullptr ? RunBudget() : *control.budget;
  auto result = RunWith(*plan_, arguments, control);
  if (result.ok() || control.is_stopped() || absl::IsDeadlineExceeded(result.status()) ||
      absl::IsCancelled(result.status())) {
    return result;
  }
  // Building a plan takes long.
  if (control.must_be_short()) return control.deferral->Move();
  SIGNET_ASSIGN_OR_RETURN(const FramedPlan* own, OwnPlan());
  if (control.budget != nullptr) *control.budget = before;
  return RunWith(*own, arguments, control);
}

StatusOr<Value> ConcreteFunction::RunOnce(std::span<const Value> arguments,
                                          const RunControl& control) const {
  return RunWith(Current(), arguments, control);
}

Status ConcreteFunction::CheckComponents(std::span<const Tensor> results) const {
  for (size_t i = 0; i < components_.size(); ++i) {
    const PartialShape& shape = *components_[i].spec.shape();
    if (PartialShape(results[i].shape()).IsSubtypeOf(shape)) continue;
    return Internal("result `", components_[i].name, "`: expected shape `", shape, "`, found `",
                    PartialShape(results[i].shape()), "`");
  }
  return absl::OkStatus();
}

StatusOr<const FramedPlan*> ConcreteFunction::OwnPlan() const {
  std::lock_guard lock(own_mutex_);
  if (own_plan_ == nullptr) {
    SIGNET_ASSIGN_OR_RETURN(own_plan_, make_own_());
    own_.store(own_plan_.get(), std::memory_order_release);
  }
  return own_plan_.get();
}

StatusOr<Value> ConcreteFunction::RunWith(const FramedPlan& plan, std::span<const Value> arguments,
                                          const RunControl& control) const {
  absl::InlinedVector<const Tensor*, 8> inputs;
  for (const Value& argument : arguments) {
    for (const Tensor& component : argument.components()) inputs.push_back(&component);
  }
  RunBudget budget = control.Bounded(budget_);
  RunControl with_budget = control;
  if (control.budget == nullptr) with_budget.budget = &budget;
  StatusOr<Components> results = RunPlan(*plan.plan, plan.frames, inputs, with_budget);
  if (!results.ok()) return std::move(results).status();
  SIGNET_RETURN_IF_ERROR(CheckComponents(*results));
  return ResultOf(*std::move(results));
}

StatusOr<Value> ConcreteFunction::MakeResult(Components components) const {
  std::vector<ComponentSpec> expected = ComponentsOf(output_);
  bool fits = expected.size() == components.size();
  for (size_t i = 0; fits && i < expected.size(); ++i) {
    fits = PartialShape(components[i].shape()).IsSubtypeOf(*expected[i].spec.shape());
  }
  if (!fits) return Internal("the components do not fit the result type `", output_, "`");
  return ResultOf(std::move(components));
}

StatusOr<Value> ConcreteFunction::ResultOf(Components results) const {
  if (is_exact_) return Value::Trusted(output_, std::move(results));
  if (output_.is(TypeKind::kTensor)) return Value(std::move(results[0]));
  const Value open = Value::Trusted(output_, std::move(results));
  Value made =
      Value::Trusted(ExactSpecOf(open), {open.components().begin(), open.components().end()});
  if (is_run_time_type_) return ConvertReturned(made);
  return made;
}

bool ConcreteFunction::MayShare(const ConcreteFunction& other) const {
  return GivesTheSame(other, choices_, output_);
}

StatusOr<std::shared_ptr<const ConcreteFunction>> ConcreteFunction::WithCaptures(
    const FunctionDef& function, const FunctionLibrary& library,
    const std::shared_ptr<const ConcreteFunction>& new_wider, MakePlan make_own) const {
  Parts parts{.output = output_,
              .choices = choices_,
              .plan = plan_,
              .budget = budget_,
              .defaults = DefaultsOf(function, type),
              .num_bytes = num_bytes_,
              .capture_use = capture_use_,
              .graph = graph_};
  if (new_wider != nullptr) {
    parts.plan = new_wider->first_plan();
    parts.wider = new_wider;
    parts.make_own = std::move(make_own);
  } else if (graph_ != nullptr) {
    auto find = [&](const std::string& name) -> StatusOr<Value> {
      auto found = library.captures().find(name);
      if (found != library.captures().end()) return found->second.Get();
      return NotFound("capture `", Printable(name), "` not found");
    };
    SIGNET_ASSIGN_OR_RETURN(FlatGraph graph, WithCaptureValues(*graph_, find));
    SIGNET_ASSIGN_OR_RETURN(parts.plan, PlanOf(std::move(graph)));
  }
  return std::make_shared<const ConcreteFunction>(type, std::move(parts));
}

StatusOr<std::shared_ptr<const ConcreteFunction>> MakeConcreteFunction(
    const FunctionDef& function, const FunctionType& type, const FunctionLibrary& library,
    RunBudget budget, const std::shared_ptr<const ConcreteFunction>& wider,
    ConcreteFunction::MakePlan make_own) {
  // One thread builds the whole plan, so the plan holds what that thread allocates and keeps.
  const int64_t before = BufferBytesOfThread();
  SIGNET_RETURN_IF_ERROR(CheckParameterTypes(type));
  SIGNET_ASSIGN_OR_RETURN(
      Specialization made,
      Specialize(function, type, library, {.max_expanded_bytes = MaxExpandedBytes(budget)}));
  made.output = WithoutStaticMarks(made.output);
  // A declared result determines the order in which its fields are written; `any` does not.
  if (const TypeSpec& declared = function.type.output(); declared && !declared.is(TypeKind::kAny)) {
    made.output = ArrangedLike(made.output, declared);
  }
  const TypeSpec output = made.output;
  ConcreteFunction::Parts parts{.output = output,
                                .choices = made.choices,
                                .plan = nullptr,
                                .budget = budget,
                                .defaults = DefaultsOf(function, type),
                                .capture_use = CaptureUseOf(made.graph)};
  TypeBytes types;
  types.Add(output);
  for (const Parameter& parameter : type.parameters()) {
    types.Add(parameter.type);
    parts.num_bytes += sizeof(Parameter) + parameter.name.size();
  }
  parts.num_bytes += types.total();
  if (wider != nullptr && make_own != nullptr && GivesTheSame(*wider, made.choices, made.output)) {
    parts.plan = wider->first_plan();
    parts.wider = wider;  // owns the plan
    while (parts.wider->wider != nullptr) {
      parts.wider = std::static_pointer_cast<const ConcreteFunction>(parts.wider->wider);
    }
    parts.make_own = std::move(make_own);
    return std::make_shared<const ConcreteFunction>(type, std::move(parts));
  }
  if (parts.capture_use == CaptureUse::kByReference) {
    parts.graph = WithoutCaptureValues(made.graph, kMaxKeptConstantBytes);
    if (parts.graph == nullptr) parts.capture_use = CaptureUse::kFolded;
  }
  SIGNET_ASSIGN_OR_RETURN(parts.plan, PlanOf(std::move(made.graph)));
  const int64_t held = std::max<int64_t>(BufferBytesOfThread() - before, 0);
  // The graph that is kept has about the size of its text.
  const size_t text = parts.plan->plan->text_bytes();
  parts.num_bytes += static_cast<size_t>(held) + (parts.graph == nullptr ? text : 2 * text);
  return std::make_shared<const ConcreteFunction>(type, std::move(parts));
}

}  // namespace signet
