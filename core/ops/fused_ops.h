// Ops that do what several others do, and that specialising makes of them.

#pragma once

#include "core/ops/op.h"

namespace signet {

OpDef FusedElementwise();
OpDef Linear();

}  // namespace signet
