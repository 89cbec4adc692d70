#include "client/cli/commands/commands.h"

#include <iostream>

#include "client/lib/errors.h"
#include "core/base/nearest_name.h"

namespace signet {

void Session::Fail(const Status& status) {
  std::cout.flush();
  std::cerr << RenderError(status);
  if (ReasonOf(status) == kNotConnected) {
    std::cerr << "  start a server with `signet-server --models DIR`, or set another address with "
                 "--address or SIGNET_ADDRESS\n";
  }
  exit_code = ExitCodeOf(status);
}

void Session::FailUsage(const Status& status) {
  std::cerr << "signet: " << MessageOf(status) << "\n";
  exit_code = kUsage;
}

namespace {

// Adds ARGS to the usage line of commands that make calls, because the parser does not know them.
class Formatter final : public CLI::Formatter {
 public:
  Formatter() { column_width(30); }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    if (app->get_allow_extras()) usage.insert(usage.find_last_not_of('\n') + 1, " [ARGS...]");
    return usage;
  }
};

// Adds the options that may be before or after the name of a command.
void AddSharedOptions(CLI::App& app, Session& session) {
  app.add_option("--address", session.address,
                 "Server, HOST:PORT or unix:PATH; the variable SIGNET_ADDRESS sets it, too")
      ->type_name("ADDRESS")
      ->capture_default_str();
  app.add_option("--timeout", session.timeout, "Deadline of each call")
      ->check(CLI::Range(0.001, 86400.0).description(""))
      ->type_name("SECONDS")
      ->capture_default_str();
}

}  // namespace

void AddCommands(CLI::App& app, Session& session) {
  app.formatter(std::make_shared<Formatter>());
  app.require_subcommand(1);
  AddSharedOptions(app, session);
  for (auto add : {AddCall, AddList, AddDescribe, AddExplain, AddStatus, AddCheck, AddInspect,
                   AddImport, AddPublish, AddOps, AddBench, AddCompletion}) {
    add(app, session);
  }
  for (CLI::App* verb : app.get_subcommands({})) {
    const std::string& name = verb->get_name();
    bool uses_server = name != "check" && name != "inspect" && name != "import" && name != "ops" &&
                       name != "completion";
    if (uses_server) AddSharedOptions(*verb, session);
  }
}

Status CheckCommandName(const CLI::App& app) {
  std::vector<std::string> words = app.remaining();
  if (!app.get_subcommands().empty() || words.empty() || words[0].starts_with("-")) {
    return absl::OkStatus();
  }
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
  }
  std::vector<std::string_view> names(verbs.begin(), verbs.end());
  auto nearest = NearestName(words[0], names);
  return InvalidArgument("unknown command `", Printable(words[0]), "`; ",
                         nearest ? Cat("did you mean `", *nearest, "`? ") : "",
                         "commands: ", Join(verbs, ", "));
}

}  // namespace signet
