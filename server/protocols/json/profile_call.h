// ProfileCallProtocol: a call that also returns its plan as a graph, with the time of each node:
// POST /v1/models/M/functions/F/profile.
//
//   {"result": [2.5], "plan": {"nodes": [{"op": "mul", "inputs": [0, 1], "nanoseconds": 310, ...
//
// The arguments are those of a call (json_call.h), and the result is JSON. The call is not joined
// with others, so that the plan is its own. Each object serves one call.

#pragma once

#include "core/runtime/run_profile.h"
#include "server/protocols/json/json_call.h"

namespace signet {

class ProfileCallProtocol final : public JsonCallProtocol {
 public:
  using JsonCallProtocol::JsonCallProtocol;

  StatusOr<CallRequest> Read(const HttpRequest& request, const Access& access) const override;
  StatusOr<HttpResponse> Write(const HttpRequest& request, CallOutput output) const override;
  const char* name() const override { return "HTTP profile"; }
  RunProfile* profile() const override { return &profile_; }

 private:
  mutable RunProfile profile_;
};

}  // namespace signet
