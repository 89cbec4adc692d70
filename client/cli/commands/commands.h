// Commands: the verbs of `signet`, one per file: client/cli/commands/<verb>.cc.
//
// Each adds its subcommand to the app and, when that is chosen, sets the exit code:
// 0 done; 1 the call was refused, or the server does not serve; 2 usage; 3 unreachable or too late.

#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "client/lib/service_client.h"

namespace signet {

inline constexpr int kUsage = 2;

// What all verbs share.
struct Session {
  std::string address = "localhost:8500";  // --address, SIGNET_ADDRESS
  double timeout = 30;                     // --timeout, seconds
  int exit_code = 0;

  ServiceClient Connect() const {
    return ServiceClient(address, std::chrono::milliseconds(static_cast<int64_t>(timeout * 1000)));
  }
  // Prints a refusal and sets the exit code.
  void Refuse(const Status& status);
  // The same for a command line that makes no sense.
  void RefuseUsage(const Status& status);
};

void AddCall(CLI::App& app, Session& session);
void AddList(CLI::App& app, Session& session);
void AddDescribe(CLI::App& app, Session& session);
void AddExplain(CLI::App& app, Session& session);
void AddStatus(CLI::App& app, Session& session);
void AddCheck(CLI::App& app, Session& session);
void AddInspect(CLI::App& app, Session& session);
void AddImport(CLI::App& app, Session& session);
void AddOps(CLI::App& app, Session& session);
void AddBench(CLI::App& app, Session& session);
void AddCompletion(CLI::App& app, Session& session);

// All of them.
void AddCommands(CLI::App& app, Session& session);
// Refuses a word in the place of a verb that is none, once `app` has parsed; names the nearest.
Status CheckVerb(const CLI::App& app);

// MODEL, FUNCTION and ARGS of a verb that calls: `signet call MODEL FUNCTION [ARGS...]`.
class CallWords {
 public:
  explicit CallWords(CLI::App& command);
  CallWords(const CallWords&) = delete;  // the parser writes to its members
  CallWords& operator=(const CallWords&) = delete;
  StatusOr<CallSpec> Parse() const;

 private:
  CLI::App& command_;
  std::string model_;
  std::string function_;
  bool strict_ = false;
};

}  // namespace signet
