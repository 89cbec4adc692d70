#include "core/graph/lower/setting_inputs.h"

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/inference.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// Returns the attribute that states the known value of `input`, or null if it is not known or not
// an integer or a list of integers.
TypeSpec KnownSetting(const OpBuilder& build, const OpDef& op, const GraphValue& input) {
  if (IsPlainLiteral(input)) {
    if (input.spec.is(TypeKind::kLiteral)) return input.spec;
    auto children = input.spec.children();
    bool are_integers = std::all_of(children.begin(), children.end(), [](const TypeSpec& child) {
      const Literal* literal = LookupLiteral(child);
      return literal != nullptr && literal->AsInt64().has_value();
    });
    if (!are_integers) return {};
    return ListType(std::vector<TypeSpec>(children.begin(), children.end()));
  }
  if (!input.spec.is(TypeKind::kTensor)) return {};
  const Tensor* known = build.LookupConstant(input.components[0]);
  // The settings of elementwise ops may have one number per element.
  const int most = op.expand == ExpandElementwise ? 0 : 1;
  if (known == nullptr || !IsIndexDType(known->dtype()) || known->rank() > most) return {};
  std::vector<int64_t> numbers = IntsOf(*known);
  return known->rank() == 0 ? AttributeOf(numbers[0])
                            : AttributeOf(std::span<const int64_t>(numbers));
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
    } else if (!inputs[setting.input].components.empty()) {
      computed.push_back(setting);
    }
  }
  return computed;
}

}  // namespace signet
