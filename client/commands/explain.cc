// signet explain: how a call would be bound and dispatched, without running it.

#include <iostream>

#include "client/commands/commands.h"
#include "client/commands/explanation.h"
#include "client/errors.h"
#include "client/table.h"
#include "core/base/status.h"
#include "core/formats/wire.h"

namespace signet {
namespace {

std::string TypeText(const v1::TypeSpec& proto) {
  auto spec = wire::TypeFromProto(proto, Limits());
  return spec.ok() && *spec ? spec->ToString() : "any";
}

std::string TypeText(const v1::FunctionType& proto) {
  auto type = wire::CallTypeFromProto(proto, Limits());
  return type.ok() ? type->ToString() : "?";
}

std::string SourceText(v1::ExplainedArgument::Source source) {
  switch (source) {
    case v1::ExplainedArgument::POSITIONAL:
      return "by position";
    case v1::ExplainedArgument::KEYWORD:
      return "by keyword";
    case v1::ExplainedArgument::DEFAULT:
      return "default";
    case v1::ExplainedArgument::VARIADIC:
      return "variadic";
    default:
      return "?";
  }
}

std::string OutcomeText(v1::ExplainResponse::Outcome outcome) {
  switch (outcome) {
    case v1::ExplainResponse::EXACT:
      return "a concrete function of this very type";
    case v1::ExplainResponse::SUPERTYPE:
      return "a concrete function that accepts this type";
    case v1::ExplainResponse::SPECIALIZED:
      return "none was there; one was made for this type";
    default:
      return "refused";
  }
}

std::string CastText(const v1::ExplainedArgument& argument) {
  std::string to = Cat(" cast to ", TypeText(argument.bound()));
  return argument.cast_by().empty() ? to : Cat(to, " by ", argument.cast_by());
}

std::string RenderArguments(const v1::ExplainResponse& explanation) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& argument : explanation.arguments()) {
    std::string type = argument.has_given() ? TypeText(argument.given()) : "";
    if (argument.cast()) type += CastText(argument);
    if (argument.has_constraint()) type += Cat(", for ", TypeText(argument.constraint()));
    rows.push_back({"  " + argument.parameter(), SourceText(argument.source()), type});
  }
  return AlignColumns(rows);
}

std::string RenderCandidates(const v1::ExplainResponse& explanation) {
  std::string out;
  for (const auto& candidate : explanation.candidates()) {
    out += Cat(candidate.chosen() ? "* " : "  ", TypeText(candidate.type()), "\n");
    if (!candidate.why().empty()) out += Cat("      ", candidate.why(), "\n");
  }
  return out;
}

}  // namespace

std::string RenderExplanation(const v1::ExplainResponse& explanation, bool with_plan) {
  std::string out = Cat(explanation.signature(), "  (version ", explanation.model_version(), ")\n");
  if (explanation.arguments_size() > 0) out += Cat("arguments:\n", RenderArguments(explanation));
  if (explanation.has_error()) {
    return out + Cat("refused: ", explanation.error().message(), "\n");
  }
  out += Cat("dispatch: ", OutcomeText(explanation.outcome()), "\n");
  out += Cat("  ", TypeText(explanation.request_type()), "\n");
  if (explanation.candidates_size() > 0) {
    out += Cat("concrete functions at hand:\n", RenderCandidates(explanation));
  }
  if (explanation.has_output()) out += Cat("output: ", TypeText(explanation.output()), "\n");
  if (with_plan) out += Cat("plan:\n", explanation.plan(), "\n");
  return out;
}

void AddExplain(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("explain", "Say how a call would be bound and dispatched");
  auto words = std::make_shared<CallWords>(*verb);
  auto with_plan = std::make_shared<bool>(false);
  verb->add_flag("--plan", *with_plan, "Also print the plan that would run");
  verb->callback([words, with_plan, &session] {
    auto call = words->Parse();
    if (!call.ok()) return session.RefuseUsage(call.status());
    auto explanation = session.Connect().Explain(*call);
    if (!explanation.ok()) return session.Refuse(explanation.status());
    std::cout << RenderExplanation(*explanation, *with_plan);
    session.exit_code = explanation->has_error() ? 1 : 0;
  });
}

}  // namespace signet
