// signet call: calls a function and prints the result.

#include <iostream>
#include <unistd.h>

#include "client/commands/commands.h"
#include "client/commands/explanation.h"
#include "client/table.h"
#include "core/formats/json.h"

namespace signet {
namespace {

struct CallCommand {
  explicit CallCommand(CLI::App& verb) : words(verb) {}

  CallWords words;
  bool table = false;
  bool explain = false;
  bool pretty = false;
};

void Run(const CallCommand& command, Session& session) {
  auto call = command.words.Parse();
  if (!call.ok()) return session.RefuseUsage(call.status());
  Client client = session.Connect();
  if (command.explain) {
    auto explanation = client.Explain(*call);
    if (!explanation.ok()) return session.Refuse(explanation.status());
    std::cerr << RenderExplanation(*explanation, false) << "\n";
  }
  auto answer = client.Call(*call);
  if (!answer.ok()) return session.Refuse(answer.status());
  if (command.table) {
    std::cout << RenderTable(answer->result);
  } else {
    bool pretty = command.pretty || isatty(STDOUT_FILENO) != 0;
    std::cout << ValueToJson(answer->result, {.indent = pretty ? 2 : 0}) << "\n";
  }
}

}  // namespace

void AddCall(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("call", "Call a function and print the result as JSON");
  auto command = std::make_shared<CallCommand>(*verb);
  verb->add_flag("--table", command->table, "Print rows and columns");
  verb->add_flag("--pretty", command->pretty, "Print JSON over several lines, as on a terminal");
  verb->add_flag("--explain", command->explain, "First say how the call was bound and dispatched");
  verb->footer(
      Cat("Examples:\n"
          "  signet call half_plus_two predict '[1.0, 2.0, 5.0]'\n"
          "  signet call recipes score @recipe.json limit=3 --table\n"
          "  cat recipe.json | signet call recipes:stable score recipe=-\n"
          "\n",
          verb->get_footer()));
  verb->callback([command, &session] { Run(*command, session); });
}

}  // namespace signet
