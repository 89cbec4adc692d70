#include "core/ops/def/op_def.h"

#include "core/base/constraint.h"

namespace signet {

Status AtOp(const OpDef& op, Status status) {
  if (op.effect || status.ok()) return status;
  return At(Cat("`", op.name, "`"), WithConstraintOp(op.name, std::move(status)));
}

}  // namespace signet
