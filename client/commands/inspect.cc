// signet inspect: what is in a model's folder, without a server.

#include "core/model/inspect.h"

#include <iostream>

#include "client/commands/commands.h"

namespace signet {

void AddInspect(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("inspect", "Show what is in a model's version folder");
  auto folder = std::make_shared<std::string>();
  verb->add_option("DIR", *folder, "Version folder, such as models/recipes/3")->required();
  verb->callback([folder, &session] {
    auto text = InspectModel(*folder);
    if (!text.ok()) return session.Refuse(text.status());
    std::cout << *text;
  });
}

}  // namespace signet
