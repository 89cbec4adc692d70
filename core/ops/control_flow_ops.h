// Control flow ops: branches and loops.
//
// To add one, declare its maker here, call it in control_flow_ops.cc, and describe it in
// docs/ops/control-flow.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

// All of them.
std::vector<OpDef> ControlFlowOps();

}  // namespace signet
