#include "server/protocols/signet/explain.h"

#include <utility>

#include "core/model/call_arguments.h"
#include "server/call/call.h"
#include "server/protocols/signet/errors.h"

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
    case Explanation::Outcome::kRefused:
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

StatusOr<v1::ExplainResponse> ExplainCall(const Serving& serving, wire::CallRequest request,
                                          const RunControl& control) {
  SIGNET_ASSIGN_OR_RETURN(auto model,
                          serving.repository.Find(request.model, request.version, request.label));
  SIGNET_ASSIGN_OR_RETURN(const Function* function, model->FindFunction(request.function));

  Explanation explanation;
  auto arguments =
      DecodeArguments(*model, *function, std::move(request), serving.limits, control.deferral);
  if (arguments.ok()) {
    explanation = function->Explain(*std::move(arguments), control);
  } else {
    explanation.error = arguments.status();
  }

  v1::ExplainResponse response = ExplanationToProto(explanation);
  response.set_signature(function->signature());
  response.set_model_version(model->version());
  if (!explanation.error.ok()) {
    *response.mutable_error() =
        ErrorOf(At(PlaceOf(*model, function->def().name), explanation.error));
  }
  return response;
}

}  // namespace signet
