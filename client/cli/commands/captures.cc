// signet captures: replaces the values of the captures of a model on a running server.

#include <iostream>
#include <memory>

#include "client/cli/commands/admin_text.h"
#include "client/cli/commands/commands.h"
#include "client/lib/admin_client.h"

namespace signet {
namespace {

struct CapturesOptions {
  std::string model;
  std::string file;
  std::string revision;
  bool on_server = false;
  bool persist = false;
  bool dry_run = false;
};

void RunCaptures(const CapturesOptions& options, Session& session) {
  auto name = ParseModelName(options.model);
  if (!name.ok()) return session.FailUsage(name.status());
  if (!name->label.empty()) {
    return session.FailUsage(InvalidArgument("expected MODEL or MODEL/VERSION, found a label"));
  }
  v1::ReplaceCapturesRequest::Start start;
  start.set_model(name->name);
  if (name->version) start.set_version(*name->version);
  if (options.on_server) start.set_file(options.file);
  start.set_revision(options.revision);
  start.set_persist(options.persist);
  start.set_dry_run(options.dry_run);
  auto response = AdminClient(session.Connect()).ReplaceCaptures(start, options.file);
  if (!response.ok()) return session.Fail(response.status());
  std::cout << FormatReplacement(*response, options.dry_run);
}

}  // namespace

void AddCaptures(CLI::App& app, Session& session) {
  auto* verb =
      app.add_subcommand("captures", "Replace the captures of a model on a running server");
  auto options = std::make_shared<CapturesOptions>();
  verb->add_option("ACTION", "What to do: replace")
      ->required()
      ->check(CLI::IsMember({"replace"}).description(""));
  verb->add_option("MODEL", options->model, "NAME, which means the newest version, or NAME/VERSION")
      ->required();
  verb->add_option("FILE", options->file, "A safetensors file with the new values")->required();
  verb->add_option("--revision", options->revision,
                   "Name of the values, such as a training step, which `status --details` prints")
      ->type_name("TEXT");
  verb->add_flag("--on_server", options->on_server,
                 "FILE is on the server, relative to a directory of models");
  verb->add_flag("--persist", options->persist,
                 "Write the values to captures.safetensors of the version, too");
  verb->add_flag("--dry_run", options->dry_run, "Check the file, and change nothing");
  verb->callback([options, &session] { RunCaptures(*options, session); });
}

}  // namespace signet
