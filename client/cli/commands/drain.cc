// signet drain: lets a running server finish its calls and exit.

#include <iostream>
#include <memory>

#include "client/cli/commands/admin_text.h"
#include "client/cli/commands/commands.h"
#include "client/lib/admin_client.h"

namespace signet {
namespace {

void RunDrain(bool dry_run, Session& session) {
  auto response = AdminClient(session.Connect()).Drain(dry_run);
  if (!response.ok()) return session.Fail(response.status());
  v1::ChangeResponse change;
  change.set_changed(response->changed());
  std::cout << FormatChange(change, dry_run);
}

}  // namespace

void AddDrain(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("drain", "Let a running server finish its calls and exit");
  auto dry_run = std::make_shared<bool>(false);
  verb->add_flag("--dry_run", *dry_run, "Print what would change, and change nothing");
  verb->callback([dry_run, &session] { RunDrain(*dry_run, session); });
}

}  // namespace signet
