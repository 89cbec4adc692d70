#include "server/protocols/tensorflow/flat_tensors.h"

#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "core/formats/tensorflow/proto_pieces.h"
#include "server/protocols/tensorflow/named_arguments.h"
#include "server/protocols/tensorflow/signatures.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/structured_spec.h"

namespace signet::tf {
namespace {

constexpr std::string_view kOnlyOutput = "output_0";
constexpr std::string_view kRows = "nrows";

using TensorsByName = absl::flat_hash_map<std::string, Tensor>;

// Returns `recipes.title`, or `pair[0]`.
std::string ComponentName(std::string_view name, std::string_view path) {
  if (path.empty()) return std::string(name);
  return Cat(name, path[0] == '[' ? "" : ".", path);
}

// Returns the type of a parameter; null for one that accepts any value.
TypeSpec TypeOf(const Parameter& parameter) {
  TypeSpec type = parameter.type;
  while (type && type.is(TypeKind::kAny)) {
    type = type.children().empty() ? TypeSpec() : type.children()[0];
  }
  return type;
}

bool IsFlat(const TypeSpec& type) {
  return !type || type.is(TypeKind::kTensor) || type.is(TypeKind::kLiteral);
}

// Returns a scalar as a literal, or nothing if no literal is like it.
std::optional<Value> LiteralOf(const Tensor& tensor) {
  if (tensor.num_elements() != 1 || tensor.rank() > 1) return std::nullopt;
  if (tensor.is_string()) {
    return Value::OfLiteral(Literal::String(std::string(tensor.string_at(0))));
  }
  return VisitDType(tensor.dtype(), [&]<class T>(TypeTag<T>) -> std::optional<Value> {
    if constexpr (std::is_same_v<T, bool>) {
      return Value::OfLiteral(Literal::Bool(tensor.elements<T>()[0]));
    } else if constexpr (std::is_integral_v<T>) {
      return Value::OfLiteral(Literal::Int(tensor.elements<T>()[0]));
    } else if constexpr (std::is_floating_point_v<T>) {
      return Value::OfLiteral(Literal::Float(static_cast<double>(tensor.elements<T>()[0])));
    } else {
      return std::nullopt;
    }
  });
}

// Returns the JSON text that the elements of a string tensor are.
StatusOr<Buffer> JsonOf(const Tensor& tensor) {
  if (tensor.rank() > 1) {
    return InvalidArgument("expected a scalar or a vector of JSON texts, found `", tensor.spec(),
                           "`");
  }
  if (tensor.rank() == 0) return BufferOf(std::string(tensor.string_at(0)));
  std::string text = "[";
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (i > 0) text += ',';
    text += tensor.string_at(i);
  }
  return BufferOf(text + "]");
}

// Returns the number of rows of a structure called `name`, as one of its fields shows it.
std::optional<Tensor> RowsOf(const TypeSpec& type, std::string_view name,
                             const TensorsByName& tensors) {
  for (const std::string& field : type.As<StructuredSpec>()->field_names()) {
    const std::string path = Cat(name, ".", field);
    if (auto dense = tensors.find(path); dense != tensors.end() && dense->second.rank() > 0) {
      return Tensor::Scalar<int64_t>(dense->second.shape().dim(0));
    }
    auto splits = tensors.find(Cat(path, ".row_splits_0"));
    if (splits != tensors.end() && splits->second.rank() == 1 &&
        splits->second.num_elements() > 0) {
      return Tensor::Scalar<int64_t>(splits->second.num_elements() - 1);
    }
  }
  return std::nullopt;
}

// Adds `nrows` of structures that do not have it.
void AddRows(const TypeSpec& type, const std::string& name, TensorsByName& tensors) {
  const auto* structured = type.As<StructuredSpec>();
  if (structured == nullptr || structured->rank() == 0) return;
  const std::string rows = Cat(name, ".", kRows);
  if (tensors.contains(rows)) return;
  if (auto count = RowsOf(type, name, tensors)) tensors.emplace(rows, *std::move(count));
}

// Makes the value of a parameter from its components. Returns nothing if there are none.
StatusOr<std::optional<Value>> MakeFromComponents(const TypeSpec& type, const std::string& name,
                                                  TensorsByName& tensors) {
  const std::vector<ComponentSpec> specs = ComponentsOf(type);
  bool is_given = false;
  for (const ComponentSpec& spec : specs) {
    is_given = is_given || tensors.contains(ComponentName(name, spec.name));
  }
  if (!is_given) return std::nullopt;
  AddRows(type, name, tensors);
  Components components;
  for (const ComponentSpec& spec : specs) {
    auto found = tensors.find(ComponentName(name, spec.name));
    if (found == tensors.end()) {
      return InvalidWithReason("MISSING_REQUIRED", "missing tensor `",
                               ComponentName(name, spec.name), "` of `", type, "`");
    }
    components.push_back(std::move(found->second));
    tensors.erase(found);
  }
  SIGNET_ASSIGN_OR_RETURN(Value value, MakeValue(type, std::move(components)));
  TypeSpec exact = ExactSpecOf(value);
  return Value::Trusted(std::move(exact), {value.components().begin(), value.components().end()});
}

// Adds the arguments that tensors under the name of the parameter are.
Status AddWhole(const CalledFunction& called, const Parameter& parameter, const TypeSpec& type,
                Tensor tensor, NamedArguments& arguments, ColumnShapes& shapes) {
  if (IsFlat(type)) {
    const auto& defaults = called.function->def().defaults;
    auto found = defaults.find(parameter.name);
    const bool is_literal =
        (type && type.is(TypeKind::kLiteral)) ||
        (!type && found != defaults.end() && found->second.spec().is(TypeKind::kLiteral));
    if (is_literal) {
      if (auto literal = LiteralOf(tensor)) {
        arguments.Add(parameter.name, *std::move(literal));
        return absl::OkStatus();
      }
    }
    arguments.Add(parameter.name, shapes.Fit(std::move(tensor), type));
    return absl::OkStatus();
  }
  if (!tensor.is_string() || type.is(TypeKind::kRagged)) {
    arguments.Add(parameter.name, std::move(tensor));  // cast, or rejected, by the call
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(Buffer text, JsonOf(tensor));
  arguments.AddJson(parameter.name, std::move(text));
  return absl::OkStatus();
}

// Calls `add(name, value)` for each named part of a result.
template <class Add>
void ForEachPart(const Value& result, const CalledFunction& called, Add add) {
  const TypeSpec& spec = result.spec();
  std::span<const std::string> names;
  if (const auto* dict = spec.As<DictSpec>()) names = dict->keys();
  if (const auto* tuple = spec.As<NamedTupleSpec>()) names = tuple->field_names();
  if (names.empty()) return add(std::string(kOnlyOutput), result);
  const std::vector<Value> children = ChildrenOf(result);
  for (size_t i = 0; i < names.size(); ++i) {
    add(OutputKeyOf(*called.model, *called.function, names[i]), children[i]);
  }
}

// Returns a literal as a scalar tensor, or nothing for None.
std::optional<Tensor> TensorOf(const Literal& literal) {
  switch (literal.kind()) {
    case Literal::Kind::kNone:
      return std::nullopt;
    case Literal::Kind::kBool:
      return Tensor::Scalar(literal.bool_value());
    case Literal::Kind::kInt:
      return Tensor::Scalar(static_cast<int64_t>(literal.int_value()));
    case Literal::Kind::kFloat:
      return Tensor::Scalar(literal.float_value());
    case Literal::Kind::kString: {
      const std::string_view text = literal.string_value();
      return Tensor::Strings({}, {&text, 1});
    }
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<NamedTensorType> InputTypesOf(const LoadedModel& model,
                                          const PolymorphicFunction& function) {
  std::vector<NamedTensorType> out;
  for (const Parameter& parameter : function.def().type.parameters()) {
    if (IsVariadic(parameter.kind)) continue;
    const std::string name = InputKeyOf(model, function, parameter.name);
    const TypeSpec type = TypeOf(parameter);
    if (IsFlat(type)) {
      const bool is_literal = type && type.is(TypeKind::kLiteral);
      out.push_back({name, is_literal ? TypeSpec() : type});
      continue;
    }
    for (const ComponentSpec& component : ComponentsOf(type)) {
      out.push_back({ComponentName(name, component.name), component.spec});
    }
  }
  return out;
}

std::vector<NamedTensorType> OutputTypesOf(const LoadedModel& model,
                                           const PolymorphicFunction& function) {
  std::vector<NamedTensorType> out;
  const TypeSpec& type = function.def().type.output();
  if (!type || type.is(TypeKind::kAny)) return out;
  auto add = [&](std::string_view name, const TypeSpec& part) {
    if (part.is(TypeKind::kAny)) return;
    for (const ComponentSpec& component : ComponentsOf(part)) {
      out.push_back({ComponentName(name, component.name), component.spec});
    }
  };
  std::span<const std::string> names;
  if (const auto* dict = type.As<DictSpec>()) names = dict->keys();
  if (const auto* tuple = type.As<NamedTupleSpec>()) names = tuple->field_names();
  if (names.empty()) add(kOnlyOutput, type);
  for (size_t i = 0; i < names.size(); ++i) {
    add(OutputKeyOf(model, function, names[i]), type.children()[i]);
  }
  return out;
}

Status AddTensors(const CalledFunction& called, std::vector<NamedTensor> tensors,
                  const Limits& limits, CallRequest& call, ColumnShapes& shapes) {
  TensorsByName by_name;
  for (NamedTensor& tensor : tensors) {
    if (by_name.emplace(tensor.name, std::move(tensor.tensor)).second) continue;
    return InvalidArgument("duplicate input `", Printable(tensor.name), "`");
  }
  const FunctionType& type = called.function->def().type;
  NamedArguments arguments;
  bool has_kwargs = false;
  for (const Parameter& parameter : type.parameters()) {
    has_kwargs = has_kwargs || parameter.kind == ParameterKind::kVarKeyword;
    if (IsVariadic(parameter.kind)) continue;
    const std::string key = InputKeyOf(*called.model, *called.function, parameter.name);
    const TypeSpec wanted = TypeOf(parameter);
    Status added;
    if (auto found = by_name.find(key); found != by_name.end()) {
      Tensor tensor = std::move(found->second);
      by_name.erase(found);
      added = AddWhole(called, parameter, wanted, std::move(tensor), arguments, shapes);
    } else if (!IsFlat(wanted)) {
      auto value = MakeFromComponents(wanted, key, by_name);
      added = value.status();
      if (value.ok() && *value) arguments.Add(parameter.name, **std::move(value));
    }
    if (!added.ok()) {
      return WithField(parameter.name, At(Cat(called.path(), ": argument `", parameter.name, "`"),
                                          std::move(added)));
    }
  }
  for (auto& [name, tensor] : by_name) {
    if (has_kwargs) {
      arguments.Add(name, std::move(tensor));
      continue;
    }
    std::vector<std::string> names;
    for (auto& input : InputTypesOf(*called.model, *called.function)) {
      names.push_back(std::move(input.name));
    }
    return InvalidWithReason(
        "UNKNOWN_PARAMETER", called.path(), ": input `", Printable(name),
        "` is not an input of the signature; inputs: ", ListNames(std::move(names)));
  }
  return arguments.MoveTo(type, limits, call);
}

std::vector<NamedTensor> TensorsOf(const Value& result, const CalledFunction& called,
                                   const ColumnShapes& shapes) {
  std::vector<NamedTensor> out;
  ForEachPart(result, called, [&](const std::string& name, const Value& part) {
    if (part.spec().is(TypeKind::kTensor)) {
      out.push_back({name, shapes.Restore(part.tensor())});
      return;
    }
    if (part.spec().is(TypeKind::kLiteral)) {
      if (auto tensor = TensorOf(part.literal())) out.push_back({name, *std::move(tensor)});
      return;
    }
    const std::vector<ComponentSpec> specs = ComponentsOf(part.spec());
    for (size_t i = 0; i < specs.size(); ++i) {
      out.push_back({ComponentName(name, specs[i].name), part.components()[i]});
    }
  });
  return out;
}

StatusOr<Value> NamedOutputsOf(const Value& result, const CalledFunction& called,
                               const ColumnShapes& shapes) {
  auto restored = [&](const Value& value) -> Value {
    return value.spec().is(TypeKind::kTensor) ? Value(shapes.Restore(value.tensor())) : value;
  };
  if (!result.spec().is(TypeKind::kDict) && !result.spec().is(TypeKind::kNamedTuple)) {
    return restored(result);
  }
  NamedValues items;
  ForEachPart(result, called, [&](const std::string& name, const Value& part) {
    items.emplace_back(name, restored(part));
  });
  return MakeDict(std::move(items));
}

}  // namespace signet::tf
