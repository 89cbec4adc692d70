#include "server/protocols/signet/explain.h"

#include <utility>

#include "core/describe/explanation_message.h"
#include "server/call/await_model.h"
#include "server/protocols/signet/read_call.h"
#include "server/transport/byte_buffers.h"

namespace signet {

Status ExplainWork::Begin() {
  SIGNET_RETURN_IF_ERROR(server_->expander.Expand(*request_));
  SIGNET_ASSIGN_OR_RETURN(CallRequest request, ReadCall(*server_, access_, MessageOf(*request_)));
  SIGNET_RETURN_IF_ERROR(access_.Check(Rpc::kExplain, request.model));
  SIGNET_ASSIGN_OR_RETURN(called_, FindOrLoad(*server_, request));
  call_ = BindToFunction(called_, std::move(request));
  return absl::OkStatus();
}

ExplainWork::Outcome ExplainWork::Attempt(const RunControl& control) {
  Deferral& deferral = *control.deferral;
  if (!deferral.may_make) return deferral.LetMake();
  if (deferral.must_be_short && request_->Length() > kSmallRequestBytes) return deferral.Move();
  if (called_.model == nullptr) SIGNET_RETURN_IF_ERROR(Begin());

  v1::ExplainResponse response = ExplainToMessage(called_, call_, server_->limits, control);
  deferral.shares_error = false;  // each explanation has more than the error
  return response;
}

}  // namespace signet
