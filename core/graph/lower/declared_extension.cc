#include "core/graph/lower/declared_extension.h"

#include <algorithm>

#include "core/function/cast.h"
#include "core/graph/lower/flat_builder.h"
#include "core/graph/lower/inliner.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using Outputs = std::optional<std::vector<GraphValue>>;

StatusOr<const FunctionDef*> FindFunction(const CallExpander& build, const std::string& name) {
  const FunctionDef* found = build.library().Lookup(name);
  if (found == nullptr) return NotFound("function `", Printable(name), "` not found in this model");
  return found;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, std::min(text.find('\n'), text.size())));
}

// Returns the attributes for the keyword-only parameters of `callee`.
StatusOr<std::vector<std::pair<std::string, GraphValue>>> KeywordsOf(const FunctionDef& callee,
                                                                     const OpCall& call) {
  std::vector<std::pair<std::string, GraphValue>> keywords;
  for (const Parameter& parameter : callee.type.parameters()) {
    if (parameter.kind != ParameterKind::kKeywordOnly) continue;
    TypeSpec value;
    if (parameter.name == "op") {
      value = AttributeOf(call.op.name);
    } else if (parameter.name == "attributes") {
      NamedTypes plain;
      for (const auto& entry : call.attributes.entries()) {
        if (entry.second && IsStatic(entry.second)) plain.push_back(entry);
      }
      SIGNET_ASSIGN_OR_RETURN(value, MakeDictType(std::move(plain)));
    } else {
      value = call.attributes.Lookup(parameter.name);
      if (!value || !IsStatic(value)) continue;
    }
    keywords.emplace_back(parameter.name, GraphValue{std::move(value), {}});
  }
  return keywords;
}

bool IsKind(const GraphValue& value, std::string_view kind) {
  if (!value.spec) return kind == "any" || kind == "literal";
  if (kind == "any") return true;
  if (kind == "literal") return IsStatic(value.spec);
  if (kind == "tensor") return value.spec.is(TypeKind::kTensor) || IsPlainLiteral(value);
  if (kind == "ragged") return value.spec.is(TypeKind::kRagged);
  if (kind == "sparse") return value.spec.is(TypeKind::kSparse);
  if (kind == "structured") return value.spec.is(TypeKind::kStructured);
  return false;
}

bool IsOf(const CallExpander& build, const GraphValue& value, std::string_view name) {
  const auto* extension = value.spec ? value.spec.As<ExtensionSpec>() : nullptr;
  return extension != nullptr && build.InheritsFrom(extension->name(), name);
}

// Returns true if a conversion from `form` accepts values of `type`.
bool TakesForm(const TypeSpec& form, const TypeSpec& type) {
  const auto* wanted = form.As<ExtensionSpec>();
  const auto* found = type.As<ExtensionSpec>();
  if (wanted == nullptr || found == nullptr || !form.children().empty()) {
    return IsSubtype(type, form);
  }
  if (wanted->name() != found->name()) return false;
  return std::all_of(wanted->statics().begin(), wanted->statics().end(), [&](const auto& entry) {
    return found->LookupStatic(entry.first) == entry.second;
  });
}

StatusOr<GraphValue> ConvertBy(CallExpander& build, const ConversionDef& conversion,
                               const GraphValue& from) {
  SIGNET_ASSIGN_OR_RETURN(const FunctionDef* callee, FindFunction(build, conversion.function));
  Inliner inliner(build);
  auto where = [&] { return Cat("conversion `", conversion.function, "`"); };
  auto parameters = inliner.Bind(*callee, {&from, 1}, {});
  if (!parameters.ok()) return At(where(), parameters.status());
  auto made = inliner.Inline(*callee, *parameters);
  if (!made.ok()) return At(where(), made.status());
  return made;
}

}  // namespace

std::string_view NameOf(OpFamily family) {
  switch (family) {
    case OpFamily::kNone:
      return "FAMILY_UNSPECIFIED";
    case OpFamily::kUnaryElementwise:
      return "UNARY_ELEMENTWISE";
    case OpFamily::kBinaryElementwise:
      return "BINARY_ELEMENTWISE";
    case OpFamily::kReduction:
      return "REDUCTION";
  }
  __builtin_unreachable();
}

Status DeclaredExtension::CheckValue(CallExpander& build, const GraphValue& value,
                                     std::string_view where) const {
  for (const std::string& name : functions_.invariants) {
    SIGNET_ASSIGN_OR_RETURN(const FunctionDef* invariant, FindFunction(build, name));
    Inliner inliner(build);
    auto parameters = inliner.Bind(*invariant, {&value, 1}, {});
    if (!parameters.ok()) return At(Cat(where, ": `", name, "`"), parameters.status());
    auto holds = inliner.Inline(*invariant, *parameters);
    if (!holds.ok()) return At(Cat(where, ": `", name, "`"), holds.status());
    const auto* tensor = holds->spec.As<TensorSpec>();
    const auto* literal = holds->spec.As<LiteralSpec>();
    bool is_bool = (tensor != nullptr && tensor->dtype() == DType::kBool &&
                    tensor->shape().IsCompatibleWith(Shape{})) ||
                   (literal != nullptr && literal->literal().is(Literal::Kind::kBool));
    if (!is_bool) {
      return InvalidArgument(where, ": invariant `", name,
                             "`: expected the result `bool[]`, found `", holds->spec, "`");
    }
    std::string line = FirstLine(invariant->doc);
    std::string message = Cat(where, ": ", line.empty() ? Cat("`", name, "` does not hold") : line);
    SIGNET_RETURN_IF_ERROR(build.CheckTrue(*holds, {.message = message}).status());
  }
  return absl::OkStatus();
}

bool DeclaredExtension::InputsFit(const CallExpander& build, const OverrideDef& override,
                                  std::span<const GraphValue> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (override.inputs.empty()) {
      if (IsOf(build, inputs[i], declaration().name) || IsKind(inputs[i], "tensor")) continue;
      return false;
    }
    const std::string& wanted = override.inputs[std::min(i, override.inputs.size() - 1)];
    if (!IsKind(inputs[i], wanted) && !IsOf(build, inputs[i], wanted)) return false;
  }
  return true;
}

StatusOr<Outputs> DeclaredExtension::Override(CallExpander& build, const OpCall& call,
                                              std::span<const GraphValue> inputs,
                                              std::vector<std::string>& declined) const {
  std::vector<const OverrideDef*> chosen;
  for (const OverrideDef& override : functions_.overrides) {
    if (override.op == call.op.name) chosen.push_back(&override);
  }
  for (const OverrideDef& override : functions_.overrides) {
    bool of_family = override.op.empty() && override.family == call.op.family;
    if (of_family) chosen.push_back(&override);
  }
  if (chosen.empty()) {
    declined.push_back(Cat(declaration().name, " has no override"));
    return Outputs();
  }
  for (const OverrideDef* override : chosen) {
    std::string who = Cat(declaration().name, ": `", override->function, "`");
    if (!InputsFit(build, *override, inputs)) {
      std::string takes = override->inputs.empty() ? Cat(declaration().name, " and tensors")
                                                   : Join(override->inputs, ", ");
      declined.push_back(Cat(who, " accepts ", takes));
      continue;
    }
    SIGNET_ASSIGN_OR_RETURN(const FunctionDef* callee, FindFunction(build, override->function));
    SIGNET_ASSIGN_OR_RETURN(auto keywords, KeywordsOf(*callee, call));
    std::vector<GraphValue> arguments(inputs.begin(), inputs.end());
    // Omitted inputs at the end are not passed, so that defaults are used.
    while (!arguments.empty() && !arguments.back().spec) arguments.pop_back();
    std::vector<std::string> names;
    for (auto& [name, value] : keywords) {
      names.push_back(name);
      arguments.push_back(std::move(value));
    }
    Inliner inliner(build);
    auto parameters = inliner.Bind(*callee, arguments, names);
    if (!parameters.ok()) {
      declined.push_back(Cat(who, ": ", MessageOf(parameters.status())));
      continue;
    }
    auto result = inliner.Inline(*callee, *parameters);
    if (ReasonOf(result.status()) == "DECLINED") {
      declined.push_back(Cat(who, " declined"));
      continue;
    }
    if (!result.ok()) return At(Cat("`", call.op.name, "`: ", who), result.status());
    build.NoteChoice(Cat("override ", who));
    std::vector<GraphValue> outputs;
    if (result->spec.is(TypeKind::kTuple)) {
      for (size_t i = 0; i < result->spec.children().size(); ++i) {
        outputs.push_back(ChildOf(*result, i));
      }
    } else {
      outputs.push_back(*std::move(result));
    }
    return Outputs(std::move(outputs));
  }
  return Outputs();
}

std::vector<const ConversionDef*> DeclaredExtension::ConversionsFrom(const TypeSpec& type) const {
  std::vector<const ConversionDef*> accepting;
  for (const ConversionDef& conversion : functions_.conversions) {
    if (TakesForm(conversion.from, type)) accepting.push_back(&conversion);
  }
  return accepting;
}

const ConversionDef* DeclaredExtension::FirstStep(const CallExpander& build, const TypeSpec& type,
                                                  const TypeSpec& wanted) const {
  constexpr size_t kMaxTypes = 64;  // the search ends after this number of types
  struct Reached {
    TypeSpec type;
    const ConversionDef* first;  // of the conversions that led here; null for `type`
  };
  std::vector<Reached> reached = {{type, nullptr}};
  for (size_t i = 0; i < reached.size() && reached.size() < kMaxTypes; ++i) {
    const Reached from = reached[i];
    for (const ConversionDef* conversion : ConversionsFrom(from.type)) {
      FlatBuilder scratch(build.library(), {});
      scratch.CountWithin(build);
      auto made = ConvertBy(scratch, *conversion, scratch.AddInput(from.type));
      if (!made.ok()) continue;
      const ConversionDef* first = from.first == nullptr ? conversion : from.first;
      if (Satisfies(made->spec, wanted)) return first;
      bool is_new = std::none_of(reached.begin(), reached.end(),
                                 [&](const Reached& other) { return other.type == made->spec; });
      if (is_new) reached.push_back({made->spec, first});
    }
  }
  return nullptr;
}

StatusOr<std::optional<Converted>> DeclaredExtension::Convert(CallExpander& build,
                                                              const GraphValue& from,
                                                              const TypeSpec& wanted) const {
  std::vector<const ConversionDef*> accepting = ConversionsFrom(from.spec);
  if (accepting.empty()) return std::optional<Converted>();
  const ConversionDef* chosen = accepting.front();
  if (accepting.size() > 1) {
    const ConversionDef* first = FirstStep(build, from.spec, wanted);
    // If types alone do not lead to `wanted`, the values may: use the first that accepts them.
    if (first != nullptr) chosen = first;
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue made, ConvertBy(build, *chosen, from));
  return std::optional(Converted{std::move(made), chosen->function});
}

}  // namespace signet
