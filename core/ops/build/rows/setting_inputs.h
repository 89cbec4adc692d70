// SettingInputs: the inputs that an op accepts as attributes of the same name, too.
//
//   top_k(x, k?; k=None)         top_k(x, k=2)    top_k(x, counts)
//
// A setting that is a literal is an attribute of the call. An expansion of a call on composite
// values receives a setting as an attribute if its value is known. Other settings must be read by a
// call of the expansion, so that none is dropped without an error. Stateless.

#pragma once

#include <string>
#include <vector>

#include "core/ops/build/op_builder.h"

namespace signet {

struct SettingInput {
  size_t input = 0;
  const AttributeDef* attribute = nullptr;
};

// Returns the settings of `op` that are inputs, in the order of the inputs.
std::vector<SettingInput> SettingInputsOf(const OpDef& op);

// Replaces each setting that is a literal, an integer or a list of integers, by its attribute.
void TakeLiteralSettings(const OpDef& op, std::vector<GraphValue>& inputs, Attributes& attributes);

// Replaces each setting whose value is known, an integer or a list of integers, by its attribute.
// Returns the other settings of the call.
std::vector<SettingInput> TakeKnownSettings(const OpBuilder& build, const OpDef& op,
                                            std::vector<GraphValue>& inputs,
                                            Attributes& attributes);

}  // namespace signet
