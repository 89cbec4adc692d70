// Status: helpers that create errors and add context to them.
//
//   auto check_axis = [](int axis, int rank) -> signet::Status {
//     if (axis < rank) return absl::OkStatus();
//     return signet::InvalidArgument("expected an axis below ", rank, ", found ", axis);
//   };
//   signet::Status status = signet::At("argument `axis`", check_axis(3, 2));
//
//   return InvalidArgument("row_splits end at ", last, "; there are ", n, " values");
//   SIGNET_RETURN_IF_ERROR(At("argument `ids`", CheckSplits(tensor)));
//
// The function that finds a fault states it, and each caller adds the place (`At`). An error may
// carry two machine-readable parts in addition to its message: a reason (`MISSING_REQUIRED`) and
// the path of the argument at fault (`recipe.ids`). The server sends them as google.rpc details.

#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "signet/cat.h"

namespace signet {

using absl::Status;
using absl::StatusOr;

// Returns a status with the code `code` and the message `text`.
Status MakeStatus(absl::StatusCode code, std::string_view text);

#define SIGNET_DEFINE_STATUS(Name)                               \
  template <class... Parts>                                      \
  Status Name(const Parts&... parts) {                           \
    return MakeStatus(absl::StatusCode::k##Name, Cat(parts...)); \
  }
SIGNET_DEFINE_STATUS(InvalidArgument)     // the request is wrong in any state
SIGNET_DEFINE_STATUS(NotFound)            // a name does not exist
SIGNET_DEFINE_STATUS(FailedPrecondition)  // the state must change first
SIGNET_DEFINE_STATUS(ResourceExhausted)   // a limit is exceeded; name its flag
SIGNET_DEFINE_STATUS(OutOfRange)          // an index or number outside its range
SIGNET_DEFINE_STATUS(Unimplemented)       // known but not built
SIGNET_DEFINE_STATUS(AlreadyExists)
SIGNET_DEFINE_STATUS(Unavailable)
SIGNET_DEFINE_STATUS(DataLoss)
SIGNET_DEFINE_STATUS(DeadlineExceeded)
SIGNET_DEFINE_STATUS(Cancelled)
SIGNET_DEFINE_STATUS(Internal)  // a bug in Signet
#undef SIGNET_DEFINE_STATUS

// Returns the message of `status`, without its code.
std::string_view MessageOf(const Status& status);

// Adds the place to the message: `where: message`. An OK status stays OK, and payloads are kept.
Status At(std::string_view where, Status status);

// Attaches the name of the rule that was broken, such as `MISSING_REQUIRED`.
Status WithReason(std::string_view reason, Status status);
// Returns the attached reason, or an empty string.
std::string ReasonOf(const Status& status);

// Attaches the path of the argument at fault. An existing path is appended to it: `a` + `b` =>
// `a.b`.
Status WithField(std::string_view path, Status status);
// Returns the attached path, or an empty string.
std::string FieldOf(const Status& status);

// Returns an INVALID_ARGUMENT error with a reason: WithReason(reason, InvalidArgument(...)).
template <class... Parts>
Status InvalidWithReason(std::string_view reason, const Parts&... parts) {
  return WithReason(reason, InvalidArgument(parts...));
}

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace signet

// Aborts if `condition` is false. For bugs in Signet only: no input from outside may fail a check.
#define SIGNET_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::signet::CheckFailed(#condition, __FILE__, __LINE__))

#define SIGNET_RETURN_IF_ERROR(expression)         \
  do {                                             \
    ::absl::Status signet_status = (expression);   \
    if (!signet_status.ok()) return signet_status; \
  } while (false)

#define SIGNET_CONCAT_INNER(a, b) a##b
#define SIGNET_CONCAT(a, b) SIGNET_CONCAT_INNER(a, b)
#define SIGNET_ASSIGN_OR_RETURN(left, expression) \
  SIGNET_ASSIGN_OR_RETURN_AS(SIGNET_CONCAT(signet_value_, __LINE__), left, expression)
#define SIGNET_ASSIGN_OR_RETURN_AS(temporary, left, expression) \
  auto temporary = (expression);                                \
  if (!temporary.ok()) return std::move(temporary).status();    \
  left = *std::move(temporary)
