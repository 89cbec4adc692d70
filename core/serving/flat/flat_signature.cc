#include "core/serving/flat/flat_signature.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_set.h>

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

// Returns the type of a parameter, or null for any type. A parameter without a type has the type of
// its default value, if that is not a tensor.
TypeSpec TypeForClients(const FunctionDef& def, const Parameter& parameter) {
  const TypeSpec type = ArgumentType(parameter.type);
  if (type) return type;
  auto value = def.defaults.find(parameter.name);
  const TypeSpec given = value == def.defaults.end() ? TypeSpec() : value->second.spec();
  return given.is(TypeKind::kTensor) ? TypeSpec() : given;
}

size_t NumComponentsIn(const TypeSpec& type, int shared_rank) {
  std::vector<ComponentSpec> components;
  type.rep().AppendComponents("", shared_rank, components);
  return components.size();
}

bool HasOwnNames(const TypeSpec& type) {
  return type.is(TypeKind::kDict) || type.is(TypeKind::kNamedTuple) ||
         type.is(TypeKind::kStructured) || type.is(TypeKind::kExtension);
}

// Adds the parts of values.
class PartsWriter {
 public:
  using Role = FlatPart::Role;

  PartsWriter(std::vector<FlatPart>& out, const FunctionDef& def) : out_(out), def_(def) {}

  // Adds the parts of a parameter.
  void AddParameter(size_t index) {
    const Parameter& parameter = def_.type.parameters()[index];
    if (IsVariadic(parameter.kind)) return;
    const size_t first = out_.size();
    const TypeSpec type = TypeForClients(def_, parameter);
    const Place whole = {SourceNameOf(def_, parameter), parameter.name};
    if (!ArgumentType(parameter.type) || type.is(TypeKind::kLiteral)) {
      out_.push_back({.name = whole.name, .path = whole.path, .type = type});
    } else if (!ContainsAny(type)) {
      Add(type, whole, 0);
    }
    for (size_t i = first; i < out_.size(); ++i) out_[i].parameter = index;
    MarkWhole(first, parameter.name);
  }

  // Adds the parts of a result.
  void AddResult(const TypeSpec& type) {
    auto whole = def_.source_results.find("");
    const bool is_named = whole != def_.source_results.end();
    const std::string path(kResultName);
    has_literals_ = true;
    if (HasOwnNames(type)) {
      has_items_ = true;
      Add(type, {"", ""}, 0);
    } else {
      Add(type, {is_named ? whole->second : path, path}, 0);
    }
    // The only part of a list is the whole result of a model of another format.
    if (out_.size() == 1 && is_named) out_[0].name = whole->second;
    MarkWhole(0, path);
  }

 private:
  // A value: its name for clients, and its path in the signature.
  struct Place {
    std::string name;
    std::string path;
  };

  static Place ChildOf(const Place& place, const std::string& child) {
    return {JoinPath(place.name, child), JoinPath(place.path, child)};
  }

  // Marks the parts from `first` on if they are one tensor, the value with the path `path`.
  void MarkWhole(size_t first, const std::string& path) {
    if (out_.size() == first + 1 && out_[first].path == path) out_[first].is_whole = true;
  }

  void Add(const TypeSpec& type, const Place& place, size_t component, int shared_rank = 0) {
    if (const auto* dict = type.As<DictSpec>()) {
      return AddNamed(type, dict->keys(), place, component);
    }
    if (const auto* tuple = type.As<NamedTupleSpec>()) {
      return AddNamed(type, tuple->field_names(), place, component);
    }
    if (type.is(TypeKind::kStructured)) return AddStructure(type, place, component, shared_rank);
    if (IsSequence(type)) {
      for (size_t i = 0; i < type.children().size(); ++i) {
        const std::string index = Cat("[", i, "]");
        Add(type.children()[i], {place.name + index, place.path + index}, component);
        component += type.children()[i].num_components();
      }
      return;
    }
    if (type.is(TypeKind::kLiteral)) {
      const bool is_none = type.As<LiteralSpec>()->literal().is(Literal::Kind::kNone);
      if (!is_none && has_literals_) {
        out_.push_back({.name = place.name, .path = place.path, .type = type});
      }
      return;
    }
    std::vector<ComponentSpec> components;
    type.rep().AppendComponents("", shared_rank, components);
    const bool is_ragged = type.is(TypeKind::kRagged);
    for (size_t i = 0; i < components.size(); ++i) {
      AddPart(place, components[i], component + i,
              is_ragged && i > 0 ? Role::kSplits : Role::kData);
    }
  }

  void AddPart(const Place& place, ComponentSpec& found, size_t component, Role role) {
    Place at = found.name.empty() ? place : ChildOf(place, found.name);
    out_.push_back({.name = std::move(at.name),
                    .path = std::move(at.path),
                    .type = std::move(found.spec),
                    .component = component,
                    .role = role});
  }

  void AddNamed(const TypeSpec& type, std::span<const std::string> names, const Place& place,
                size_t component) {
    const bool are_items = std::exchange(has_items_, false);
    std::vector<size_t> first;
    for (const TypeSpec& child : type.children()) {
      first.push_back(component);
      component += child.num_components();
    }
    for (size_t i = 0; i < names.size(); ++i) {
      const size_t child = type.rep().WrittenChild(i);
      Place at = ChildOf(place, names[child]);
      if (are_items) at.name = SourceNameOfResult(def_, names[child]);
      const size_t begin = out_.size();
      Add(type.children()[child], at, first[child]);
      if (are_items) MarkWhole(begin, at.path);
    }
  }

  // The count of rows and the row splits come first, and then the fields, in the order in which
  // they are written.
  void AddStructure(const TypeSpec& type, const Place& place, size_t component, int shared_rank) {
    has_items_ = false;
    const auto& spec = *type.As<StructuredSpec>();
    std::vector<ComponentSpec> all;
    type.rep().AppendComponents("", shared_rank, all);
    std::vector<size_t> sizes;
    size_t num_own = all.size();
    for (const TypeSpec& child : type.children()) {
      sizes.push_back(NumComponentsIn(child, spec.rank()));
      num_own -= sizes.back();
    }
    const bool has_rows = spec.rank() > 0 && shared_rank == 0;
    for (size_t i = 0; i < num_own; ++i) {
      AddPart(place, all[i], component + i, has_rows && i == 0 ? Role::kRowCount : Role::kSplits);
    }
    std::vector<size_t> first;
    size_t next = component + num_own;
    for (size_t size : sizes) first.push_back(std::exchange(next, next + size));
    for (size_t i = 0; i < sizes.size(); ++i) {
      const size_t child = type.rep().WrittenChild(i);
      Add(type.children()[child], ChildOf(place, spec.field_names()[child]), first[child],
          spec.rank());
    }
  }

  std::vector<FlatPart>& out_;
  const FunctionDef& def_;
  bool has_literals_ = false;  // parts of parameters have no literals
  bool has_items_ = false;     // the next dict has the items of a result
};

// Makes the names of parts different. Whole parameters and items keep their names, as the names in
// `reserved` do. Of the others, the last one of each name keeps it: the fields of a structure
// follow its counts and splits.
void MakeNamesDifferent(std::vector<FlatPart>& parts, const std::vector<std::string>& reserved) {
  absl::flat_hash_set<std::string> seen;
  std::vector<FlatPart*> repeated;
  auto keep = [&](FlatPart& part) {
    if (!seen.insert(part.name).second) repeated.push_back(&part);
  };
  for (FlatPart& part : parts) {
    if (part.is_whole) keep(part);
  }
  seen.insert(reserved.begin(), reserved.end());
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!part->is_whole) keep(*part);
  }
  for (FlatPart* part : repeated) {
    const std::string base = part->name;
    for (int number = 2; !seen.insert(part->name).second; ++number) {
      part->name = Cat(base, "_", number);
    }
  }
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

const Parameter* LookupInput(const FunctionDef& def, std::string_view name) {
  const Parameter* found = nullptr;
  if (!def.source_parameters.empty()) {
    for (const Parameter& parameter : def.type.parameters()) {
      if (SourceNameOf(def, parameter) == name) found = &parameter;
    }
  }
  if (found == nullptr) found = def.type.LookupParameter(name);
  return found != nullptr && !IsVariadic(found->kind) ? found : nullptr;
}

const std::string& SourceNameOfResult(const FunctionDef& def, const std::string& key) {
  if (def.source_results.empty()) return key;
  auto found = def.source_results.find(key);
  return found == def.source_results.end() ? key : found->second;
}

std::vector<FlatPart> InputPartsOf(const FunctionDef& def) {
  std::vector<FlatPart> out;
  PartsWriter writer(out, def);
  std::vector<std::string> names;
  for (size_t i = 0; i < def.type.parameters().size(); ++i) {
    writer.AddParameter(i);
    const Parameter& parameter = def.type.parameters()[i];
    if (!IsVariadic(parameter.kind)) names.push_back(SourceNameOf(def, parameter));
  }
  MakeNamesDifferent(out, names);
  return out;
}

std::vector<FlatPart> ResultPartsOf(const FunctionDef& def, const TypeSpec& type) {
  std::vector<FlatPart> out;
  PartsWriter(out, def).AddResult(type);
  const bool has_only_items =
      std::all_of(out.begin(), out.end(), [](const FlatPart& part) { return part.is_whole; });
  if (has_only_items && def.source_results.empty()) return out;
  std::vector<std::string> names;
  if (const auto* dict = type.As<DictSpec>()) {
    for (const std::string& key : dict->keys()) names.push_back(SourceNameOfResult(def, key));
  }
  MakeNamesDifferent(out, names);
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
                     value->second.tensor().rank() > 0;
  }
  for (FlatPart& part : InputPartsOf(def)) {
    out.parameters[part.parameter].tensors.push_back(FlatTensorOf(std::move(part.name), part.type));
  }
  const TypeSpec& result = function.output();
  if (!result || ContainsAny(result)) return out;
  for (FlatPart& part : ResultPartsOf(def, result)) {
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
