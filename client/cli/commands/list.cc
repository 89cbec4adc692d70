// signet list: prints the models of a server.

#include <iostream>

#include "client/cli/commands/admin_text.h"
#include "client/cli/commands/commands.h"
#include "client/cli/table.h"

namespace signet {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Returns the title of the model, or why the version is not available.
std::string AboutOf(const v1::ModelInfo& model, const v1::VersionInfo& version) {
  if (!version.reason().empty()) return AboutVersion(version);
  return model.doc().substr(0, model.doc().find('\n'));
}

void Run(bool names_only, Session& session) {
  auto list = session.Connect().ListModels();
  if (!list.ok()) return session.Fail(list.status());
  Rows rows = {{"MODEL", "VERSION", "STATE", "LABELS", "ABOUT"}};
  for (const auto& model : list->models()) {
    if (names_only) std::cout << model.name() << "\n";
    for (const auto& version : model.versions()) {
      rows.push_back({model.name(), Cat(version.version()),
                      v1::VersionInfo::State_Name(version.state()),
                      LabelsOf(model, version.version()), AboutOf(model, version)});
    }
  }
  if (!names_only) std::cout << AlignColumns(rows);
}

}  // namespace

void AddList(CLI::App& app, Session& session) {
  auto* verb =
      app.add_subcommand("list", "Print the models of a server, their versions, and their states");
  auto names_only = std::make_shared<bool>(false);
  verb->add_flag("--names", *names_only, "Print only the names, one per line");
  verb->callback([names_only, &session] { Run(*names_only, session); });
}

}  // namespace signet
