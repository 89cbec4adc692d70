#include "core/ops/build/rows/setting_inputs.h"

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/inference.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// Returns the attribute that states the known value of a tensor, or null if it is not known, not
// integers, or of a rank above `max_rank`.
TypeSpec KnownTensor(const OpBuilder& build, const GraphValue& input, int max_rank) {
  const Tensor* known = build.LookupConstant(input.components[0]);
  if (known == nullptr || !IsIndexDType(known->dtype()) || known->rank() > max_rank) return {};
  std::vector<int64_t> numbers = IntsOf(*known);
  return known->rank() == 0 ? AttributeOf(numbers[0])
                            : AttributeOf(std::span<const int64_t>(numbers));
}

// Returns the list of the integers in a list or tuple, or null if an element is something else.
// Known tensors are integers, unless `build` is null.
TypeSpec IntegersOf(const OpBuilder* build, const GraphValue& input) {
  std::vector<TypeSpec> numbers;
  for (size_t i = 0; i < input.spec.children().size(); ++i) {
    const GraphValue child = ChildOf(input, i);
    const bool is_tensor = build != nullptr && child.spec.is(TypeKind::kTensor);
    TypeSpec number = is_tensor ? KnownTensor(*build, child, 0) : child.spec;
    const Literal* literal = LookupLiteral(number);
    if (literal == nullptr || !literal->AsInt64()) return {};
    numbers.push_back(std::move(number));
  }
  return ListType(std::move(numbers));
}

// Returns the attribute that states the known value of `input`, or null if it is not known or not
// an integer or a list of integers.
TypeSpec KnownSetting(const OpBuilder& build, const OpDef& op, const GraphValue& input) {
  if (input.spec.is(TypeKind::kLiteral)) return input.spec;
  if (input.spec.is(TypeKind::kTensor)) {
    // The settings of elementwise ops may have one number per element.
    return KnownTensor(build, input, op.expand == ExpandElementwise ? 0 : 1);
  }
  return IsSequence(input.spec) ? IntegersOf(&build, input) : TypeSpec();
}

// Returns true if a call has the input, and not the attribute. The op itself rejects both.
bool HasOnlyInput(const SettingInput& setting, const std::vector<GraphValue>& inputs,
                  const Attributes& attributes) {
  return setting.input < inputs.size() && inputs[setting.input].spec &&
         attributes.Lookup(setting.attribute->name) == setting.attribute->default_value;
}

void TakeAttribute(const SettingInput& setting, TypeSpec known, std::vector<GraphValue>& inputs,
                   Attributes& attributes) {
  attributes = attributes.With(setting.attribute->name, std::move(known));
  inputs[setting.input] = GraphValue{};
}

// Returns true if a call must read `input`. An expansion reads a list element by element, and the
// elements that are known are not inputs of a call.
bool MustBeRead(const OpBuilder& build, const GraphValue& input) {
  return input.spec.is(TypeKind::kTensor) ||
         std::any_of(input.components.begin(), input.components.end(),
                     [&](int edge) { return build.LookupConstant(edge) == nullptr; });
}

}  // namespace

std::vector<SettingInput> SettingInputsOf(const OpDef& op) {
  std::vector<SettingInput> settings;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    std::string_view name = op.inputs[i];
    if (!name.ends_with('?')) continue;
    name.remove_suffix(1);
    for (const AttributeDef& attribute : op.attributes) {
      if (attribute.name == name) settings.push_back({i, &attribute});
    }
  }
  return settings;
}

void TakeLiteralSettings(const OpDef& op, std::vector<GraphValue>& inputs, Attributes& attributes) {
  if (!std::any_of(inputs.begin(), inputs.end(), IsPlainLiteral)) return;
  for (const SettingInput& setting : SettingInputsOf(op)) {
    if (!HasOnlyInput(setting, inputs, attributes)) continue;
    const GraphValue& input = inputs[setting.input];
    if (!IsPlainLiteral(input)) continue;
    TypeSpec known = input.spec.is(TypeKind::kLiteral) ? input.spec : IntegersOf(nullptr, input);
    if (known) TakeAttribute(setting, std::move(known), inputs, attributes);
  }
  while (!inputs.empty() && !inputs.back().spec) inputs.pop_back();
}

std::vector<SettingInput> TakeKnownSettings(const OpBuilder& build, const OpDef& op,
                                            std::vector<GraphValue>& inputs,
                                            Attributes& attributes) {
  std::vector<SettingInput> computed;
  for (const SettingInput& setting : SettingInputsOf(op)) {
    if (setting.input >= inputs.size() || !inputs[setting.input].spec) continue;
    TypeSpec known;
    if (HasOnlyInput(setting, inputs, attributes)) {
      known = KnownSetting(build, op, inputs[setting.input]);
    }
    if (known) {
      TakeAttribute(setting, std::move(known), inputs, attributes);
    } else if (MustBeRead(build, inputs[setting.input])) {
      computed.push_back(setting);
    }
  }
  return computed;
}

}  // namespace signet
