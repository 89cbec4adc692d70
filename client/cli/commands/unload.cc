// signet unload: unloads versions of a model on a running server.

#include <iostream>
#include <memory>

#include "client/cli/commands/admin_text.h"
#include "client/cli/commands/commands.h"
#include "client/lib/admin_client.h"

namespace signet {
namespace {

struct UnloadOptions {
  std::string model;
  bool dry_run = false;
};

void RunUnload(const UnloadOptions& options, Session& session) {
  auto name = ParseModelName(options.model);
  if (!name.ok()) return session.FailUsage(name.status());
  if (!name->label.empty()) {
    return session.FailUsage(InvalidArgument("expected MODEL or MODEL/VERSION, found a label"));
  }
  v1::UnloadRequest request;
  request.set_model(name->name);
  if (name->version) request.set_version(*name->version);
  request.set_dry_run(options.dry_run);
  auto response = AdminClient(session.Connect()).Unload(request);
  if (!response.ok()) return session.Fail(response.status());
  std::cout << FormatChange(*response, options.dry_run);
}

}  // namespace

void AddUnload(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("unload", "Unload versions of a model on a running server");
  auto options = std::make_shared<UnloadOptions>();
  verb->add_option("MODEL", options->model, "NAME, which unloads all versions, or NAME/VERSION")
      ->required();
  verb->add_flag("--dry_run", options->dry_run, "Print what would change, and change nothing");
  verb->callback([options, &session] { RunUnload(*options, session); });
}

}  // namespace signet
