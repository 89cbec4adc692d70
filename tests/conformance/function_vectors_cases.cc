#include "tests/conformance/function_vectors_cases.h"

#include <algorithm>
#include <map>

#include "core/function/cast.h"
#include "core/function/constrain.h"
#include "core/function/dispatch_table.h"
#include "core/function/generalize.h"
#include "core/runtime/function_cache.h"
#include "core/types/registry/type_registry.h"
#include "core/values/builders/value_notation.h"

namespace signet::vectors {
namespace {

std::string Differ(std::string_view found, std::string_view expected) {
  return found == expected ? "" : Cat("found ", found, "; expected ", expected);
}

std::string DifferBool(bool found, const Json& expected) {
  return Differ(Cat(found), Cat(expected.get<bool>()));
}

std::string DifferType(const TypeSpec& found, const TypeSpec& expected) {
  return found == expected ? "" : Differ(found.ToString(), expected.ToString());
}

std::string DifferValue(const Value& found, const Value& expected) {
  if (SameValue(found, expected)) return "";
  return Cat("found ", ToString(found), "; expected ", ToString(expected));
}

// Compares the code and the parameter of an error. If a case has several errors, other codes that
// describe it are accepted.
std::string DifferError(const Status& status, const Json& one) {
  if (!one.contains("error")) return Cat("found the error: ", MessageOf(status));
  std::string reason = ReasonOf(status);
  if (reason != one.at("error")) {
    for (const Json& fair : one.value("acceptable", Json::array())) {
      if (fair == reason) return "";
    }
    return Differ(reason, one.at("error").get<std::string>());
  }
  std::string expected = one.value("param", "");
  if (expected.empty()) return "";
  std::string field = FieldOf(status);
  return Differ(field.substr(0, field.find_first_of(".[")), expected);
}

std::string MissingError(const Json& one) {
  return Cat("found no error; expected ", one.at("error").get<std::string>());
}

std::string DifferFunctionType(const FunctionType& found, const FunctionType& expected) {
  if (found == expected && found.output() == expected.output()) return "";
  return Differ(found.ToString(), expected.ToString());
}

// --- bind
// -----------------------------------------------------------------------------------------

// A bound parameter as the vectors write it: a value, a list of *args, or pairs of **kwargs.
Json BoundJson(const Json& one, const Parameter& parameter, const Binding& binding, size_t i) {
  const BoundParameter& bound = binding.parameters[i];
  if (parameter.kind == ParameterKind::kVarKeyword) {
    Json pairs = Json::array();
    for (size_t keyword : binding.extra_keywords) pairs.push_back(one.at("kwargs").at(keyword));
    return pairs;
  }
  if (parameter.kind == ParameterKind::kVarPositional) {
    Json list = Json::array();
    for (size_t j = 0; j < bound.count; ++j) list.push_back(one.at("args")[bound.index + j]);
    return list;
  }
  if (bound.source == BoundParameter::Source::kKeyword)
    return one.at("kwargs").at(bound.index).at(1);
  return one.at("args").at(bound.index);
}

Json ReplayJson(const Json& one, const ReplayedCall::Argument& argument) {
  if (argument.source == BoundParameter::Source::kAbsent)
    return one.at("defaults").at(argument.name);
  bool by_name = argument.source == BoundParameter::Source::kKeyword;
  return by_name ? one.at("kwargs").at(argument.index).at(1) : one.at("args").at(argument.index);
}

std::string DifferJson(std::string_view what, const Json& found, const Json& expected) {
  return found == expected ? "" : Cat(what, " ", found.dump(), "; expected ", expected.dump());
}

std::string RunBind(const Json& one) {
  auto type = MakeType(one.at("signature"));
  if (!type.ok()) return DifferError(type.status(), one);
  std::vector<std::string> names;
  for (const Json& pair : one.at("kwargs")) names.push_back(pair.at(0));
  std::vector<std::string_view> keywords(names.begin(), names.end());
  auto binding = BindArguments(*type, one.at("args").size(), keywords);
  if (!binding.ok()) return DifferError(binding.status(), one);

  Defaults defaults = ToDefaults(one.at("defaults"));
  Json bound = Json::array();
  Json filled = Json::array();
  for (size_t i = 0; i < type->parameters().size(); ++i) {
    const Parameter& parameter = type->parameters()[i];
    if (binding->parameters[i].source == BoundParameter::Source::kAbsent) {
      auto value = FindDefault(defaults, parameter);
      if (!value.ok()) return DifferError(value.status(), one);
      filled.push_back({parameter.name, one.at("defaults").at(parameter.name)});
      continue;
    }
    Json value = BoundJson(one, parameter, *binding, i);
    if (!IsVariadic(parameter.kind) || !value.empty()) bound.push_back({parameter.name, value});
    filled.push_back({parameter.name, std::move(value)});
  }
  if (one.contains("error")) return MissingError(one);
  const Json& expected = one.at("expected");
  if (auto wrong = DifferJson("bound", bound, expected.at("bound")); !wrong.empty()) return wrong;
  auto wrong = DifferJson("with defaults", filled, expected.at("bound_with_defaults"));
  if (!wrong.empty() || !expected.contains("call_args")) return wrong;

  ReplayedCall call = ReplayBinding(*type, *binding, keywords, true);
  Json args = Json::array();
  Json kwargs = Json::array();
  for (const auto& argument : call.positional) args.push_back(ReplayJson(one, argument));
  for (const auto& argument : call.keyword) {
    kwargs.push_back({argument.name, ReplayJson(one, argument)});
  }
  if (auto other = DifferJson("args", args, expected.at("call_args")); !other.empty()) return other;
  return DifferJson("kwargs", kwargs, expected.at("call_kwargs"));
}

// --- types
// ----------------------------------------------------------------------------------------

std::string RunSubtype(const Json& one) {
  return DifferBool(IsSubtype(ToKnownType(one.at("a")), ToKnownType(one.at("b"))),
                    one.at("is_subtype"));
}

std::string RunSupertype(const Json& one) {
  std::vector<TypeSpec> types;
  for (const Json& type : one.at("types")) types.push_back(ToKnownType(type));
  if (types.empty()) return "no types";
  return DifferType(MostSpecificCommonSupertype(types), ToType(one.at("expected")));
}

std::string RunCompatible(const Json& one) {
  TypeSpec a = ToKnownType(one.at("a"));
  TypeSpec b =
      one.contains("b_value") ? ToValue(one.at("b_value")).spec() : ToKnownType(one.at("b"));
  if (auto wrong = DifferBool(IsCompatible(a, b), one.at("is_compatible")); !wrong.empty()) {
    return wrong;
  }
  if (one.contains("is_compatible_reversed")) {
    auto wrong = DifferBool(IsCompatible(b, a), one.at("is_compatible_reversed"));
    if (!wrong.empty()) return Cat("reversed: ", wrong);
  }
  if (!one.contains("most_specific_compatible_type")) return "";
  return DifferType(MostSpecificCommonSupertype(a, b),
                    ToType(one.at("most_specific_compatible_type")));
}

std::string DifferShape(const PartialShape& found, const Json& expected) {
  return Differ(found.ToString(), ToShape(expected.at("shape")).ToString());
}

std::string DifferMerged(const StatusOr<PartialShape>& merged, const Json& one) {
  if (!merged.ok()) return DifferError(merged.status(), one);
  return one.contains("error") ? MissingError(one) : DifferShape(*merged, one.at("expected"));
}

// A shape as sizes from outside: null is unknown, every size is checked.
std::string RunConstruct(const Json& one) {
  if (!one.at("a").is_null()) {
    for (const Json& dim : one.at("a")) {
      if (dim.is_null()) continue;
      int64_t size = dim;
      if (Status status = CheckShape({&size, 1}, 1); !status.ok()) {
        return DifferError(status, one);
      }
    }
  }
  return one.contains("error") ? MissingError(one)
                               : DifferShape(ToShape(one.at("a")), one.at("expected"));
}

std::string RunShape(const Json& one) {
  const std::string op = one.at("op");
  const Json& expected = one.contains("expected") ? one.at("expected") : one.at("error");
  if (op == "construct") return RunConstruct(one);
  if (op == "most_specific_common_supertype") {
    PartialShape joined = ToShape(one.at("shapes").at(0));
    for (const Json& shape : one.at("shapes")) {
      joined = joined.MostSpecificCommonSupertype(ToShape(shape));
    }
    return DifferShape(joined, expected);
  }
  PartialShape a = ToShape(one.at("a"));
  if (op == "is_fully_defined") return DifferBool(a.IsFullyDefined(), expected);
  if (op == "num_elements") {
    auto count = a.num_elements();
    return Differ(count ? Cat(*count) : "null", expected.dump());
  }
  if (op == "with_rank")
    return DifferMerged(a.MergeWith(PartialShape::OfRank(one.at("rank"))), one);
  if (op == "rank") return Differ(a.has_rank() ? Cat(a.rank()) : "null", expected.dump());
  if (op == "to_proto") {
    Json dims = Json::array();
    if (a.has_rank()) dims = a.dims();
    return DifferJson("proto", {{"unknown_rank", !a.has_rank()}, {"dim", dims}}, expected);
  }
  PartialShape b = ToShape(one.at("b"));
  if (op == "is_subtype_of") return DifferBool(a.IsSubtypeOf(b), expected);
  if (op == "is_compatible_with") return DifferBool(a.IsCompatibleWith(b), expected);
  if (op == "equals") return DifferBool(a == b, expected);
  if (op == "merge_with") return DifferMerged(a.MergeWith(b), one);
  if (op == "concatenate") return DifferShape(a.Concatenate(b), expected);
  if (op == "most_specific_compatible_shape") {
    return DifferShape(a.MostSpecificCommonSupertype(b), expected);
  }
  return Cat("unknown op ", op);
}

std::string RunRegistry(const Json& one) {
  TypeRegistry registry;
  for (const Json& step : one.at("steps")) {
    const std::string op = step.at("op");
    Status status;
    std::string answer = "OK";
    if (op == "register") {
      ExtensionDeclaration declaration;
      declaration.name = step.at("name");
      declaration.class_name = step.at("class");
      status = registry.Register(std::move(declaration));
    } else if (op == "lookup") {
      auto found = registry.Find(step.at("name").get<std::string>());
      status = found.status();
      if (found.ok()) answer = (*found)->class_or_name();
    } else if (op == "get_name") {
      auto found = registry.FindName(step.at("class").get<std::string>());
      status = found.status();
      if (found.ok()) answer = *found;
    } else {
      return Cat("unknown op ", op);
    }
    if (!status.ok()) answer = ReasonOf(status);
    std::string wrong = Differ(answer, step.at("expected").get<std::string>());
    if (!wrong.empty()) return Cat(step.dump(), ": ", wrong);
  }
  return "";
}

// --- casting and calls
// ----------------------------------------------------------------------------

std::string RunCast(const Json& one) {
  auto cast = CastTo(ToValue(one.at("value")), ToKnownType(one.at("constraint")));
  if (!cast.ok()) return DifferError(cast.status(), one);
  if (one.contains("error")) return MissingError(one);
  return DifferValue(*cast, ToValue(one.at("expected").at("value")));
}

std::string RunCanonicalize(const Json& one) {
  auto type = MakeType(one.at("signature"));
  if (!type.ok()) return DifferError(type.status(), one);
  std::vector<Capture> captures;
  if (one.contains("captures")) {
    for (const Json& capture : one.at("captures")) {
      captures.push_back({capture.at(0), ToType(capture.at(1))});
    }
  }
  Defaults defaults = one.contains("defaults") ? ToDefaults(one.at("defaults")) : Defaults();
  auto call = Canonicalize(*type, ToArguments(one.at("args"), one.at("kwargs")), defaults,
                           std::move(captures));
  if (!call.ok()) return DifferError(call.status(), one);
  // The vectors write the type of a call as a signature, in which names are unique identifiers.
  auto written = FunctionType::Make(call->type.parameters(), call->type.captures());
  if (!written.ok()) return DifferError(written.status(), one);
  if (one.contains("error")) return MissingError(one);
  if (call->arguments.size() != call->type.parameters().size()) return "arguments are missing";
  return DifferFunctionType(call->type, ToFunctionType(one.at("expected")));
}

std::string RunConstrain(const Json& one) {
  auto type = MakeType(one.at("signature"));
  if (!type.ok()) return DifferError(type.status(), one);
  std::vector<TypeSpec> constraints;
  for (const Json& constraint : one.at("constraints"))
    constraints.push_back(ToKnownType(constraint));
  auto constrained = ConstrainParameters(*type, constraints, ToDefaults(one.at("defaults")));
  if (!constrained.ok()) return DifferError(constrained.status(), one);
  if (one.contains("error")) return MissingError(one);
  return DifferFunctionType(*constrained, ToFunctionType(one.at("expected")));
}

// --- function types and dispatch
// ------------------------------------------------------------------

std::string RunFunctionSubtype(const Json& one) {
  const std::string op = one.at("op");
  if (op == "equals") {
    FunctionType a = ToFunctionType(one.at("a"));
    FunctionType b = ToFunctionType(one.at("b"));
    if (a == b && a.fingerprint() != b.fingerprint()) return "equal, with other fingerprints";
    return DifferBool(a == b, one.at("equal"));
  }
  if (op == "is_supertype_of") {
    FunctionType a = ToFunctionType(one.at("a"));
    FunctionType b = ToFunctionType(one.at("b"));
    auto answer = IsSupertype(a, b);
    if (!answer.ok()) return DifferError(answer.status(), one);
    if (*answer && a.structure() != b.structure()) return "related, with other structures";
    if (*answer != ExplainMismatch(a, b).empty()) return "the explanation contradicts";
    return one.contains("error") ? MissingError(one) : DifferBool(*answer, one.at("is_supertype"));
  }
  if (op != "most_specific_common_subtype") return Cat("unknown op ", op);
  std::vector<FunctionType> types;
  for (const Json& type : one.at("types")) types.push_back(ToFunctionType(type));
  if (types.empty()) return "no types";
  auto joined = MostSpecificCommonSubtype(types);
  if (!joined.ok()) return DifferError(joined.status(), one);
  if (one.contains("error")) return MissingError(one);
  if (!*joined) return one.at("expected").is_null() ? "" : "found null";
  if (one.at("expected").is_null()) return Cat("found ", **joined, "; expected null");
  FunctionType expected = ToFunctionType(one.at("expected"));
  for (size_t i = 0; i < expected.captures().size() && i < (*joined)->captures().size(); ++i) {
    const std::string& name = (*joined)->captures()[i].name;
    if (name != expected.captures()[i].name) return Cat("capture ", i, " is ", name);
  }
  return DifferFunctionType(**joined, expected);
}

std::string RunGeneralize(const Json& one) {
  std::vector<FunctionType> targets;
  for (const Json& type : one.at("targets")) targets.push_back(ToFunctionType(type));
  return DifferFunctionType(Generalize(ToFunctionType(one.at("request")), targets),
                            ToFunctionType(one.at("expected")));
}

struct NamedTarget : DispatchTarget {
  NamedTarget(FunctionType target_type, std::string target_name)
      : DispatchTarget(std::move(target_type)), name(std::move(target_name)) {}
  const std::string name;
};

std::string NameOfTarget(const DispatchTable::Target& target) {
  return target == nullptr ? "null" : static_cast<const NamedTarget&>(*target).name;
}

std::string ExpectedName(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

DispatchTable::Target MakeTarget(const FunctionType& type, std::string name) {
  return std::make_shared<NamedTarget>(type, std::move(name));
}

std::string RunLookup(const Json& one) {
  DispatchTable table;
  int index = 0;
  for (const Json& type : one.at("targets")) {
    table.Add(MakeTarget(ToFunctionType(type), Cat(index++)));
  }
  FunctionType request = ToFunctionType(one.at("request"));
  for (int i = 0; i < 2; ++i) {  // searched, then remembered
    auto found = table.Lookup(request);
    std::string wrong = Differ(NameOfTarget(found.target), ExpectedName(one.at("expected")));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::map<std::string, FunctionType> NamedFunctionTypes(const Json& json) {
  std::map<std::string, FunctionType> types;
  for (const auto& item : json.items()) types.emplace(item.key(), ToFunctionType(item.value()));
  return types;
}

std::string RunSequence(const Json& one) {
  DispatchTable table;
  auto types = NamedFunctionTypes(one.at("types"));
  for (const Json& step : one.at("steps")) {
    const std::string op = step.at("op");
    std::string wrong;
    if (op == "add") {
      table.Add(MakeTarget(types.at(step.at("type")), step.at("type")));
    } else if (op == "delete") {
      bool removed = table.Remove(types.at(step.at("type"))) != nullptr;
      if (step.contains("expected")) wrong = DifferBool(removed, step.at("expected"));
    } else if (op == "clear") {
      table.Clear();
    } else if (op == "dispatch") {
      auto found = table.Lookup(types.at(step.at("request")));
      wrong = Differ(NameOfTarget(found.target), ExpectedName(step.at("expected")));
    } else if (op == "targets") {
      Json names = Json::array();
      for (const auto& target : table.Targets()) names.push_back(NameOfTarget(target));
      wrong = DifferJson("targets", names, step.at("expected"));
    } else {
      return Cat("unknown op ", op);
    }
    if (!wrong.empty()) return Cat(step.dump(), ": ", wrong);
  }
  return "";
}

std::string RunCache(const Json& one) {
  std::optional<int64_t> capacity;
  if (!one.at("capacity").is_null()) capacity = one.at("capacity").get<int64_t>();
  auto options = FunctionCache::MakeOptions(capacity);
  if (!options.ok()) return DifferError(options.status(), one);
  if (one.contains("error")) return MissingError(one);
  FunctionCache cache(*options);
  auto types = NamedFunctionTypes(one.at("types"));
  for (const Json& step : one.at("steps")) {
    const std::string op = step.at("op");
    const std::string context = step.value("context", "");
    std::string wrong;
    if (op == "add") {
      cache.Add(MakeTarget(types.at(step.at("type")), step.at("fn")), context);
    } else if (op == "lookup") {
      auto target = cache.Lookup(types.at(step.at("type")), context);
      wrong = Differ(NameOfTarget(target), ExpectedName(step.at("expected")));
    } else if (op == "delete") {
      bool removed = cache.Remove(types.at(step.at("type")), context);
      if (step.contains("expected")) wrong = DifferBool(removed, step.at("expected"));
    } else if (op == "clear") {
      cache.Clear();
    } else if (op == "size") {
      wrong = Differ(Cat(cache.size()), step.at("expected").dump());
    } else {
      return Cat("unknown op ", op);
    }
    if (!wrong.empty()) return Cat(step.dump(), ": ", wrong);
  }
  return "";
}

std::string RunDispatch(const Json& one) {
  const std::string form = one.at("form");
  if (form == "lookup") return RunLookup(one);
  if (form == "sequence") return RunSequence(one);
  if (form == "cache") return RunCache(one);
  return Cat("unknown form ", form);
}

}  // namespace

RunCase LookupRunner(std::string_view file) {
  static const std::map<std::string_view, RunCase> kRunners = {
      {"bind.json", RunBind},
      {"canonicalize.json", RunCanonicalize},
      {"cast.json", RunCast},
      {"compatible.json", RunCompatible},
      {"constrain.json", RunConstrain},
      {"dispatch.json", RunDispatch},
      {"function_subtype.json", RunFunctionSubtype},
      {"generalize.json", RunGeneralize},
      {"registry.json", RunRegistry},
      {"shape.json", RunShape},
      {"subtype.json", RunSubtype},
      {"supertype.json", RunSupertype},
  };
  auto found = kRunners.find(file);
  return found == kRunners.end() ? nullptr : found->second;
}

}  // namespace signet::vectors
