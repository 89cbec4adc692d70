#include "client/cli/commands/commands.h"

#include <algorithm>
#include <iostream>

#include "client/lib/errors.h"
#include "core/base/nearest_name.h"

namespace signet {

void Session::Fail(const Status& status) {
  std::cout.flush();
  std::cerr << RenderError(status);
  const std::string_view message = MessageOf(status);
  if (message.find("http1") != message.npos ||
      message.find("Failed parsing HTTP/2") != message.npos) {
    std::cerr << "  the port serves another protocol than gRPC; set the address of `--listen` of "
                 "signet-server with --address or SIGNET_ADDRESS\n";
  } else if (ReasonOf(status) == kNotConnected) {
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

// Adds the option --address, which may be before or after the name of a command.
void AddAddress(CLI::App& app, Session& session) {
  app.add_option("--address", session.flags.address,
                 "Server, HOST:PORT or unix:PATH, or a list HOST:PORT,HOST:PORT; the variable "
                 "SIGNET_ADDRESS sets it, too")
      ->type_name("ADDRESS")
      ->default_str(kDefaultAddress);
}

// Adds the other options of a connection, which may also be before or after the name of a command.
void AddConnectionOptions(CLI::App& app, Session& session) {
  ConnectionFlags& flags = session.flags;
  app.add_option("--timeout", flags.timeout, "Deadline of each call")
      ->check(CLI::Range(0.001, 86400.0).description(""))
      ->type_name("SECONDS")
      ->default_str("30");
  app.add_option("--profile", flags.profile,
                 "Section of the configuration file; the variable SIGNET_PROFILE sets it, too")
      ->type_name("NAME");
  // A flag that is bound to an optional would set it to false if it is not given.
  app.add_flag_function(
      "--tls,!--no_tls", [&flags](int64_t count) { flags.tls = count > 0; },
      "Use TLS, with the certificates of the system");
  app.add_option("--ca", flags.ca, "Use TLS; certificates in PEM that sign the server's")
      ->type_name("FILE");
  app.add_option("--cert", flags.cert, "Use TLS; certificate in PEM that identifies the caller")
      ->type_name("FILE");
  app.add_option("--key", flags.key, "Private key of --cert in PEM")->type_name("FILE");
  app.add_option("--server_name", flags.server_name,
                 "Use TLS; name that the server's certificate must have")
      ->type_name("NAME");
  app.add_option("--token_file", flags.token_file,
                 "File with a bearer token; the variable SIGNET_TOKEN has the token itself")
      ->type_name("FILE");
  app.add_flag_function(
      "--plaintext_token", [&flags](int64_t /*count*/) { flags.plaintext_token = true; },
      "Send the token without TLS to other machines, too");
}

bool UsesServer(const CLI::App& verb) {
  const std::string& name = verb.get_name();
  return name != "check" && name != "inspect" && name != "import" && name != "convert" &&
         name != "fmt" && name != "infer-type" && name != "ops" && name != "publish" &&
         name != "completion";
}

// `top` has an address of its own, which is that of an HTTP server.
bool UsesAddress(const CLI::App& verb) { return UsesServer(verb) && verb.get_name() != "top"; }

// Sets the address, TLS, and token of `session` before a command that uses them runs.
void ResolveSession(const CLI::App& app, Session& session) {
  std::vector<const CLI::App*> verbs = app.get_subcommands([](const CLI::App*) { return true; });
  bool uses_server = std::any_of(verbs.begin(), verbs.end(), [](const CLI::App* verb) {
    return verb->parsed() && UsesServer(*verb);
  });
  if (!uses_server) return;
  auto settings = ResolveConnection(session.flags, EnvironmentNow());
  if (!settings.ok()) {
    session.FailUsage(settings.status());
    throw CLI::RuntimeError(kUsage);
  }
  session.address = settings->address;
  session.timeout = settings->timeout;
  session.client = settings->client;
}

}  // namespace

void AddCommands(CLI::App& app, Session& session) {
  app.formatter(std::make_shared<Formatter>());
  app.require_subcommand(1);
  AddAddress(app, session);
  AddConnectionOptions(app, session);
  for (auto add : {AddCall,    AddList,   AddDescribe, AddExplain, AddStatus,    AddCheck,
                   AddInspect, AddImport, AddConvert,  AddFmt,     AddInferType, AddPublish,
                   AddLoad,    AddUnload, AddReload,   AddLabel,   AddCaptures,  AddDrain,
                   AddOps,     AddBench,  AddReplay,   AddTop,     AddCompletion}) {
    add(app, session);
  }
  for (CLI::App* verb : app.get_subcommands({})) {
    if (UsesAddress(*verb)) AddAddress(*verb, session);
    if (UsesServer(*verb)) AddConnectionOptions(*verb, session);
  }
  app.parse_complete_callback([&app, &session] { ResolveSession(app, session); });
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

std::string HintAtOption(const CLI::App& command, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back(Cat("--", name));
    }
  }
  return NearestHint(word.substr(0, word.find('=')), names);
}

Status CheckOptionNames(const CLI::App& app) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  const CLI::App& command = verbs.empty() ? app : *verbs.front();
  for (const std::string& word : app.remaining(/*recurse=*/true)) {
    if (!word.starts_with("--")) continue;
    return InvalidArgument("unknown option `", Printable(word), "`", HintAtOption(command, word),
                           "; see `signet ", verbs.empty() ? "" : Cat(command.get_name(), " "),
                           "--help`");
  }
  return absl::OkStatus();
}

}  // namespace signet
