// AddCommands: adds the commands of `signet` to its parser. Each is in
// client/cli/commands/<verb>.cc.
//
// A command sets the exit code: 0 success; 1 the call or the model was rejected, or the server is
// not serving; 2 the command line is wrong; 3 no server answered in time.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "client/cli/connection_settings.h"
#include "client/lib/service_client.h"

namespace signet {

inline constexpr int kUsage = 2;

// The options and the exit code that all commands share.
struct Session {
  ConnectionFlags flags;  // as given on the command line

  // Valid while a command runs (ResolveSession).
  std::string address;
  double timeout = 30;   // of each call, in seconds
  ClientOptions client;  // TLS and token

  int exit_code = 0;

  ClientOptions MakeClientOptions() const {
    ClientOptions options = client;
    options.timeout = std::chrono::milliseconds(static_cast<int64_t>(timeout * 1000));
    return options;
  }
  ServiceClient Connect() const { return ServiceClient(address, MakeClientOptions()); }
  // Prints an error and sets the exit code.
  void Fail(const Status& status);
  // Prints an error of the command line and sets the exit code to kUsage.
  void FailUsage(const Status& status);
};

void AddCall(CLI::App& app, Session& session);
void AddList(CLI::App& app, Session& session);
void AddDescribe(CLI::App& app, Session& session);
void AddExplain(CLI::App& app, Session& session);
void AddStatus(CLI::App& app, Session& session);
void AddCheck(CLI::App& app, Session& session);
void AddInspect(CLI::App& app, Session& session);
void AddImport(CLI::App& app, Session& session);
void AddConvert(CLI::App& app, Session& session);
void AddFmt(CLI::App& app, Session& session);
void AddInferType(CLI::App& app, Session& session);
void AddPublish(CLI::App& app, Session& session);
void AddLoad(CLI::App& app, Session& session);
void AddUnload(CLI::App& app, Session& session);
void AddReload(CLI::App& app, Session& session);
void AddLabel(CLI::App& app, Session& session);
void AddCaptures(CLI::App& app, Session& session);
void AddDrain(CLI::App& app, Session& session);
void AddOps(CLI::App& app, Session& session);
void AddBench(CLI::App& app, Session& session);
void AddReplay(CLI::App& app, Session& session);
void AddTop(CLI::App& app, Session& session);
void AddCompletion(CLI::App& app, Session& session);

// Adds all commands.
void AddCommands(CLI::App& app, Session& session);
// Returns INVALID_ARGUMENT if the first word that `app` could not parse is not the name of a
// command. The error states the most similar name.
Status CheckCommandName(const CLI::App& app);
// Returns INVALID_ARGUMENT if a word that `app` could not parse begins like an option. The error
// states the most similar option.
Status CheckOptionNames(const CLI::App& app);
// Returns `; the nearest is ...` for a word that is not an option of `command` or of the commands
// around it, or an empty text.
std::string HintAtOption(const CLI::App& command, std::string_view word);

// The words MODEL, FUNCTION, and ARGS of a command that makes calls.
class CallWords {
 public:
  explicit CallWords(CLI::App& command);
  CallWords(const CallWords&) = delete;  // the parser writes to its members
  CallWords& operator=(const CallWords&) = delete;
  // Adds the option --priority.
  void AddPriority();
  StatusOr<CallSpec> Parse() const;
  // Adds a hint to the error of a call if an argument is the name of a file without `@`.
  Status WithFileHint(const Status& status) const;

 private:
  CLI::App& command_;
  std::string priority_;
  std::string model_;
  std::string function_;
  bool strict_ = false;
};

}  // namespace signet
