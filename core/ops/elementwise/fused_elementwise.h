// Instruction: one step of the program of a fused_elementwise call. Inference and the kernel read
// the program.

#pragma once

#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// An elementwise op on registers. The first registers are the inputs, and the others are the
// results of the instructions.
struct Instruction {
  const OpDef* op;
  std::vector<int> arguments;
};

// Parses the attribute `program`, such as `mul 0 1; tanh 2`. Rejects programs of another form, ops
// that are not elementwise, and registers that do not exist yet.
StatusOr<std::vector<Instruction>> ProgramOf(const OpCall& call);

// Returns the types of all registers. The inputs come first.
StatusOr<std::vector<TypeSpec>> RegisterTypes(const OpCall& call,
                                              std::span<const Instruction> program);

// Returns true if a call of `op` on elements of `dtype` can be an instruction. The op must not
// reject any element.
bool CanBeFused(const OpDef& op, const Attributes& attributes, DType dtype);

inline constexpr size_t kMostInstructions = 64;
inline constexpr size_t kMostFusedInputs = 16;

}  // namespace signet
