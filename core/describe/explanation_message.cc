#include "core/describe/explanation_message.h"

#include "core/describe/error_message.h"
#include "core/formats/signet_wire/wire.h"
#include "core/model/function_captures.h"
#include "core/model/loaded_model.h"
#include "core/serving/call/decode.h"

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

// Returns the message of a type, with the captures of the function.
v1::FunctionType TypeToProto(const FunctionType& type, const std::vector<Capture>& captures) {
  return wire::FunctionTypeToProto(
      FunctionType::MakeUnchecked(type.parameters(), captures, type.output()));
}

v1::ExplainedCandidate CandidateToProto(const ExplainedCandidate& candidate,
                                        const std::vector<Capture>& captures) {
  v1::ExplainedCandidate out;
  *out.mutable_type() = TypeToProto(candidate.type, captures);
  out.set_accepts(candidate.accepts);
  out.set_chosen(candidate.chosen);
  out.set_why(candidate.why);
  return out;
}

v1::ExplainResponse ExplanationToProto(const Explanation& explanation,
                                       const std::vector<Capture>& captures) {
  v1::ExplainResponse out;
  for (const auto& argument : explanation.arguments) {
    *out.add_arguments() = ArgumentToProto(argument);
  }
  *out.mutable_request_type() = TypeToProto(explanation.request_type, captures);
  out.set_outcome(OutcomeToProto(explanation.outcome));
  for (const auto& candidate : explanation.candidates) {
    *out.add_candidates() = CandidateToProto(candidate, captures);
  }
  if (explanation.output) SetType(explanation.output, out.mutable_output());
  out.set_plan(explanation.plan);
  return out;
}

}  // namespace

Explanation ExplainCall(const CalledFunction& called, StatusOr<BoundCall>& call,
                        const Limits& limits, const RunControl& control) {
  Explanation explanation;
  explanation.error = call.status();
  if (call.ok()) explanation.error = DecodeArguments(*call, limits, control.deferral);
  if (explanation.error.ok()) {
    explanation = called.function->ExplainBound(*call->binding, call->arguments, control);
  }
  if (!explanation.error.ok()) explanation.error = At(called.path(), explanation.error);
  return explanation;
}

std::string_view NameOf(Explanation::Outcome outcome) {
  return v1::ExplainResponse::Outcome_Name(OutcomeToProto(outcome));
}

v1::ExplainResponse ExplainToMessage(const CalledFunction& called, StatusOr<BoundCall>& call,
                                     const Limits& limits, const RunControl& control) {
  const Explanation explanation = ExplainCall(called, call, limits, control);
  v1::ExplainResponse response =
      ExplanationToProto(explanation, CapturesOf(called.model->def(), called.function->def()));
  response.set_signature(called.function->signature());
  response.set_model_version(called.model->version());
  if (!explanation.error.ok()) *response.mutable_error() = ErrorToMessage(explanation.error);
  return response;
}

}  // namespace signet
