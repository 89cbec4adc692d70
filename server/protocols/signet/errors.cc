#include "server/protocols/signet/errors.h"

#include <string>

#include "core/base/constraint.h"
#include "core/base/utf8.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace signet {
namespace {

// The metadata of a response, 8 KiB by default, contains the message twice: percent-encoded, where
// a byte that is not printable ASCII takes three bytes, and in the details, in base64. Clients
// compare the two, so both are cut at the same place.
constexpr size_t kLongestMessage = 2000;  // bytes when percent-encoded
constexpr size_t kLongestDescription = 512;
constexpr size_t kLongestField = 256;
constexpr size_t kLongestStreamMessage = 32'000;  // in a message of a stream, which may be larger

// Returns `text` as UTF-8. Cuts it between two characters if its percent-encoded form is longer
// than `longest` bytes: `float32[1, 2 ... (99120 bytes more)`.
std::string Fit(std::string_view text, size_t longest) {
  constexpr size_t kLongestEnd = 40;
  std::string out;
  size_t encoded = 0;
  size_t cut = 0;             // bytes of `out` that leave room for the note at the end
  size_t more = text.size();  // bytes of `text` after the cut
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    std::string_view next = length > 0 ? text.substr(0, length) : std::string_view("?");
    bool is_plain = next.size() == 1 && next[0] >= ' ' && next[0] <= '~' && next[0] != '%';
    encoded += is_plain ? 1 : 3 * next.size();
    if (encoded > longest) return Cat(out.substr(0, cut), " ... (", more, " bytes more)");
    out.append(next);
    text.remove_prefix(length > 0 ? length : 1);
    if (encoded + kLongestEnd <= longest) {
      cut = out.size();
      more = text.size();
    }
  }
  return out;
}

template <class Detail>
void Pack(const Detail& detail, google::rpc::Status& out) {
  out.add_details()->PackFrom(detail);
}

}  // namespace

grpc::Status GrpcStatusOf(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  std::string message = Fit(MessageOf(status), kLongestMessage);

  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message);
  google::rpc::ErrorInfo info;
  std::string reason = ReasonOf(status);
  info.set_reason(reason.empty() ? absl::StatusCodeToString(status.code()) : reason);
  info.set_domain("signet");
  if (std::string constraint = ConstraintOf(status); !constraint.empty()) {
    (*info.mutable_metadata())["constraint"] = Fit(constraint, kLongestField);
  }
  Pack(info, details);
  if (std::string field = FieldOf(status); !field.empty()) {
    google::rpc::BadRequest bad_request;
    auto* violation = bad_request.add_field_violations();
    violation->set_field(Fit(field, kLongestField));
    std::string_view sentence = MessageOf(status).substr(0, MessageOf(status).find('\n'));
    violation->set_description(Fit(sentence, kLongestDescription));
    Pack(bad_request, details);
  }
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), message,
                      details.SerializeAsString());
}

v1::Error ErrorOf(const Status& status) {
  v1::Error error;
  error.set_code(static_cast<int>(status.code()));
  error.set_message(Fit(MessageOf(status), kLongestStreamMessage));
  error.set_reason(ReasonOf(status));
  error.set_field(Fit(FieldOf(status), kLongestField));
  error.set_constraint(Fit(ConstraintOf(status), kLongestField));
  return error;
}

}  // namespace signet
