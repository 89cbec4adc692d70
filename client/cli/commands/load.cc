// signet load: loads a version of a model on a running server.

#include <iostream>
#include <memory>

#include "client/cli/commands/admin_text.h"
#include "client/cli/commands/commands.h"
#include "client/lib/admin_client.h"

namespace signet {
namespace {

struct LoadOptions {
  std::string model;
  bool no_wait = false;
  bool dry_run = false;
};

void RunLoad(const LoadOptions& options, Session& session) {
  auto name = ParseModelName(options.model);
  if (!name.ok()) return session.FailUsage(name.status());
  if (!name->label.empty()) {
    return session.FailUsage(InvalidArgument("expected MODEL or MODEL/VERSION, found a label"));
  }
  v1::LoadRequest request;
  request.set_model(name->name);
  if (name->version) request.set_version(*name->version);
  request.set_no_wait(options.no_wait);
  request.set_dry_run(options.dry_run);
  auto response = AdminClient(session.Connect()).Load(request);
  if (!response.ok()) return session.Fail(response.status());
  std::cout << FormatChange(*response, options.dry_run);
}

}  // namespace

void AddLoad(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("load", "Load a version of a model on a running server");
  auto options = std::make_shared<LoadOptions>();
  verb->add_option("MODEL", options->model, "NAME, which loads the newest version, or NAME/VERSION")
      ->required();
  verb->add_flag("--no_wait", options->no_wait, "Do not wait until the version is loaded");
  verb->add_flag("--dry_run", options->dry_run, "Print what would change, and change nothing");
  verb->callback([options, &session] { RunLoad(*options, session); });
}

}  // namespace signet
