#include "core/runtime/polymorphic_function.h"

#include <algorithm>
#include <utility>

#include "core/function/binding.h"
#include "core/function/cast.h"
#include "core/function/parameter_hash.h"
#include "core/function/signature.h"
#include "core/graph/flat/capture_edges.h"
#include "core/graph/lower/flat_builder.h"
#include "core/graph/lower/specializer.h"
#include "core/graph/lower/value_converter.h"
#include "core/runtime/returned_value.h"
#include "core/types/type_bytes.h"

namespace signet {
namespace {

constexpr size_t kMostCandidates = 32;  // in the result of Explain
// The types of candidates of other calls may contain much text, which is not shown.
constexpr size_t kMostCandidateBytes = size_t{256} << 10;
constexpr int kMostTriedRank = 4;                    // for parts of unknown rank
constexpr std::string_view kTypesContext = "types";  // the cache context of PrepareForTypes
constexpr std::string_view kRowsContext = "rows";    // the cache context of FindForRows

using Source = ExplainedArgument::Source;

// Returns what the caller passed for each bound parameter, before defaults and casting, in the
// order of the parameters of the call.
std::vector<ExplainedArgument> GivenArguments(const FunctionType& type, const Binding& binding,
                                              const CallArguments& arguments) {
  std::vector<ExplainedArgument> out;
  for (size_t i = 0; i < binding.parameters.size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    const BoundParameter& bound = binding.parameters[i];
    auto add = [&](std::string name, Source source, TypeSpec given) {
      out.push_back({std::move(name), source, std::move(given), parameter.type, {}});
    };
    switch (parameter.kind) {
      case ParameterKind::kVarPositional:
        for (size_t k = 0; k < bound.count; ++k) {
          add(Cat(parameter.name, "_", k), Source::kVariadic,
              arguments.positional[bound.index + k].spec());
        }
        break;
      case ParameterKind::kVarKeyword:
        for (size_t k : SortedByName(binding.extra_keywords, arguments.keyword)) {
          add(arguments.keyword[k].first, Source::kVariadic, arguments.keyword[k].second.spec());
        }
        break;
      case ParameterKind::kPositionalOnly:
      case ParameterKind::kPositionalOrKeyword:
      case ParameterKind::kKeywordOnly:
        if (bound.source == BoundParameter::Source::kPositional) {
          add(parameter.name, Source::kPositional, arguments.positional[bound.index].spec());
        } else if (bound.source == BoundParameter::Source::kKeyword) {
          add(parameter.name, Source::kKeyword, arguments.keyword[bound.index].second.spec());
        } else {
          add(parameter.name, Source::kDefault, {});
        }
        break;
    }
  }
  return out;
}

// Returns true if `holds` is true for the shapes of `type` and of all types in it.
bool HoldsForShapes(const TypeSpec& type, bool (PartialShape::*holds)() const) {
  const PartialShape* shape = type.shape();
  if (shape != nullptr && !(shape->*holds)()) return false;
  return std::all_of(type.children().begin(), type.children().end(),
                     [&](const TypeSpec& child) { return HoldsForShapes(child, holds); });
}

// Returns `type` with `rank` as the rank of all parts of unknown rank.
TypeSpec WithRank(const TypeSpec& type, int rank) {
  if (!type) return type;
  std::vector<TypeSpec> children;
  for (const TypeSpec& child : type.children()) children.push_back(WithRank(child, rank));
  const PartialShape* shape = type.shape();
  const bool is_open = shape != nullptr && !shape->has_rank();
  auto made = type.rep().Rebuild(is_open            ? PartialShape::OfRank(rank)
                                 : shape == nullptr ? PartialShape()
                                                    : *shape,
                                 std::move(children));
  return made.ok() ? *std::move(made) : type;
}

// Records the names of the conversions that casting uses.
class NamingConverter final : public Converter {
 public:
  explicit NamingConverter(const FunctionLibrary& library) : converter_(library) {}
  StatusOr<std::optional<ConvertedValue>> Convert(const Value& value,
                                                  const TypeSpec& wanted) const override {
    SIGNET_ASSIGN_OR_RETURN(auto made, converter_.Convert(value, wanted));
    if (made) names_.push_back(made->by);
    return made;
  }
  std::string names() const { return Join(names_, ", "); }

 private:
  const ValueConverter converter_;
  mutable std::vector<std::string> names_;
};

std::string ConvertedBy(const ExplainedArgument& argument, const FunctionLibrary& library) {
  if (!argument.constraint || argument.given == argument.bound) return "";
  // Casts the types. If they contain plain values that cannot be cast as types, no conversion
  // follows them.
  NamingConverter converter(library);
  (void)CastTo(Value::OfType(argument.given), argument.constraint, {}, &converter).ok();
  return converter.names();
}

Explanation::Outcome OutcomeOf(FunctionCache::Found::How how) {
  switch (how) {
    case FunctionCache::Found::How::kExact:
      return Explanation::Outcome::kExact;
    case FunctionCache::Found::How::kSupertype:
      return Explanation::Outcome::kSupertype;
    case FunctionCache::Found::How::kSpecialized:
      return Explanation::Outcome::kSpecialized;
  }
  __builtin_unreachable();
}

std::vector<ExplainedCandidate> ExplainCandidates(const FunctionType& request,
                                                  const std::vector<FunctionCache::Target>& targets,
                                                  const DispatchTarget* chosen) {
  std::vector<ExplainedCandidate> out;
  for (const auto& target : targets) {
    if (out.size() == kMostCandidates) break;
    TypeBytes types;
    for (const Parameter& parameter : target->type.parameters()) types.Add(parameter.type);
    if (types.total() > kMostCandidateBytes && target.get() != chosen) continue;
    ExplainedCandidate candidate{target->type, false, target.get() == chosen, ""};
    auto accepts = IsSupertype(request, target->type);
    candidate.accepts = accepts.ok() && *accepts;
    if (!candidate.accepts) {
      candidate.why = ExplainMismatch(request, target->type);
    } else if (!candidate.chosen) {
      candidate.why = "accepts the request; a more specific or earlier one does too";
    }
    out.push_back(std::move(candidate));
  }
  return out;
}

std::vector<uint64_t> RolesOf(const FunctionType& type) {
  std::vector<uint64_t> roles;
  for (const Parameter& parameter : type.parameters()) {
    bool by_position = parameter.kind == ParameterKind::kPositionalOnly ||
                       parameter.kind == ParameterKind::kPositionalOrKeyword;
    if (!by_position) return {};
    roles.push_back(HashRole(parameter.name, parameter.kind, false));
  }
  return roles;
}

FunctionCache::Options CacheOptions(const FunctionOptions& options, FunctionCache::Adapter adapt) {
  FunctionCache::Options cache;
  cache.capacity = options.max_concrete_functions;
  cache.max_bytes = options.max_function_bytes;
  cache.budget = options.cache_budget;
  cache.adapt = std::move(adapt);
  return cache;
}

}  // namespace

bool RecentTypes::Contains(const FunctionType& type) const {
  std::lock_guard lock(mutex_);
  return std::find(types_.begin(), types_.end(), type) != types_.end();
}

void RecentTypes::Add(const FunctionType& type) {
  std::lock_guard lock(mutex_);
  types_.push_back(type);
  if (types_.size() > kMost) types_.pop_front();
}

PolymorphicFunction::PolymorphicFunction(const FunctionDef& def, const FunctionLibrary& library,
                                         FunctionOptions options)
    : def_(def),
      library_(library),
      budget_{options.max_loop_steps, options.max_call_bytes},
      signature_(FormatSignature(def.name, def.type, def.defaults, def.dimension_names)),
      output_(def.type.output()),
      roles_(RolesOf(def.type)),
      cache_(CacheOptions(options, [this](const FunctionCache::Target& wider,
                                          const FunctionType& type, std::string_view context) {
        return Make(type, std::static_pointer_cast<const ConcreteFunction>(wider), context);
      })) {}

StatusOr<FunctionCache::Target> PolymorphicFunction::Make(
    const FunctionType& type, const std::shared_ptr<const ConcreteFunction>& wider,
    std::string_view context) const {
  SIGNET_ASSIGN_OR_RETURN(
      FunctionCache::Target made,
      MakeConcreteFunction(def_, type, library_, budget_, wider, OwnPlanMaker(type, context)));
  return made;
}

ConcreteFunction::MakePlan PolymorphicFunction::OwnPlanMaker(const FunctionType& type,
                                                             std::string_view context) const {
  // If a function needs its own plan after all, it replaces the one that shares a plan.
  return [this, type, context = std::string(context)]() -> StatusOr<ConcreteFunction::PlanPtr> {
    SIGNET_ASSIGN_OR_RETURN(auto own, MakeConcreteFunction(def_, type, library_, budget_));
    cache_.Add(own, context);
    return own->first_plan();
  };
}

void PolymorphicFunction::AdoptFunctions(const PolymorphicFunction& old, Adoption& adoption,
                                         AdoptedFunctions& counts) const {
  const FunctionCacheStats before = old.cache_stats();
  const FunctionCacheStats counted = std::exchange(adoption.counted, before);
  const size_t specialized = counts.specialized;
  AdoptContext(old, "", adoption, counts);
  AdoptContext(old, std::string(kTypesContext), adoption, counts);
  // What was counted since the last call of this method, and what this one specialized.
  cache_.ContinueCounts({.hits = before.hits - counted.hits,
                         .supertype_hits = before.supertype_hits - counted.supertype_hits,
                         .specializations = before.specializations - counted.specializations +
                                            (counts.specialized - specialized),
                         .generalizations = before.generalizations - counted.generalizations,
                         .adaptations = before.adaptations - counted.adaptations,
                         .evictions = before.evictions - counted.evictions});
}

void PolymorphicFunction::AdoptContext(const PolymorphicFunction& old, const std::string& context,
                                       Adoption& adoption, AdoptedFunctions& counts) const {
  for (const FunctionCache::Target& target : old.cache_.Targets(context)) {
    if (adoption.made.contains(target.get())) continue;
    const auto& before = static_cast<const ConcreteFunction&>(*target);
    std::shared_ptr<const ConcreteFunction> wider;
    if (before.wider != nullptr) {
      auto found = adoption.made.find(before.wider.get());
      if (found != adoption.made.end()) wider = found->second;
    }
    const bool keeps = before.capture_use() != CaptureUse::kFolded &&
                       (before.wider == nullptr || (wider != nullptr && before.MayShare(*wider)));
    auto made =
        keeps ? before.WithCaptures(def_, library_, wider,
                                    wider == nullptr ? nullptr : OwnPlanMaker(before.type, context))
              : Status(absl::StatusCode::kFailedPrecondition, "");
    if (made.ok()) {
      ++(before.capture_use() == CaptureUse::kNone ? counts.kept : counts.rebuilt);
    } else {
      made = MakeConcreteFunction(def_, before.type, library_, budget_, wider,
                                  wider == nullptr ? nullptr : OwnPlanMaker(before.type, context));
      ++(made.ok() ? counts.specialized : counts.dropped);
    }
    adoption.made.emplace(target.get(), made.ok() ? *made : nullptr);
    adoption.sources.push_back(target);
    if (made.ok()) cache_.Add(*std::move(made), context);
  }
}

Status PolymorphicFunction::AdoptBodyCheck(const PolymorphicFunction& old) {
  check_depends_on_captures_ = old.check_depends_on_captures_;
  if (check_depends_on_captures_) return CheckBody();
  output_ = old.output_;
  return absl::OkStatus();
}

StatusOr<FunctionCache::Found> PolymorphicFunction::Find(const FunctionType& type,
                                                         const RunControl& control,
                                                         std::string_view context) const {
  return cache_.FindOrMake(
      type, [this, context](const FunctionType& wanted) { return Make(wanted, nullptr, context); },
      context, control.deferral);
}

StatusOr<Binding> PolymorphicFunction::Bind(const CallArguments& arguments) const {
  if (def_.source_parameters.empty() || arguments.keyword.empty()) {
    return BindArguments(def_.type, arguments, signature_);
  }
  absl::flat_hash_map<std::string_view, std::string_view> own_names;
  for (const auto& [name, source] : def_.source_parameters) own_names.emplace(source, name);
  std::vector<std::string_view> keywords;
  for (const auto& [keyword, value] : arguments.keyword) {
    auto own = own_names.find(keyword);
    const bool is_source = own != own_names.end() && def_.type.LookupParameter(keyword) == nullptr;
    keywords.push_back(is_source ? own->second : std::string_view(keyword));
  }
  return BindArguments(def_.type, arguments.positional.size(), keywords, signature_);
}

StatusOr<CanonicalCall> PolymorphicFunction::Canonicalize(const Binding& binding,
                                                          const CallArguments& arguments,
                                                          const RunControl& control) const {
  ValueConverter converter(
      library_, [&control] { return control.Check(); }, control.Bounded(budget_));
  return CanonicalizeBound(def_.type, binding, arguments, def_.defaults, {}, &converter);
}

StatusOr<PolymorphicFunction::Prepared> PolymorphicFunction::Select(
    CanonicalCall& call, const RunControl& control) const {
  SIGNET_ASSIGN_OR_RETURN(FunctionCache::Found found, Find(call.type, control));
  return Prepared{std::static_pointer_cast<const ConcreteFunction>(std::move(found.target)),
                  std::move(call.arguments)};
}

std::shared_ptr<const ConcreteFunction> PolymorphicFunction::LookupDirect(
    const CallArguments& arguments) const {
  const std::vector<Value>& given = arguments.positional;
  if (!arguments.keyword.empty() || given.size() != roles_.size()) return nullptr;
  uint64_t fingerprint = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i] || given[i].is_placeholder()) return nullptr;
    fingerprint = AddParameter(fingerprint, roles_[i], given[i].spec().fingerprint());
  }
  // The names and kinds are those of the signature in all types of its calls. A type that was found
  // once satisfies the constraints, so nothing is cast.
  auto is_request = [&](const FunctionType& type) {
    if (type.parameters().size() != given.size()) return false;
    for (size_t i = 0; i < given.size(); ++i) {
      if (type.parameters()[i].type != given[i].spec()) return false;
    }
    return true;
  };
  return std::static_pointer_cast<const ConcreteFunction>(
      cache_.LookupKnown(WithCaptures(fingerprint, 0), is_request));
}

StatusOr<PolymorphicFunction::Prepared> PolymorphicFunction::Prepare(
    CallArguments arguments, const RunControl& control) const {
  if (auto function = LookupDirect(arguments)) {
    return Prepared{std::move(function), std::move(arguments.positional)};
  }
  SIGNET_ASSIGN_OR_RETURN(Binding binding, Bind(arguments));
  SIGNET_ASSIGN_OR_RETURN(CanonicalCall call, Canonicalize(binding, arguments, control));
  return Select(call, control);
}

std::optional<PolymorphicFunction::Prepared> PolymorphicFunction::PrepareForTypes(
    const Binding& binding, const CallArguments& arguments, const RunControl& control) const {
  auto call = Canonicalize(binding, arguments, control);
  if (!call.ok() || rejected_types_.Contains(call->type)) return std::nullopt;
  auto found = Find(call->type, control, kTypesContext);
  if (control.is_stopped()) return std::nullopt;
  if (!found.ok()) {
    rejected_types_.Add(call->type);
    return std::nullopt;
  }
  return Prepared{std::static_pointer_cast<const ConcreteFunction>(std::move(found->target)),
                  std::move(call->arguments)};
}

std::optional<PolymorphicFunction::Prepared> PolymorphicFunction::PrepareForParts(
    Prepared prepared, const RunControl& control) const {
  std::vector<Parameter> parameters = prepared.function->type.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].type = prepared.arguments[i].spec();
  }
  auto type = FunctionType::Make(std::move(parameters));
  if (!type.ok()) return std::nullopt;
  auto found = Find(*type, control, kTypesContext);
  if (!found.ok()) return std::nullopt;
  auto function = std::static_pointer_cast<const ConcreteFunction>(std::move(found->target));
  const std::vector<int>& given = prepared.function->plan().input_slots();
  const std::vector<int>& needed = function->plan().input_slots();
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i] != kNoEdge && given[i] == kNoEdge) return std::nullopt;
  }
  prepared.function = std::move(function);
  prepared.is_partial = true;
  return prepared;
}

StatusOr<Value> PolymorphicFunction::Prepared::Run(const RunControl& control) const {
  return is_partial ? function->RunOnce(arguments, control) : function->Run(arguments, control);
}

bool PolymorphicFunction::Prepared::MustRepeat(const StatusOr<Value>& result,
                                               const RunControl& control) const {
  return is_partial && !result.ok() && !control.is_stopped() &&
         !absl::IsDeadlineExceeded(result.status()) && !absl::IsCancelled(result.status());
}

StatusOr<std::shared_ptr<const ConcreteFunction>> PolymorphicFunction::FindConcrete(
    const CallArguments& arguments, const RunControl& control) const {
  SIGNET_ASSIGN_OR_RETURN(Binding binding, Bind(arguments));
  SIGNET_ASSIGN_OR_RETURN(CanonicalCall call, Canonicalize(binding, arguments, control));
  SIGNET_ASSIGN_OR_RETURN(FunctionCache::Found found, Find(call.type, control, kTypesContext));
  return std::static_pointer_cast<const ConcreteFunction>(std::move(found.target));
}

StatusOr<std::shared_ptr<const ConcreteFunction>> PolymorphicFunction::FindForRows(
    const FunctionType& type, const RunControl& control) const {
  SIGNET_ASSIGN_OR_RETURN(FunctionCache::Found found, Find(type, control, kRowsContext));
  return std::static_pointer_cast<const ConcreteFunction>(std::move(found.target));
}

std::vector<bool> PolymorphicFunction::Prepared::NeedsOf(size_t i) const {
  size_t first = 0;
  for (size_t k = 0; k < i; ++k) first += arguments[k].spec().num_components();
  const std::vector<int>& slots = function->plan().input_slots();
  std::vector<bool> needs;
  for (size_t k = first; k < first + arguments[i].spec().num_components(); ++k) {
    needs.push_back(slots[k] != kNoEdge);
  }
  return needs;
}

StatusOr<Value> PolymorphicFunction::Call(const CallArguments& arguments,
                                          const RunControl& control) const {
  if (auto function = LookupDirect(arguments)) return function->Run(arguments.positional, control);
  SIGNET_ASSIGN_OR_RETURN(Prepared prepared, Prepare(arguments, control));
  return prepared.function->Run(prepared.arguments, control);
}

Explanation PolymorphicFunction::Explain(const CallArguments& arguments,
                                         const RunControl& control) const {
  auto binding = Bind(arguments);
  if (binding.ok()) return ExplainBound(*binding, arguments, control);
  Explanation out;
  out.error = binding.status();
  return out;
}

Explanation PolymorphicFunction::ExplainBound(const Binding& binding,
                                              const CallArguments& arguments,
                                              const RunControl& control) const {
  Explanation out;
  out.arguments = GivenArguments(def_.type, binding, arguments);
  auto call = Canonicalize(binding, arguments, control);
  if (!call.ok()) {
    out.error = call.status();
    return out;
  }
  out.request_type = call->type;
  for (size_t i = 0; i < out.arguments.size(); ++i) {
    ExplainedArgument& argument = out.arguments[i];
    argument.bound = call->type.parameters()[i].type;
    if (argument.source == Source::kDefault) argument.given = argument.bound;
    argument.cast_by = ConvertedBy(argument, library_);
  }
  auto targets = cache_.Targets();
  auto found = Find(call->type, control);
  if (!found.ok()) {
    out.error = found.status();
    out.candidates = ExplainCandidates(call->type, targets, nullptr);
    return out;
  }
  out.outcome = OutcomeOf(found->how);
  // A function that was just built may share the plan of a wider one, which was in the cache.
  const DispatchTarget* chosen_target = found->target.get();
  const bool was_there = std::any_of(
      targets.begin(), targets.end(),
      [&](const FunctionCache::Target& target) { return target.get() == chosen_target; });
  if (!was_there) chosen_target = chosen_target->wider.get();
  out.candidates = ExplainCandidates(call->type, targets, chosen_target);
  const auto& chosen = static_cast<const ConcreteFunction&>(*found->target);
  out.output = StatedType(chosen.output());
  out.plan = chosen.plan().ToString();
  return out;
}

StatusOr<std::optional<PolymorphicFunction::StatedTypes>> PolymorphicFunction::FindStatedTypes()
    const {
  std::vector<Parameter> parameters;
  bool are_sizes_known = true;
  bool are_ranks_known = true;
  bool hold_for_all = true;
  for (const Parameter& parameter : def_.type.parameters()) {
    if (IsVariadic(parameter.kind)) return std::optional<StatedTypes>();
    Parameter required = parameter;
    required.optional = false;
    auto found = def_.defaults.find(parameter.name);
    if (!required.type && found != def_.defaults.end()) {
      required.type = found->second.spec();
      hold_for_all = false;
    }
    required.type = ArrangedLike(required.type, parameter.type);
    bool says_enough = required.type && !ContainsAny(required.type) &&
                       (required.type.shape() == nullptr || required.type.shape()->has_rank());
    if (!says_enough) return std::optional<StatedTypes>();
    are_sizes_known &= HoldsForShapes(required.type, &PartialShape::IsFullyDefined);
    are_ranks_known &= HoldsForShapes(required.type, &PartialShape::has_rank);
    parameters.push_back(std::move(required));
  }
  SIGNET_ASSIGN_OR_RETURN(FunctionType type, FunctionType::Make(std::move(parameters)));
  return StatedTypes{std::move(type), are_sizes_known, are_ranks_known, hold_for_all};
}

Status PolymorphicFunction::CheckBody() {
  SIGNET_ASSIGN_OR_RETURN(std::optional<StatedTypes> stated, FindStatedTypes());
  if (!stated) return absl::OkStatus();
  auto checked = Specialize(def_, stated->type, library_);
  check_depends_on_captures_ = !checked.ok() || !FoldedCaptures(checked->graph).empty();
  if (checked.ok()) {
    // If sizes are known, they may determine which branch returns the result.
    bool holds = stated->are_sizes_known || !checked->converts_results;
    if (!output_ && stated->hold_for_all && holds) output_ = StatedType(checked->output);
    return absl::OkStatus();
  }
  // An operation that is unimplemented for unknown sizes may be implemented for the sizes of a
  // call.
  bool may_succeed = absl::IsUnimplemented(checked.status()) && !stated->are_sizes_known;
  if (may_succeed || MayAcceptSomeRank(*stated)) return absl::OkStatus();
  return checked.status();
}

bool PolymorphicFunction::MayAcceptSomeRank(const StatedTypes& stated) const {
  if (stated.are_ranks_known) return false;
  for (int rank = 0; rank <= kMostTriedRank; ++rank) {
    std::vector<Parameter> parameters(stated.type.parameters().begin(),
                                      stated.type.parameters().end());
    for (Parameter& parameter : parameters) parameter.type = WithRank(parameter.type, rank);
    auto type = FunctionType::Make(std::move(parameters));
    if (!type.ok()) return true;
    Status status = Specialize(def_, *type, library_).status();
    if (status.ok() || absl::IsUnimplemented(status)) return true;
  }
  return false;
}

std::vector<std::string> PolymorphicFunction::AlignmentWarningsOfBody() const {
  AlignmentWarnings warnings;
  auto stated = FindStatedTypes();
  if (!stated.ok() || !*stated) return {};
  if (!Specialize(def_, (*stated)->type, library_, {.warnings = &warnings}).ok()) return {};
  return std::move(warnings).Take();
}

std::vector<PolymorphicFunction::CachedFunction> PolymorphicFunction::CachedFunctions() const {
  std::vector<CachedFunction> out;
  auto add = [&](std::string_view context, Purpose purpose) {
    for (const FunctionCache::Target& target : cache_.Targets(context)) {
      out.push_back({std::static_pointer_cast<const ConcreteFunction>(target), purpose});
    }
  };
  add("", Purpose::kCalls);
  add(kTypesContext, Purpose::kPartialCalls);
  add(kRowsContext, Purpose::kBatches);
  return out;
}

FunctionCacheStats PolymorphicFunction::cache_stats() const { return cache_.stats(); }

}  // namespace signet
