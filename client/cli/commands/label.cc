// signet label: sets, moves, or removes a label of a model on a running server.

#include <iostream>
#include <memory>

#include "client/cli/commands/admin_text.h"
#include "client/cli/commands/commands.h"
#include "client/lib/admin_client.h"

namespace signet {
namespace {

struct LabelOptions {
  std::string model;
  std::string label;
  bool remove = false;
  bool dry_run = false;
};

void RunLabel(const LabelOptions& options, Session& session) {
  auto name = ParseModelName(options.model);
  if (!name.ok()) return session.FailUsage(name.status());
  if (!name->label.empty() || name->version.has_value() == options.remove) {
    return session.FailUsage(
        InvalidArgument("expected MODEL/VERSION to set a label, or MODEL to remove one, found `",
                        Printable(options.model), "`"));
  }
  AdminClient client(session.Connect());
  StatusOr<v1::ChangeResponse> response = v1::ChangeResponse();
  if (options.remove) {
    v1::RemoveLabelRequest request;
    request.set_model(name->name);
    request.set_label(options.label);
    request.set_dry_run(options.dry_run);
    response = client.RemoveLabel(request);
  } else {
    v1::SetLabelRequest request;
    request.set_model(name->name);
    request.set_label(options.label);
    request.set_version(*name->version);
    request.set_dry_run(options.dry_run);
    response = client.SetLabel(request);
  }
  if (!response.ok()) return session.Fail(response.status());
  std::cout << FormatChange(*response, options.dry_run);
}

}  // namespace

void AddLabel(CLI::App& app, Session& session) {
  auto* verb =
      app.add_subcommand("label", "Set, move, or remove a label of a model on a running server");
  auto options = std::make_shared<LabelOptions>();
  verb->add_option("MODEL", options->model, "NAME/VERSION, or NAME with --remove")->required();
  verb->add_option("LABEL", options->label, "Name of the label, such as stable")->required();
  verb->add_flag("--remove", options->remove, "Remove the label");
  verb->add_flag("--dry_run", options->dry_run, "Print what would change, and change nothing");
  verb->callback([options, &session] { RunLabel(*options, session); });
}

}  // namespace signet
