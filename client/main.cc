// signet: the command-line client of Signet.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <system_error>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/escaped_output.h"

namespace {

// Writes the remaining output and returns the exit code of a command that ended with `exit_code`:
// output that cannot be written is an error, too. Prints no error if the reader of a pipe has
// ended, as in `| head`.
int CloseOutput(int exit_code) {
  std::cout.flush();
  bool is_written = std::cout.good() && std::fclose(stdout) == 0;
  if (is_written || exit_code != 0) return exit_code;
  if (errno != EPIPE) {
    std::cerr << "signet: cannot write the output: " << std::generic_category().message(errno)
              << "\n";
  }
  return 1;
}

int Run(int argc, char** argv) {
  const signet::EscapedOutput escaped;
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);  // errors of gRPC are part of the statuses
  CLI::App app("signet: calls functions on a Signet server and inspects models.\n", "signet");
  app.set_version_flag("--version", SIGNET_VERSION);
  signet::Session session;
  signet::AddCommands(app, session);
  // After the commands, which would inherit it.
  app.footer(
      "`signet COMMAND --help` prints the options of a command.\n"
      "Exit codes: 0 success; 1 the call or the model was rejected, or the server is not serving;\n"
      "2 the command line is wrong; 3 no server answered in time.\n"
      "\n"
      "Examples:\n"
      "  signet list\n"
      "  signet describe recipes\n"
      "  signet call half_plus_two predict '[1.0, 2.0, 5.0]'\n"
      "  SIGNET_ADDRESS=unix:/run/signet.sock signet status --wait 30");
  std::vector<char*> words(argv, argv + argc);
  // The arguments of a call may begin with a dash: `signet call m f -- -3` is `signet call m f -3`.
  if (auto dashes = std::find(words.begin(), words.end(), std::string_view("--"));
      dashes != words.end()) {
    words.erase(dashes);
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    signet::Status verb = signet::CheckCommandName(app);
    signet::Status options = signet::CheckOptionNames(app);
    // `signet --adress host:1 list` begins with the option, so that `host:1` seems to be a command.
    const bool is_option = argc > 1 && std::string_view(argv[1]).starts_with("--");
    if (!verb.ok() && error.get_name() == "RequiredError" && (options.ok() || !is_option)) {
      session.FailUsage(verb);
    } else if (!options.ok() && error.get_exit_code() != 0) {
      session.FailUsage(options);
    } else {
      session.exit_code = app.exit(error) == 0 ? 0 : signet::kUsage;
    }
  }
  return CloseOutput(session.exit_code);
}

}  // namespace

// Threads of gRPC may still run. The destructors of static objects, which they use, are not called.
int main(int argc, char** argv) { std::_Exit(Run(argc, argv)); }
