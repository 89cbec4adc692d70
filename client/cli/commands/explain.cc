// signet explain: prints how a call would be bound and dispatched, without running it.

#include <algorithm>
#include <iostream>

#include "client/cli/commands/commands.h"
#include "client/cli/commands/explanation.h"
#include "client/cli/signature_text.h"
#include "client/cli/table.h"
#include "client/lib/errors.h"
#include "core/formats/signet_wire/wire.h"
#include "signet/status.h"

namespace signet {
namespace {

constexpr size_t kWidth = 100;  // columns of a line

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string CallTypeText(const v1::FunctionType& proto) {
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
      return "a concrete function of exactly this type exists";
    case v1::ExplainResponse::SUPERTYPE:
      return "a concrete function that accepts this type exists";
    case v1::ExplainResponse::SPECIALIZED:
      return "no concrete function accepted this type; a new one was made";
    default:
      return "rejected";
  }
}

std::string CastText(const v1::ExplainedArgument& argument) {
  std::string to = Cat("cast to ", TypeText(argument.bound()));
  return argument.cast_by().empty() ? to : Cat(to, " by ", argument.cast_by());
}

// Returns the types of an argument on one line.
std::string TypesText(const v1::ExplainedArgument& argument) {
  std::string type = argument.has_given() ? TypeText(argument.given()) : "";
  if (argument.cast()) type += Cat(" ", CastText(argument));
  if (argument.has_constraint()) type += Cat(", for ", TypeText(argument.constraint()));
  return type;
}

// Returns the types of an argument on one or more lines for each type.
std::string BrokenTypesText(const v1::ExplainedArgument& argument) {
  constexpr size_t kIndent = 6;
  std::vector<std::string> parts;
  if (argument.has_given()) parts.push_back(TypeText(argument.given()));
  if (argument.cast()) parts.push_back(CastText(argument));
  if (argument.has_constraint()) parts.push_back(Cat("for ", TypeText(argument.constraint())));
  std::string out;
  for (const std::string& part : parts) {
    out += Cat(std::string(kIndent, ' '), BreakSignature(part, kWidth, kIndent), "\n");
  }
  return out;
}

std::string RenderArguments(const v1::ExplainResponse& explanation) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& argument : explanation.arguments()) {
    rows.push_back({"  " + argument.parameter(), SourceText(argument.source()), ""});
  }
  size_t width = 0;  // of the columns before the types
  for (const std::string& line : LinesOf(AlignColumns(rows))) width = std::max(width, line.size());
  std::vector<bool> is_long;
  for (int i = 0; i < explanation.arguments_size(); ++i) {
    std::string types = TypesText(explanation.arguments(i));
    is_long.push_back(width + 2 + types.size() > kWidth);
    if (!is_long.back()) rows[static_cast<size_t>(i)].back() = std::move(types);
  }
  std::string out;
  std::vector<std::string> lines = LinesOf(AlignColumns(rows));
  for (size_t i = 0; i < lines.size(); ++i) {
    out += Cat(lines[i], "\n");
    if (is_long[i]) out += BrokenTypesText(explanation.arguments(static_cast<int>(i)));
  }
  return out;
}

std::string RenderCandidates(const v1::ExplainResponse& explanation) {
  std::string out;
  for (const auto& candidate : explanation.candidates()) {
    out += Cat(candidate.chosen() ? "* " : "  ",
               BreakSignature(CallTypeText(candidate.type()), kWidth, 2), "\n");
    if (!candidate.why().empty()) out += Cat("      ", candidate.why(), "\n");
  }
  return out;
}

}  // namespace

std::string RenderExplanation(const v1::ExplainResponse& explanation, bool with_plan) {
  std::string out = Cat(BreakSignature(explanation.signature(), kWidth), "  (version ",
                        explanation.model_version(), ")\n");
  if (explanation.arguments_size() > 0) out += Cat("arguments:\n", RenderArguments(explanation));
  if (explanation.has_error()) {
    return out + Cat("rejected: ", explanation.error().message(), "\n");
  }
  out += Cat("dispatch: ", OutcomeText(explanation.outcome()), "\n");
  out += Cat("  ", BreakSignature(CallTypeText(explanation.request_type()), kWidth, 2), "\n");
  if (explanation.candidates_size() > 0) {
    out += Cat("concrete functions that exist:\n", RenderCandidates(explanation));
  }
  if (explanation.has_output()) {
    out += Cat("output: ", BreakSignature(TypeText(explanation.output()), kWidth - 8), "\n");
  }
  if (with_plan) out += Cat("plan:\n", explanation.plan(), "\n");
  return out;
}

void AddExplain(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("explain", "Print how a call would be bound and dispatched");
  auto words = std::make_shared<CallWords>(*verb);
  auto with_plan = std::make_shared<bool>(false);
  verb->add_flag("--plan", *with_plan, "Also print the plan that would run");
  verb->callback([words, with_plan, &session] {
    auto call = words->Parse();
    if (!call.ok()) return session.FailUsage(call.status());
    auto explanation = session.Connect().Explain(*call);
    if (!explanation.ok()) return session.Fail(words->WithFileHint(explanation.status()));
    std::cout << RenderExplanation(*explanation, *with_plan);
    session.exit_code = explanation->has_error() ? 1 : 0;
  });
}

}  // namespace signet
