// signet ops: the reference of the ops that models can call, without a server.

#include <iostream>

#include "client/cli/commands/commands.h"
#include "core/describe/op_text.h"

namespace signet {

void AddOps(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("ops", "Print the ops that models can call");
  struct Choice {
    std::string name;
    bool json = false;
  };
  auto choice = std::make_shared<Choice>();
  verb->add_option("NAME", choice->name, "Op, such as gather; without it, a list of all ops");
  verb->add_flag("--json", choice->json, "Print the complete reference as JSON");
  verb->callback([choice, &session] {
    if (choice->name.empty()) {
      std::cout << (choice->json ? OpListJson() : RenderOpList());
      return;
    }
    auto op = FindDocumentedOp(choice->name);
    if (!op.ok()) return session.Fail(op.status());
    std::cout << (choice->json ? OpJson(**op) : RenderOp(**op));
  });
}

}  // namespace signet
