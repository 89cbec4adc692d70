// fused_elementwise: its program, as inference and the kernel read it.

#pragma once

#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// An elementwise op on registers: first the inputs, then what each instruction made.
struct Instruction {
  const OpDef* op;
  std::vector<int> arguments;
};

// From attribute `program`: `mul 0 1; tanh 2`. Refuses what is not of that form, ops that are not
// elementwise, and registers that are not there yet.
StatusOr<std::vector<Instruction>> ProgramOf(const OpCall& call);

// The types of all registers, inputs first.
StatusOr<std::vector<TypeSpec>> RegisterTypes(const OpCall& call,
                                              std::span<const Instruction> program);

// Whether a call of `op` on elements of `dtype` can be an instruction: one that refuses no element.
bool CanBeFused(const OpDef& op, const Attributes& attributes, DType dtype);

inline constexpr size_t kMostInstructions = 64;
inline constexpr size_t kMostFusedInputs = 16;

}  // namespace signet
