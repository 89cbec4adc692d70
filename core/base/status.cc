#include "signet/status.h"

#include <cstdio>

#include <absl/strings/cord.h>

#include "core/base/replace_field.h"
#include "core/base/utf8.h"

namespace signet {
namespace {

constexpr char kReason[] = "signet/reason";
constexpr char kField[] = "signet/field";

std::string Payload(const Status& status, const char* url) {
  auto payload = status.GetPayload(url);
  return payload ? std::string(*payload) : std::string();
}

}  // namespace

Status MakeStatus(absl::StatusCode code, std::string_view text) {
  // The message may quote bytes that are not text, but it is sent as text.
  return Status(code, AsUtf8(text));
}

std::string_view MessageOf(const Status& status) {
  return {status.message().data(), status.message().size()};
}

Status At(std::string_view where, Status status) {
  if (status.ok()) return status;
  Status placed = MakeStatus(status.code(), Cat(where, ": ", MessageOf(status)));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { placed.SetPayload(url, payload); });
  return placed;
}

Status WithReason(std::string_view reason, Status status) {
  if (!status.ok()) status.SetPayload(kReason, absl::Cord(std::string(reason)));
  return status;
}

std::string ReasonOf(const Status& status) { return Payload(status, kReason); }

Status WithField(std::string_view path, Status status) {
  if (status.ok()) return status;
  std::string below = FieldOf(status);
  std::string whole(path);
  if (!below.empty()) whole += below.front() == '[' ? below : "." + below;
  status.SetPayload(kField, absl::Cord(whole));
  return status;
}

Status ReplaceField(std::string_view path, Status status) {
  status.ErasePayload(kField);
  return WithField(path, std::move(status));
}

std::string FieldOf(const Status& status) { return Payload(status, kField); }

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace signet
