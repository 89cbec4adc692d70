#include "client/lib/errors.h"

#include "core/base/constraint.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace signet {

Status StatusOf(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  Status out =
      MakeStatus(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return out;
  for (const auto& detail : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest bad_request;
    if (detail.UnpackTo(&info)) {
      out = WithReason(info.reason(), std::move(out));
      auto constraint = info.metadata().find("constraint");
      if (constraint != info.metadata().end()) {
        out = WithConstraint(constraint->second, std::move(out));
      }
    } else if (detail.UnpackTo(&bad_request) && bad_request.field_violations_size() > 0) {
      out = WithField(bad_request.field_violations(0).field(), std::move(out));
    }
  }
  return out;
}

Status StatusOf(const v1::Error& error) {
  Status out = MakeStatus(static_cast<absl::StatusCode>(error.code()), error.message());
  if (!error.reason().empty()) out = WithReason(error.reason(), std::move(out));
  if (!error.field().empty()) out = WithField(error.field(), std::move(out));
  out = WithConstraint(error.constraint(), std::move(out));
  return out;
}

std::string RenderError(const Status& status) {
  std::string code = absl::StatusCodeToString(status.code());
  std::string out = Cat("signet: ", MessageOf(status), "\n");
  if (std::string field = FieldOf(status); !field.empty()) out += Cat("  field: ", field, "\n");
  if (std::string constraint = ConstraintOf(status); !constraint.empty()) {
    out += Cat("  constraint: ", constraint, "\n");
  }
  std::string reason = ReasonOf(status);
  out += Cat("  reason: ", code, reason.empty() || reason == code ? "" : ", ");
  if (reason != code) out += reason;
  return out + "\n";
}

int ExitCodeOf(const Status& status) {
  if (status.ok()) return 0;
  bool is_unreachable = status.code() == absl::StatusCode::kUnavailable ||
                        status.code() == absl::StatusCode::kDeadlineExceeded;
  return is_unreachable ? 3 : 1;
}

}  // namespace signet
