#include "core/graph/lower/call_expander.h"

#include <algorithm>
#include <optional>

#include <absl/strings/match.h>

#include "core/function/cast.h"
#include "core/graph/body/graph.h"
#include "core/graph/lower/extension_types.h"
#include "core/graph/lower/flat_builder.h"
#include "core/graph/lower/plain_result.h"
#include "core/graph/lower/shape_switch.h"
#include "core/ops/build/leaves.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/setting_inputs.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/def/literal_dtype.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/record_spec.h"
#include "signet/sparse_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int kMaxExpansionDepth = 64;
// The limit of the tensors of one value plus the types in its type.
constexpr int64_t kMaxParts = int64_t{1} << 20;
// The limit of the work for the calls of one function: one for each call, and one for each part of
// its inputs.
constexpr int64_t kMaxWork = int64_t{1} << 25;
constexpr int64_t kWorkOfCall = 8;
constexpr int kReadEdge = -2;  // replaces an edge that a call has read

// Returns the number of types in `type`, including itself, or a number above `most` if it exceeds
// `most`.
int64_t CountTypes(const TypeSpec& type, int64_t most) {
  int64_t count = 1;
  for (const TypeSpec& child : type.children()) {
    if (count > most) break;
    count += CountTypes(child, most - count);
  }
  return count;
}

bool IsExtension(const GraphValue& value) {
  return value.spec && value.spec.is(TypeKind::kExtension);
}

// Returns true for a list of plain values with at least one element.
bool IsList(const GraphValue& value) {
  return value.spec && value.spec.is(TypeKind::kList) && IsPlain(value.spec) &&
         !value.spec.children().empty();
}

std::optional<DType> TensorDType(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) return tensor->dtype();
  if (const auto* ragged = spec.As<RaggedSpec>()) return ragged->dtype();
  if (const auto* sparse = spec.As<SparseSpec>()) return sparse->dtype();
  return std::nullopt;
}

// Returns the expansion of a call of `op` on composite values, or null if `op` accepts tensors
// only.
ExpandFn ExpansionOf(const OpDef& op, std::span<const GraphValue> inputs) {
  bool is_nest = !inputs.empty() && inputs[0].spec && IsNest(inputs[0].spec);
  if (op.by_leaf != ByLeaf::kNone && is_nest && !IsPlain(inputs[0].spec)) return CallOnLeaves;
  bool has_sparse = std::any_of(inputs.begin(), inputs.end(), [](const GraphValue& input) {
    return input.spec && input.spec.is(TypeKind::kSparse);
  });
  if (!has_sparse) return op.expand;
  if (op.expand_sparse != nullptr) return op.expand_sparse;
  return op.family == OpFamily::kNone ? op.expand : RejectSparse;
}

// Returns true if the inputs of `op` without dtypes of their own have one dtype, so that weak
// values may be converted to it.
bool SharesDType(const OpDef& op) {
  return op.family == OpFamily::kUnaryElementwise || op.family == OpFamily::kBinaryElementwise ||
         !op.own_dtypes.empty();
}

// Returns the dtype of the result of an op on plain values: a quotient of integers is a float64.
DType DTypeOfPlain(const TypeSpec& result, std::span<const GraphValue> inputs) {
  const DType dtype = DefaultDType(result);
  const bool are_integers = std::all_of(inputs.begin(), inputs.end(), [](const GraphValue& input) {
    return IsInteger(DefaultDType(input.spec));
  });
  return dtype == DType::kFloat32 && are_integers ? DType::kFloat64 : dtype;
}

// Returns the hint for a literal that is not a value of the dtype of the other inputs.
std::string_view HintForLiteral(const TypeSpec& literal, DType shared) {
  const bool is_fraction = IsInteger(shared) && DefaultDType(literal) == DType::kFloat32;
  return is_fraction ? "; `cast` converts the other inputs to a float dtype" : "";
}

// Returns true if a call of `op` on tensors returns composite values and is therefore expanded.
bool ExpandsTensors(const OpDef& op, const Attributes& attributes) {
  if (op.expand_tensors_if.empty()) return false;
  TypeSpec flag = attributes.Lookup(op.expand_tensors_if);
  return flag && flag == AttributeOf(true);
}

// Returns the type of `components` in an earlier version of the declared type with these static
// attributes, or null if there is none.
TypeSpec OlderType(const ExtensionDeclaration& declaration, const NamedTypes& statics,
                   std::span<const GraphValue> components) {
  for (const TypeSpec& older : declaration.older) {
    const auto& form = *older.As<ExtensionSpec>();
    if (form.component_names().size() != components.size()) continue;
    NamedTypes parts;
    for (size_t i = 0; i < components.size() && components[i].spec; ++i) {
      parts.emplace_back(form.component_names()[i], components[i].spec);
    }
    if (parts.size() != components.size()) continue;
    auto type = MakeExtensionType(declaration.name, statics, std::move(parts));
    if (type.ok() && IsSubtype(*type, older)) return *std::move(type);
  }
  return {};
}

// Returns `status` with a text after its message.
Status WithHint(const Status& status, std::string_view hint) {
  Status out(status.code(), Cat(MessageOf(status), hint));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& data) { out.SetPayload(type, data); });
  return out;
}

// Returns true if the row splits of `value` are int32 and the row splits of `wanted` are int64.
bool HasNarrowSplits(const GraphValue& value, const TypeSpec& wanted) {
  const auto* found = value.spec ? value.spec.As<RaggedSpec>() : nullptr;
  const auto* ragged = wanted.As<RaggedSpec>();
  return found != nullptr && ragged != nullptr && found->splits_dtype() == DType::kInt32 &&
         ragged->splits_dtype() == DType::kInt64;
}

StatusOr<std::optional<Converted>> WidenSplits(CallExpander& build, const GraphValue& value,
                                               const TypeSpec& wanted) {
  const auto& found = *value.spec.As<RaggedSpec>();
  SIGNET_ASSIGN_OR_RETURN(TypeSpec wide,
                          MakeRaggedType(found.dtype(), found.shape(), found.ragged_rank()));
  if (!IsSubtype(wide, wanted)) return std::optional<Converted>();
  GraphValue out{std::move(wide), value.components};
  for (size_t i = 1; i < out.components.size(); ++i) {
    GraphValue splits = ComponentOf(value, i);
    SIGNET_ASSIGN_OR_RETURN(splits, build.Cast(splits, {.dtype = DType::kInt64}));
    out.components[i] = splits.components[0];
  }
  return std::optional(Converted{std::move(out), ""});
}

}  // namespace

StatusOr<std::vector<GraphValue>> CallExpander::Call(OpName op, std::span<const GraphValue> inputs,
                                                     const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(const OpDef* def, library_.ops().Find(op.text()));
  return Call(*def, inputs, attributes);
}

StatusOr<std::vector<GraphValue>> CallExpander::Call(const OpDef& op,
                                                     std::span<const GraphValue> inputs,
                                                     const Attributes& attributes) {
  auto outputs = CallUnhinted(op, inputs, attributes);
  if (outputs.ok() || types() == nullptr) return outputs;
  for (const GraphValue& input : inputs) {
    const auto* dict = input.spec ? input.spec.As<DictSpec>() : nullptr;
    const std::string name = dict == nullptr ? "" : types()->NameForKeys(dict->keys());
    if (name.empty() || absl::StrContains(outputs.status().message(), "$type")) continue;
    return WithHint(outputs.status(), Cat("; a JSON object is a value of `", name,
                                          "` if it has the key \"$type\": \"", name, "\""));
  }
  return outputs;
}

StatusOr<std::vector<GraphValue>> CallExpander::CallUnhinted(const OpDef& op,
                                                             std::span<const GraphValue> received,
                                                             const Attributes& attributes) {
  SIGNET_RETURN_IF_ERROR(CheckArity(op, received.size()));
  SIGNET_ASSIGN_OR_RETURN(Attributes complete, CompleteAttributes(op, attributes));
  SIGNET_RETURN_IF_ERROR(CountCall(received));
  NoteInputs(received);
  std::vector<GraphValue> inputs(received.begin(), received.end());
  if (!IsFrontendOp(op.name)) TakeLiteralSettings(op, inputs, complete);
  if (!op.any_type && std::any_of(inputs.begin(), inputs.end(), IsExtension)) {
    return CallOverride(op, inputs, complete);
  }
  if (!op.literals_as_tensors && !op.any_type &&
      std::any_of(inputs.begin(), inputs.end(), IsList)) {
    auto outputs = CallChecked(op, inputs, complete);
    if (outputs.ok()) return outputs;
    // An op that has no meaning for lists receives tensors, which have dtypes of their own.
    std::vector<GraphValue> tensors(inputs.begin(), inputs.end());
    for (GraphValue& input : tensors) {
      if (!IsList(input)) continue;
      auto tensor = CastTo(Value::Trusted(input.spec, {}),
                           TensorType(DefaultDType(input.spec), PartialShape()));
      if (!tensor.ok()) return outputs;
      input = Constant(*tensor);
    }
    auto converted = CallChecked(op, tensors, complete);
    return converted.ok() ? converted : outputs;
  }
  return CallChecked(op, inputs, complete);
}

StatusOr<std::vector<GraphValue>> CallExpander::CallChecked(const OpDef& op,
                                                            std::span<const GraphValue> inputs,
                                                            const Attributes& complete) {
  const std::span<const GraphValue> given = inputs;
  std::vector<GraphValue> converted;
  if (op.literals_as_tensors) {
    std::vector<GraphValue> plain(inputs.begin(), inputs.end());
    for (GraphValue& input : plain) {
      if (!IsWeak(input)) continue;
      const WeakCall& call = weak_.at(input.components[0]);
      if (call.op == nullptr) input = call.inputs[0];
    }
    if (TypeSpec result = PlainResult(library_, op, plain, complete)) {
      auto tensor = CastTo(Value::Trusted(result, {}),
                           TensorType(DTypeOfPlain(result, plain), PartialShape()));
      if (tensor.ok()) {
        GraphValue made = Constant(*tensor);
        if (IsNumeric(tensor->tensor().dtype())) {
          weak_.emplace(made.components[0], WeakCall{nullptr, {{std::move(result), {}}}, {}});
        }
        return std::vector<GraphValue>{std::move(made)};
      }
    }
    SIGNET_ASSIGN_OR_RETURN(converted, TensorsForLiterals(op, inputs));
    inputs = converted;
  }
  bool all_tensors = std::all_of(inputs.begin(), inputs.end(), [](const GraphValue& input) {
    return !input.spec || input.spec.is(TypeKind::kTensor);
  });
  if (all_tensors && op.infer != nullptr && !ExpandsTensors(op, complete)) {
    auto outputs = CallOnTensors(op, inputs, complete);
    if (outputs.ok()) NoteWeakCall(op, given, complete, *outputs);
    return outputs;
  }
  ExpandFn expand = ExpansionOf(op, inputs);
  if (expand == nullptr) {
    return Unimplemented("`", op.name, "`: expected tensors, found `", TypesOf(inputs), "`");
  }
  if (depth_ == kMaxExpansionDepth) {
    return ResourceExhausted("the depth of the expansion of `", op.name, "` exceeds the limit of ",
                             kMaxExpansionDepth);
  }
  return Expand(expand, op, {inputs.begin(), inputs.end()}, complete);
}

StatusOr<std::vector<GraphValue>> CallExpander::Expand(ExpandFn expand, const OpDef& op,
                                                       std::vector<GraphValue> inputs,
                                                       Attributes attributes) {
  // An op of a frontend may ignore an input, as its standard says.
  std::vector<SettingInput> settings;
  if (!IsFrontendOp(op.name)) settings = TakeKnownSettings(*this, op, inputs, attributes);
  const size_t first = unread_.size();
  for (const SettingInput& setting : settings) {
    const auto& components = inputs[setting.input].components;
    unread_.insert(unread_.end(), components.begin(), components.end());
  }
  std::vector<TypeSpec> specs;
  for (const GraphValue& input : inputs) specs.push_back(input.spec);
  ++depth_;
  FlatBuilder* const builder = IsFrontendOp(op.name) ? AsBuilder() : nullptr;
  const size_t num_nodes = builder == nullptr ? 0 : builder->num_nodes();
  auto outputs = expand(*this, {op, specs, attributes}, inputs);
  if (builder != nullptr && !outputs.ok()) {
    if (auto input = OpenInput(inputs, outputs.status())) {
      builder->RemoveNodesFrom(num_nodes);
      weak_.clear();  // the nodes of some of them are gone
      weak_as_.clear();
      outputs = CallByShape(*builder, op, inputs, attributes, *input, outputs.status());
    }
  }
  --depth_;
  const std::vector<int> unread(unread_.begin() + static_cast<std::ptrdiff_t>(first),
                                unread_.end());
  unread_.resize(first);
  if (LacksConstraintOp(outputs.status())) return AtOp(op, outputs.status());
  if (!outputs.ok()) return outputs;
  for (const SettingInput& setting : settings) {
    const auto& components = inputs[setting.input].components;
    bool is_read = std::any_of(components.begin(), components.end(), [&](int edge) {
      return std::find(unread.begin(), unread.end(), edge) == unread.end();
    });
    if (is_read) continue;
    return Unimplemented("`", op.name, "`: `", setting.attribute->name,
                         "`: expected an attribute for `", specs[0], "`, found an input");
  }
  return outputs;
}

void CallExpander::NoteInputs(std::span<const GraphValue> inputs) {
  if (unread_.empty()) return;
  for (const GraphValue& input : inputs) {
    for (int read : input.components) {
      std::replace(unread_.begin(), unread_.end(), read, kReadEdge);
    }
  }
}

Status CallExpander::CountCall(std::span<const GraphValue> inputs) {
  *work_ += kWorkOfCall;
  for (const GraphValue& input : inputs) {
    if (!input.spec) continue;
    int64_t parts =
        static_cast<int64_t>(input.components.size()) + CountTypes(input.spec, kMaxParts);
    if (parts > kMaxParts) {
      return ResourceExhausted("a value exceeds the limit of ", kMaxParts, " types and tensors");
    }
    *work_ += parts;
    if (*work_ > kMaxWork) break;
  }
  if (*work_ <= kMaxWork) return absl::OkStatus();
  return ResourceExhausted("the function and the functions that it calls make too many calls, or ",
                           "calls on values with too many parts, to be specialized");
}

const ExtensionTypes* CallExpander::types() const { return library_.types(); }

template <class Result, class Define>
Result CallExpander::Defined(Define define) {
  SIGNET_RETURN_IF_ERROR(CountCall({}));
  if (depth_ == kMaxExpansionDepth) {
    return ResourceExhausted(
        "the depth of calls of functions of extension types exceeds the limit of ",
        kMaxExpansionDepth);
  }
  ++depth_;
  Result result = define();
  --depth_;
  return result;
}

StatusOr<std::vector<GraphValue>> CallExpander::CallOverride(const OpDef& op,
                                                             std::span<const GraphValue> inputs,
                                                             const Attributes& attributes) {
  if (types() == nullptr) {
    std::string name;
    for (const GraphValue& input : inputs) {
      const auto* extension = input.spec ? input.spec.As<ExtensionSpec>() : nullptr;
      if (extension != nullptr && name.empty()) name = extension->name();
    }
    return Unimplemented("`", op.name, "` on `", TypesOf(inputs), "`; the model does not declare `",
                         name,
                         "`: a model in Python declares the types of annotations, and those that "
                         "`types=[...]` lists");
  }
  std::vector<TypeSpec> specs;
  for (const GraphValue& input : inputs) specs.push_back(input.spec);
  return Defined<StatusOr<std::vector<GraphValue>>>([&] {
    return types()->Dispatch(*this, {op, specs, attributes}, inputs);
  });
}

Status CallExpander::CheckExtensions(const GraphValue& value, std::string_view where) {
  if (types() == nullptr) return absl::OkStatus();
  return Defined<Status>([&] { return types()->CheckValue(*this, value, where); });
}

StatusOr<std::optional<Converted>> CallExpander::Convert(const GraphValue& value,
                                                         const TypeSpec& wanted) {
  if (HasNarrowSplits(value, wanted)) return WidenSplits(*this, value, wanted);
  if (types() == nullptr) return std::optional<Converted>();
  auto converted = Defined<StatusOr<std::optional<Converted>>>(
      [&] { return types()->Convert(*this, value, wanted); });
  if (converted.ok() && *converted) NoteChoice(Cat("conversion ", (*converted)->by));
  return converted;
}

StatusOr<GraphValue> CallExpander::MakeExtensionValue(std::string_view name,
                                                      const NamedTypes& statics,
                                                      std::span<const GraphValue> components) {
  if (types() == nullptr) return OpBuilder::MakeExtensionValue(name, statics, components);
  SIGNET_ASSIGN_OR_RETURN(auto declaration, types()->registry().Find(name));
  if (TypeSpec older = OlderType(*declaration, statics, components)) {
    return Joined(std::move(older), components);
  }
  if (components.size() != declaration->components.size()) {
    std::vector<std::string> names;
    for (const auto& component : declaration->components) names.push_back(component.first);
    return WithConstraint("C3", InvalidArgument(components.size(), " components; `", name, "` has ",
                                                ListNames(std::move(names))));
  }
  // Plain values have the dtypes that the declaration states.
  std::vector<GraphValue> converted(components.begin(), components.end());
  for (size_t i = 0; i < converted.size(); ++i) {
    const auto& [part, wanted] = declaration->components[i];
    const auto* tensor = wanted ? wanted.As<TensorSpec>() : nullptr;
    if (tensor == nullptr || !converted[i].spec || !IsPlain(converted[i].spec)) continue;
    auto cast =
        CastTo(Value::Trusted(converted[i].spec, {}), TensorType(tensor->dtype(), PartialShape()));
    if (!cast.ok()) return WithConstraint("C3", At(Cat("component `", part, "`"), cast.status()));
    converted[i] = Constant(*cast);
  }
  components = converted;
  NamedTypes parts;
  for (size_t i = 0; i < components.size(); ++i) {
    const std::string& part = declaration->components[i].first;
    if (!components[i].spec)
      return WithConstraint("C3", InvalidArgument("component `", part, "` is missing"));
    parts.emplace_back(part, components[i].spec);
  }
  auto type = MakeExtensionType(std::string(name), statics, std::move(parts));
  if (!type.ok()) return WithConstraint("C3", type.status());
  GraphValue made = Joined(*std::move(type), components);
  SIGNET_RETURN_IF_ERROR(CheckExtensions(made, ""));
  return made;
}

Status CallExpander::CheckCallable(std::string_view name) const {
  return library_.ops().FindCallable(name).status();
}

bool CallExpander::InheritsFrom(std::string_view name, std::string_view ancestor) const {
  return types() == nullptr ? name == ancestor : types()->registry().IsA(name, ancestor);
}

bool CallExpander::IsWeak(const GraphValue& value) const {
  return value.spec && value.spec.is(TypeKind::kTensor) && weak_.contains(value.components[0]);
}

DType CallExpander::SharedDType(const OpDef& op, std::span<const GraphValue> inputs) const {
  std::vector<TypeSpec> literals;
  std::vector<DType> weak;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TypeSpec& spec = inputs[i].spec;
    if (!spec || HasOwnDType(op, i)) continue;
    if (auto dtype = TensorDType(spec)) {
      if (!SharesDType(op) || !IsWeak(inputs[i])) return *dtype;
      weak.push_back(*dtype);
    }
    if (IsPlain(spec) && !IsNone(spec)) literals.push_back(spec);
  }
  if (weak.empty()) return JoinedDType(literals);
  DType joined = literals.empty() ? weak[0] : JoinedDType(literals);
  for (DType dtype : weak) {
    if (IsInteger(joined) && (!IsInteger(dtype) || dtype == DType::kInt64)) joined = dtype;
  }
  return joined;
}

GraphValue CallExpander::WeakAs(const GraphValue& value, DType dtype) {
  const DType own = *TensorDType(value.spec);
  if (own == dtype || !IsNumeric(dtype) || (!IsInteger(own) && IsInteger(dtype))) return value;
  const std::pair<int, DType> key(value.components[0], dtype);
  if (auto known = weak_as_.find(key); known != weak_as_.end()) return known->second;
  const WeakCall call = weak_.at(value.components[0]);
  if (call.op == nullptr) {
    auto cast = CastTo(Value::Trusted(call.inputs[0].spec, {}), TensorType(dtype, PartialShape()));
    return cast.ok() ? Constant(*cast) : value;
  }
  std::vector<GraphValue> inputs;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const GraphValue& input = call.inputs[i];
    if (!input.spec || HasOwnDType(*call.op, i)) {
      inputs.push_back(input);
    } else if (IsWeak(input)) {
      inputs.push_back(WeakAs(input, dtype));
    } else {
      auto cast = CastTo(Value::Trusted(input.spec, {}), TensorType(dtype, PartialShape()));
      if (!cast.ok()) return value;
      inputs.push_back(Constant(*cast));
    }
  }
  auto outputs = Call(*call.op, inputs, call.attributes);
  const bool fits = outputs.ok() && TensorDType((*outputs)[0].spec) == dtype;
  return weak_as_.emplace(key, fits ? (*outputs)[0] : value).first->second;
}

void CallExpander::NoteWeakCall(const OpDef& op, std::span<const GraphValue> inputs,
                                const Attributes& attributes, std::span<const GraphValue> outputs) {
  if (!SharesDType(op) || outputs.size() != 1) return;
  bool any = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TypeSpec& spec = inputs[i].spec;
    if (!spec || HasOwnDType(op, i)) continue;
    if (!IsWeak(inputs[i]) && (!IsPlain(spec) || IsNone(spec))) return;
    any = true;
  }
  const auto dtype = TensorDType(outputs[0].spec);
  if (!any || !dtype || !IsNumeric(*dtype) || *dtype != SharedDType(op, inputs)) return;
  weak_.emplace(outputs[0].components[0],
                WeakCall{&op, {inputs.begin(), inputs.end()}, attributes});
}

StatusOr<std::vector<GraphValue>> CallExpander::TensorsForLiterals(
    const OpDef& op, std::span<const GraphValue> inputs) {
  std::vector<GraphValue> out(inputs.begin(), inputs.end());
  const DType shared = SharedDType(op, inputs);
  for (size_t i = 0; i < out.size(); ++i) {
    if (SharesDType(op) && !HasOwnDType(op, i) && IsWeak(out[i])) {
      out[i] = WeakAs(out[i], shared);
      continue;
    }
    TypeSpec spec = out[i].spec;
    if (!spec || !IsPlain(spec)) continue;
    if (IsNone(spec)) {  // an omitted optional input
      out[i] = GraphValue{};
      continue;
    }
    DType dtype = HasOwnDType(op, i) ? DefaultDType(spec) : shared;
    auto tensor = CastTo(Value::Trusted(spec, {}), TensorType(dtype, PartialShape()));
    if (!tensor.ok() && shared == DType::kString) {
      // The op itself states that it does not accept texts.
      tensor = CastTo(Value::Trusted(spec, {}), TensorType(DefaultDType(spec), PartialShape()));
    }
    if (!tensor.ok()) {
      return WithHint(At(Cat("input ", i, " of `", op.name, "`"), tensor.status()),
                      HintForLiteral(spec, dtype));
    }
    out[i] = Constant(*tensor);
  }
  return out;
}

}  // namespace signet
