// signet reload: loads models again from their files, or scans the directories for changes.

#include <iostream>
#include <memory>

#include "client/cli/commands/admin_text.h"
#include "client/cli/commands/commands.h"
#include "client/lib/admin_client.h"

namespace signet {
namespace {

struct ReloadOptions {
  std::string model;
  bool no_wait = false;
  bool dry_run = false;
};

void RunReload(const ReloadOptions& options, Session& session) {
  v1::ReloadRequest request;
  if (!options.model.empty()) {
    auto name = ParseModelName(options.model);
    if (!name.ok()) return session.FailUsage(name.status());
    if (!name->label.empty()) {
      return session.FailUsage(InvalidArgument("expected MODEL or MODEL/VERSION, found a label"));
    }
    request.set_model(name->name);
    if (name->version) request.set_version(*name->version);
  }
  request.set_no_wait(options.no_wait);
  request.set_dry_run(options.dry_run);
  auto response = AdminClient(session.Connect()).Reload(request);
  if (!response.ok()) return session.Fail(response.status());
  std::cout << FormatChange(*response, options.dry_run);
}

}  // namespace

void AddReload(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand(
      "reload", "Load a model again on a running server, or look for changed models");
  auto options = std::make_shared<ReloadOptions>();
  verb->add_option("MODEL", options->model,
                   "NAME, which reloads all available versions, or NAME/VERSION; default: look for "
                   "changes of all models");
  verb->add_flag("--no_wait", options->no_wait, "Do not wait until the versions are loaded");
  verb->add_flag("--dry_run", options->dry_run, "Print what would change, and change nothing");
  verb->callback([options, &session] { RunReload(*options, session); });
}

}  // namespace signet
