// Status helpers: how every refusal in Signet is made and carried upward.
//
//   return InvalidArgument("row_splits end at ", last, "; there are ", n, " values");
//   SIGNET_RETURN_IF_ERROR(At("argument `ids`", CheckSplits(tensor)));
//
// Who finds a fault states it; each caller adds the place on the way up (`At`). A refusal may carry
// two machine-readable parts beside its sentence: a reason (`MISSING_REQUIRED`) and the path of the
// argument at fault (`recipe.ids`); the server sends them as google.rpc details.

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

// Makes a status of `code` whose message is `text`.
Status MakeStatus(absl::StatusCode code, std::string_view text);

#define SIGNET_DEFINE_STATUS(Name)                               \
  template <class... Parts>                                      \
  Status Name(const Parts&... parts) {                           \
    return MakeStatus(absl::StatusCode::k##Name, Cat(parts...)); \
  }
SIGNET_DEFINE_STATUS(InvalidArgument)     // the request is wrong whatever the state
SIGNET_DEFINE_STATUS(NotFound)            // a name
SIGNET_DEFINE_STATUS(FailedPrecondition)  // the state must change first
SIGNET_DEFINE_STATUS(ResourceExhausted)   // a limit, with its flag
SIGNET_DEFINE_STATUS(OutOfRange)          // an index or number outside its range
SIGNET_DEFINE_STATUS(Unimplemented)       // known, not built
SIGNET_DEFINE_STATUS(AlreadyExists)
SIGNET_DEFINE_STATUS(Unavailable)
SIGNET_DEFINE_STATUS(DataLoss)
SIGNET_DEFINE_STATUS(DeadlineExceeded)
SIGNET_DEFINE_STATUS(Cancelled)
SIGNET_DEFINE_STATUS(Internal)  // our bug only
#undef SIGNET_DEFINE_STATUS

// The sentence of `status`, without its code.
std::string_view MessageOf(const Status& status);

// Puts the place before the sentence: `where: message`. OK stays OK; payloads are kept.
Status At(std::string_view where, Status status);

// Attaches the name of the rule that was broken, such as `MISSING_REQUIRED`.
Status WithReason(std::string_view reason, Status status);
// The attached reason, or empty.
std::string ReasonOf(const Status& status);

// Attaches the path of the argument at fault; an existing path becomes its suffix: `a` + `b` =>
// `a.b`.
Status WithField(std::string_view path, Status status);
// The attached path, or empty.
std::string FieldOf(const Status& status);

// Carries a fault code (an enumerator name) and a sentence: WithReason(reason,
// InvalidArgument(...)).
template <class... Parts>
Status Refuse(std::string_view reason, const Parts&... parts) {
  return WithReason(reason, InvalidArgument(parts...));
}

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace signet

// For our own bugs; nothing a client sends can reach one.
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
