#include "server/protocols/signet/explain.h"

#include <utility>

#include "core/serving/call/decode.h"
#include "server/call/await_model.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/read_call.h"
#include "server/transport/byte_buffers.h"

namespace signet {
namespace {

v1::ExplainedArgument::Source SourceToProto(ExplainedArgument::Source source) {
  switch (source) {
    case ExplainedArgument::Source::kPositional:
      return v1::ExplainedArgument::POSITIONAL;
    case ExplainedArgument::Source::kKeyword:
      return v1::ExplainedArgument::KEYWORD;
    case ExplainedArgument::Source::kDefault:
      return v1::ExplainedArgument::DEFAULT;
    case ExplainedArgument::Source::kVariadic:
      return v1::ExplainedArgument::VARIADIC;
  }
  return v1::ExplainedArgument::SOURCE_UNSPECIFIED;
}

v1::ExplainResponse::Outcome OutcomeToProto(Explanation::Outcome outcome) {
  switch (outcome) {
    case Explanation::Outcome::kExact:
      return v1::ExplainResponse::EXACT;
    case Explanation::Outcome::kSupertype:
      return v1::ExplainResponse::SUPERTYPE;
    case Explanation::Outcome::kSpecialized:
      return v1::ExplainResponse::SPECIALIZED;
    case Explanation::Outcome::kRejected:
      return v1::ExplainResponse::REFUSED;
  }
  return v1::ExplainResponse::OUTCOME_UNSPECIFIED;
}

void SetType(const TypeSpec& spec, v1::TypeSpec* out) { *out = wire::TypeToProto(spec); }

v1::ExplainedArgument ArgumentToProto(const ExplainedArgument& argument) {
  v1::ExplainedArgument out;
  out.set_parameter(argument.parameter);
  out.set_source(SourceToProto(argument.source));
  if (argument.given) SetType(argument.given, out.mutable_given());
  if (argument.constraint) SetType(argument.constraint, out.mutable_constraint());
  if (argument.bound) SetType(argument.bound, out.mutable_bound());
  out.set_cast(argument.given && argument.bound && argument.given != argument.bound);
  out.set_cast_by(argument.cast_by);
  return out;
}

v1::ExplainedCandidate CandidateToProto(const ExplainedCandidate& candidate) {
  v1::ExplainedCandidate out;
  *out.mutable_type() = wire::FunctionTypeToProto(candidate.type);
  out.set_accepts(candidate.accepts);
  out.set_chosen(candidate.chosen);
  out.set_why(candidate.why);
  return out;
}

v1::ExplainResponse ExplanationToProto(const Explanation& explanation) {
  v1::ExplainResponse out;
  for (const auto& argument : explanation.arguments) {
    *out.add_arguments() = ArgumentToProto(argument);
  }
  *out.mutable_request_type() = wire::FunctionTypeToProto(explanation.request_type);
  out.set_outcome(OutcomeToProto(explanation.outcome));
  for (const auto& candidate : explanation.candidates) {
    *out.add_candidates() = CandidateToProto(candidate);
  }
  if (explanation.output) SetType(explanation.output, out.mutable_output());
  out.set_plan(explanation.plan);
  return out;
}

}  // namespace

Status ExplainWork::Begin() {
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

  Explanation explanation;
  explanation.error = call_.status();
  if (call_.ok()) explanation.error = DecodeArguments(*call_, server_->limits, &deferral);
  if (explanation.error.ok()) {
    explanation = called_.function->ExplainBound(*call_->binding, call_->arguments, control);
  }
  deferral.shares_error = false;  // each explanation has more than the error

  v1::ExplainResponse response = ExplanationToProto(explanation);
  response.set_signature(called_.function->signature());
  response.set_model_version(called_.model->version());
  if (!explanation.error.ok()) {
    *response.mutable_error() = ErrorOf(At(called_.path(), explanation.error));
  }
  return response;
}

}  // namespace signet
