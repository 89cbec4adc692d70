// Inputs: what expansions of ONNX operators ask of their inputs.

#pragma once

#include <optional>
#include <vector>

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

// The attribute that says which version of its domain a model imports; the importer gives it.
inline AttributeDef OpsetAttribute() { return {"opset", AttributeOf(int64_t{21})}; }
int64_t OpsetOf(const OpCall& call);

// Whether input `i` is there: neither left out nor None.
bool IsGiven(std::span<const GraphValue> inputs, size_t i);
// Input `i`, or no value.
GraphValue InputOr(std::span<const GraphValue> inputs, size_t i, GraphValue otherwise = {});
// The type of input `i`. INVALID_ARGUMENT when it is not there or no tensor.
StatusOr<const TensorSpec*> TensorAt(std::span<const GraphValue> inputs, size_t i);
// Its rank. UNIMPLEMENTED when nobody knows it.
StatusOr<int> RankAt(std::span<const GraphValue> inputs, size_t i);

// The elements of input `i`, of integers, when they are known now.
std::optional<std::vector<int64_t>> KnownInts(const OpBuilder& build,
                                              std::span<const GraphValue> inputs, size_t i);

inline Attributes IntAttribute(std::string_view name, int64_t value) {
  return Attributes({{std::string(name), AttributeOf(value)}});
}

// The name of the op of an operator of com.microsoft.
std::string ContribName(std::string_view name);

// An op with nothing but an expansion. `summary` is a verb, one line.
OpDef OnnxOp(std::string name, std::string summary, std::vector<std::string> inputs,
             std::vector<AttributeDef> attributes, ExpandFn expand);
// The same of an operator that takes values of other types as well: sequences, maps.
OpDef OnnxOpOnValues(std::string name, std::string summary, std::vector<std::string> inputs,
                     std::vector<AttributeDef> attributes, ExpandFn expand);

}  // namespace signet
