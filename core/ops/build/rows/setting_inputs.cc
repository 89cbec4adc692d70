#include "core/ops/build/rows/setting_inputs.h"

#include <algorithm>

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

// Returns the attribute that states the known value of `input`, or null if it is not known or not
// an integer or a list of integers.
TypeSpec KnownSetting(const OpBuilder& build, const OpDef& op, const GraphValue& input) {
  if (input.spec.is(TypeKind::kLiteral)) return input.spec;
  if (input.spec.is(TypeKind::kTensor)) {
    // The settings of elementwise ops may have one number per element.
    return KnownTensor(build, input, op.expand == ExpandElementwise ? 0 : 1);
  }
  if (!IsSequence(input.spec)) return {};
  std::vector<TypeSpec> numbers;
  for (size_t i = 0; i < input.spec.children().size(); ++i) {
    const GraphValue child = ChildOf(input, i);
    TypeSpec number = child.spec.is(TypeKind::kTensor) ? KnownTensor(build, child, 0) : child.spec;
    const Literal* literal = LookupLiteral(number);
    if (literal == nullptr || !literal->AsInt64()) return {};
    numbers.push_back(std::move(number));
  }
  return ListType(std::move(numbers));
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

std::vector<SettingInput> TakeKnownSettings(const OpBuilder& build, const OpDef& op,
                                            std::vector<GraphValue>& inputs,
                                            Attributes& attributes) {
  std::vector<SettingInput> computed;
  for (const SettingInput& setting : SettingInputsOf(op)) {
    const std::string& name = setting.attribute->name;
    if (setting.input >= inputs.size() || !inputs[setting.input].spec) continue;
    // The op itself rejects a call with the attribute and the input.
    const bool is_attribute = attributes.Lookup(name) != setting.attribute->default_value;
    TypeSpec known;
    if (!is_attribute) known = KnownSetting(build, op, inputs[setting.input]);
    if (known) {
      attributes = attributes.With(name, std::move(known));
      inputs[setting.input] = GraphValue{};
    } else if (MustBeRead(build, inputs[setting.input])) {
      computed.push_back(setting);
    }
  }
  return computed;
}

}  // namespace signet
