#include "core/serving/flat/flat_signature.h"

#include <algorithm>
#include <utility>

#include "core/function/cast.h"
#include "core/types/identifier.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// Returns the dtype of the tensor that a client sends for a literal.
std::optional<DType> DTypeOfLiteral(const Literal& literal) {
  switch (literal.kind()) {
    case Literal::Kind::kNone:
      return std::nullopt;
    case Literal::Kind::kBool:
      return DType::kBool;
    case Literal::Kind::kInt:
      return DType::kInt64;
    case Literal::Kind::kFloat:
      return DType::kFloat64;
    case Literal::Kind::kString:
      return DType::kString;
  }
  __builtin_unreachable();
}

FlatTensor FlatTensorOf(std::string name, const TypeSpec& type) {
  FlatTensor out{.name = std::move(name)};
  if (const auto* tensor = type.As<TensorSpec>()) {
    out.dtype = tensor->dtype();
    out.shape = tensor->shape();
  } else if (const auto* literal = type.As<LiteralSpec>()) {
    out.dtype = DTypeOfLiteral(literal->literal());
    out.shape = Shape{};
  }
  return out;
}

std::vector<FlatTensor> TensorsOf(const std::string& name, const FunctionDef& def,
                                  const Parameter& parameter, const TypeSpec& type) {
  if (!type) {
    auto value = def.defaults.find(parameter.name);
    TypeSpec given = value == def.defaults.end() ? TypeSpec() : value->second.spec();
    if (given.is(TypeKind::kTensor)) given = TypeSpec();
    return {FlatTensorOf(name, given)};
  }
  if (type.is(TypeKind::kLiteral)) return {FlatTensorOf(name, type)};
  if (ContainsAny(type)) return {};
  std::vector<FlatTensor> out;
  std::vector<ComponentSpec> components;
  type.rep().AppendComponents(name, 0, components);
  out.reserve(components.size());
  for (ComponentSpec& component : components) {
    out.push_back(FlatTensorOf(std::move(component.name), component.spec));
  }
  return out;
}

// Adds the parts of one value.
class PartsWriter {
 public:
  explicit PartsWriter(std::vector<FlatPart>& out) : out_(out) {}

  // `path` is empty for a result whose fields are called by their own names.
  void Add(const TypeSpec& type, const std::string& path, size_t component) {
    if (const auto* dict = type.As<DictSpec>())
      return AddNamed(type, dict->keys(), path, component);
    if (const auto* tuple = type.As<NamedTupleSpec>()) {
      return AddNamed(type, tuple->field_names(), path, component);
    }
    if (IsSequence(type)) {
      for (size_t i = 0; i < type.children().size(); ++i) {
        Add(type.children()[i], Cat(path, "[", i, "]"), component);
        component += type.children()[i].num_components();
      }
      return;
    }
    if (type.is(TypeKind::kLiteral)) {
      const bool is_none = type.As<LiteralSpec>()->literal().is(Literal::Kind::kNone);
      if (!is_none) out_.push_back({.name = path, .type = type});
      return;
    }
    std::vector<ComponentSpec> components;
    type.rep().AppendComponents(path, 0, components);
    for (ComponentSpec& found : components) {
      out_.push_back({std::move(found.name), std::move(found.spec), component++});
    }
  }

 private:
  void AddNamed(const TypeSpec& type, std::span<const std::string> names, const std::string& path,
                size_t component) {
    std::vector<size_t> first;
    for (const TypeSpec& child : type.children()) {
      first.push_back(component);
      component += child.num_components();
    }
    for (size_t i = 0; i < names.size(); ++i) {
      const size_t child = type.rep().WrittenChild(i);
      Add(type.children()[child], JoinPath(path, names[child]), first[child]);
    }
  }

  std::vector<FlatPart>& out_;
};

bool HasOwnNames(const TypeSpec& type) {
  return type.is(TypeKind::kDict) || type.is(TypeKind::kNamedTuple) ||
         type.is(TypeKind::kStructured) || type.is(TypeKind::kExtension);
}

}  // namespace

TypeSpec ArgumentType(const TypeSpec& constraint) {
  TypeSpec type = constraint;
  while (type && type.is(TypeKind::kAny)) {
    type = type.children().empty() ? TypeSpec() : type.children()[0];
  }
  return type;
}

const std::string& SourceNameOf(const FunctionDef& def, const Parameter& parameter) {
  if (def.source_parameters.empty()) return parameter.name;
  auto found = def.source_parameters.find(parameter.name);
  return found == def.source_parameters.end() ? parameter.name : found->second;
}

std::vector<FlatPart> FlatPartsOf(const FunctionDef& def, const TypeSpec& type) {
  std::vector<FlatPart> out;
  PartsWriter writer(out);
  writer.Add(type, HasOwnNames(type) ? std::string() : std::string(kResultName), 0);
  if (def.source_results.empty()) return out;
  // The name of a whole result is stored under the empty key.
  for (FlatPart& part : out) {
    auto found =
        def.source_results.find(part.name == kResultName && out.size() == 1 ? "" : part.name);
    if (found != def.source_results.end()) part.name = found->second;
  }
  return out;
}

FlatSignature FlatSignatureOf(const PolymorphicFunction& function) {
  const FunctionDef& def = function.def();
  FlatSignature out;
  for (const Parameter& parameter : def.type.parameters()) {
    FlatParameter& flat = out.parameters.emplace_back();
    flat.name = SourceNameOf(def, parameter);
    flat.type = ArgumentType(parameter.type);
    flat.is_optional = parameter.optional;
    flat.is_variadic = IsVariadic(parameter.kind);
    auto value = def.defaults.find(parameter.name);
    flat.is_weight = value != def.defaults.end() && value->second.spec().is(TypeKind::kTensor) &&
                     (value->second.tensor().rank() > 0 || !def.source_parameters.empty());
    if (!flat.is_variadic) flat.tensors = TensorsOf(flat.name, def, parameter, flat.type);
  }
  const TypeSpec& result = function.output();
  if (!result || ContainsAny(result)) return out;
  for (FlatPart& part : FlatPartsOf(def, result)) {
    out.results.push_back(FlatTensorOf(std::move(part.name), part.type));
  }
  return out;
}

StatusOr<const PolymorphicFunction*> FindDefaultFunction(const LoadedModel& model) {
  auto only = model.FindFunction("");
  if (only.ok()) return only;
  for (std::string_view name : {"main", "serving_default"}) {
    auto found = model.FindFunction(name);
    if (found.ok()) return found;
  }
  return only;
}

}  // namespace signet
