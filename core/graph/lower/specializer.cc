#include "core/graph/lower/specializer.h"

#include <algorithm>

#include "core/function/cast.h"
#include "core/graph/flat/passes/passes.h"
#include "core/graph/flat/verify.h"
#include "core/graph/lower/flat_builder.h"
#include "core/graph/lower/inliner.h"
#include "core/ops/def/literal_dtype.h"

namespace signet {
namespace {

bool IsVariadic(const Parameter& parameter) {
  return parameter.kind == ParameterKind::kVarPositional ||
         parameter.kind == ParameterKind::kVarKeyword;
}

// Adds the parameters of the monomorphic type as inputs, and returns the values of the parameters
// of the function. The monomorphic type has one parameter per variadic argument.
StatusOr<ParameterValues> AddInputs(FlatBuilder& builder, const FunctionDef& def,
                                    const FunctionType& type) {
  const FunctionType& function = def.type;
  const auto& declared = function.parameters();
  size_t named = 0;  // declared parameters except for *args and **kwargs
  size_t positional = 0;
  for (const Parameter& parameter : declared) {
    named += !IsVariadic(parameter);
    positional += parameter.kind <= ParameterKind::kPositionalOrKeyword;
  }
  const auto& given = type.parameters();
  size_t given_positional =
      static_cast<size_t>(std::count_if(given.begin(), given.end(), [](const Parameter& parameter) {
        return parameter.kind <= ParameterKind::kPositionalOrKeyword;
      }));
  if (given.size() < named || given_positional < positional) {
    return Internal("type `", type, "` is not one of `", function, "`");
  }
  // Returns the names of the dimensions of parameter `name`.
  auto names_of = [&](const std::string& name) {
    auto found = def.dimension_names.find(name);
    return found == def.dimension_names.end() ? std::vector<std::string>() : found->second;
  };
  auto add = [&](const TypeSpec& spec, const Parameter& parameter, const std::string& path) {
    GraphValue value = builder.AddInput(spec);
    builder.dimensions().IdentifyArgument(value, parameter.type, path, names_of(path));
    if (builder.warnings() != nullptr) builder.dimensions().IdentifyUnnamed(value, path);
    return value;
  };
  ParameterValues values;
  size_t next = 0;
  for (const Parameter& parameter : declared) {
    if (parameter.kind == ParameterKind::kVarPositional) {
      std::vector<GraphValue> elements;
      for (; next < given_positional; ++next) {
        elements.push_back(
            add(given[next].type, parameter, Cat(parameter.name, ".", elements.size())));
      }
      values.push_back(TupleOfValues(elements));
    } else if (parameter.kind == ParameterKind::kVarKeyword) {
      std::vector<std::pair<std::string, GraphValue>> items;
      for (; next < given.size(); ++next) {
        const std::string path = Cat(parameter.name, ".", given[next].name);
        items.emplace_back(given[next].name, add(given[next].type, parameter, path));
      }
      SIGNET_ASSIGN_OR_RETURN(GraphValue dict, DictOfValues(std::move(items)));
      values.push_back(std::move(dict));
    } else {
      values.push_back(add(given[next++].type, parameter, parameter.name));
    }
  }
  return values;
}

// Adds checks of the extension values among the arguments.
Status CheckInputs(FlatBuilder& builder, const FunctionType& function,
                   const ParameterValues& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = function.parameters()[i].name;
    SIGNET_RETURN_IF_ERROR(
        WithField(name, builder.CheckExtensions(inputs[i], Cat("argument `", name, "`"))));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<Specialization> Specialize(const FunctionDef& function, const FunctionType& type,
                                    const FunctionLibrary& library, SpecializeOptions options) {
  FlatBuilder builder(library, {.optimize = options.optimize,
                                .max_expanded_bytes = options.max_expanded_bytes,
                                .warnings = options.warnings});
  SIGNET_ASSIGN_OR_RETURN(ParameterValues inputs, AddInputs(builder, function, type));
  SIGNET_RETURN_IF_ERROR(CheckInputs(builder, function.type, inputs));
  SIGNET_ASSIGN_OR_RETURN(GraphValue result, Inliner(builder).Inline(function, inputs));
  const TypeSpec& declared = function.type.output();
  if (declared && declared.is(TypeKind::kTensor) && IsPlain(result.spec)) {
    auto cast = CastTo(Value::Trusted(result.spec, {}), declared);
    if (!cast.ok()) return At("result", cast.status());
    result = builder.Constant(*cast);
  }
  if (declared && !IsCompatible(declared, result.spec)) {
    return InvalidArgument("result: expected `", declared, "` as in the signature, found `",
                           result.spec, "`");
  }
  Specialization made{{}, result.spec, builder.choices(), builder.converts_results()};
  made.graph = std::move(builder).Finish(result);
  const PassOptions& passes = PassOptionsFromEnvironment();
  const bool verify = options.verify || passes.verify;
  if (verify) SIGNET_RETURN_IF_ERROR(At("before all passes", Verify(made.graph)));
  if (!options.optimize) return made;
  PruneDead(made.graph);
  if (verify) SIGNET_RETURN_IF_ERROR(At("without dead nodes", Verify(made.graph)));
  if (!options.fuse) return made;
  SIGNET_ASSIGN_OR_RETURN(
      uint64_t rounding,
      Optimize(made.graph, library.ops(), {.verify = verify, .on_change = passes.on_change}));
  made.choices += rounding;
  return made;
}

}  // namespace signet
