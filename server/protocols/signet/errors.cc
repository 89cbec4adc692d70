#include "server/protocols/signet/errors.h"

#include <string>

#include "core/base/constraint.h"
#include "core/describe/error_message.h"
#include "core/serving/admission/task.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/call/retry.h"

namespace signet {
namespace {

// The metadata of a response, 8 KiB by default, contains the message twice: percent-encoded, where
// a byte that is not printable ASCII takes three bytes, and in the details, in base64. Clients
// compare the two, so both are cut at the same place.
constexpr size_t kLongestMessage = 2000;  // bytes when percent-encoded
constexpr size_t kLongestDescription = 512;

constexpr char kPushback[] = "grpc-retry-pushback-ms";
constexpr std::chrono::milliseconds kPushbackTime(100);  // if the error states none

template <class Detail>
void Pack(const Detail& detail, google::rpc::Status& out) {
  out.add_details()->PackFrom(detail);
}

}  // namespace

grpc::Status GrpcStatusOf(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  std::string message = FitText(MessageOf(status), kLongestMessage);

  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message);
  google::rpc::ErrorInfo info;
  std::string reason = ReasonOf(status);
  info.set_reason(reason.empty() ? absl::StatusCodeToString(status.code()) : reason);
  info.set_domain("signet");
  if (std::string constraint = ConstraintOf(status); !constraint.empty()) {
    (*info.mutable_metadata())["constraint"] = FitText(constraint, kLongestField);
  }
  Pack(info, details);
  if (std::string field = FieldOf(status); !field.empty()) {
    google::rpc::BadRequest bad_request;
    auto* violation = bad_request.add_field_violations();
    violation->set_field(FitText(field, kLongestField));
    std::string_view sentence = MessageOf(status).substr(0, MessageOf(status).find('\n'));
    violation->set_description(FitText(sentence, kLongestDescription));
    Pack(bad_request, details);
  }
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), message,
                      details.SerializeAsString());
}

void AddPushback(const Status& status, grpc::ServerContextBase& context) {
  if (MayHaveRoomLater(status)) {
    const auto time = RetryAfterOf(status).value_or(kPushbackTime);
    context.AddTrailingMetadata(kPushback, std::to_string(time.count()));
  } else if (status.code() == absl::StatusCode::kResourceExhausted) {
    context.AddTrailingMetadata(kPushback, "-1");  // the same call would exceed the limit again
  }
}

}  // namespace signet
