#include "server/protocols/http/problem.h"

#include "core/describe/error_message.h"
#include "server/call/retry.h"

namespace signet {

int HttpCodeOf(const Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return MayHaveRoomLater(status) ? 429 : 413;
    case absl::StatusCode::kCancelled:
      return 499;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

nlohmann::ordered_json ProblemJson(const Status& status, int code) {
  const v1::Error error = ErrorToMessage(status);
  if (code == 0) code = HttpCodeOf(status);
  nlohmann::ordered_json problem = {{"type", "about:blank"},
                                    {"title", ReasonPhraseOf(code)},
                                    {"status", code},
                                    {"detail", error.message()},
                                    {"code", absl::StatusCodeToString(status.code())}};
  if (!error.reason().empty()) problem["reason"] = error.reason();
  if (!error.field().empty()) problem["field"] = error.field();
  if (!error.constraint().empty()) problem["constraint"] = error.constraint();
  return problem;
}

HttpResponse ProblemOf(const Status& status, int code, bool has_error) {
  nlohmann::ordered_json problem = ProblemJson(status, code);
  if (has_error) problem["error"] = problem["detail"];
  HttpResponse response;
  response.code = problem["status"].get<int>();
  response.content_type = "application/problem+json";
  response.body = {
      Buffer::Copy(problem.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n")};
  if (response.code == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace signet
