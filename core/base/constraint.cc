#include "core/base/constraint.h"

#include <absl/strings/cord.h>

namespace signet {
namespace {

constexpr char kConstraint[] = "signet/constraint";

bool NamesOp(std::string_view constraint) { return constraint.find(' ') != std::string_view::npos; }

}  // namespace

Status WithConstraint(std::string_view label, Status status) {
  if (status.ok() || label.empty() || NamesOp(ConstraintOf(status))) return status;
  status.SetPayload(kConstraint, absl::Cord(std::string(label)));
  return status;
}

Status WithConstraintOp(std::string_view op, Status status) {
  if (!LacksConstraintOp(status)) return status;
  status.SetPayload(kConstraint, absl::Cord(Cat(op, " ", ConstraintOf(status))));
  return status;
}

bool LacksConstraintOp(const Status& status) {
  const std::string constraint = ConstraintOf(status);
  return !constraint.empty() && !NamesOp(constraint);
}

std::string ConstraintOf(const Status& status) {
  auto payload = status.GetPayload(kConstraint);
  return payload ? std::string(*payload) : std::string();
}

}  // namespace signet
