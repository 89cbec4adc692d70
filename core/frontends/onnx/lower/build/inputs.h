// OnnxInputs: reads the inputs and attributes of ONNX operators, and defines the ops.

#pragma once

#include <optional>
#include <vector>

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

// Returns the attribute with the version of the domain that the model imports. The importer sets
// it.
inline AttributeDef OpsetAttribute() { return {"opset", AttributeOf(int64_t{21})}; }
int64_t OpsetOf(const OpCall& call);

// Returns true if input `i` is present: not omitted and not None.
bool IsGiven(std::span<const GraphValue> inputs, size_t i);
// Returns input `i`, or `otherwise` if it is missing.
GraphValue InputOr(std::span<const GraphValue> inputs, size_t i, GraphValue otherwise = {});
// Returns the type of input `i`. Returns INVALID_ARGUMENT if it is missing or not a tensor.
StatusOr<const TensorSpec*> TensorAt(std::span<const GraphValue> inputs, size_t i);
// Returns the rank of input `i`, or UNIMPLEMENTED if it is unknown.
StatusOr<int> RankAt(std::span<const GraphValue> inputs, size_t i);

// Returns the elements of input `i`, a tensor of integers, if they are known now.
std::optional<std::vector<int64_t>> KnownInts(const OpBuilder& build,
                                              std::span<const GraphValue> inputs, size_t i);

inline Attributes IntAttribute(std::string_view name, int64_t value) {
  return Attributes({{std::string(name), AttributeOf(value)}});
}

// Returns the name of the op for an operator of com.microsoft.
std::string ContribName(std::string_view name);

// Returns an op that has only an expansion. `summary` is one line that begins with a verb.
OpDef OnnxOp(std::string name, std::string summary, std::vector<std::string> inputs,
             std::vector<AttributeDef> attributes, ExpandFn expand);
// Returns an op that also accepts values that are not tensors, such as sequences and maps.
OpDef OnnxOpOnValues(std::string name, std::string summary, std::vector<std::string> inputs,
                     std::vector<AttributeDef> attributes, ExpandFn expand);

}  // namespace signet
