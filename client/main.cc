// signet: the command line of Signet.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <system_error>

#include "client/cli/commands/commands.h"

namespace {

// The exit code of a command that has ended with `exit_code`: output that did not arrive is a fault
// too. One whose reader has gone, as that of `| head` does, is told nothing.
int CloseOutput(int exit_code) {
  std::cout.flush();
  bool is_written = std::cout.good() && std::fclose(stdout) == 0;
  if (is_written || exit_code != 0) return exit_code;
  if (errno != EPIPE) {
    std::cerr << "signet: the output could not be written: "
              << std::generic_category().message(errno) << "\n";
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("signet: calls typed tensor functions on a Signet server.\n", "signet");
  app.set_version_flag("--version", SIGNET_VERSION);
  app.footer(
      "`signet VERB --help` tells more. Exit codes: 0 done; 1 refused, or not serving; 2 usage;\n"
      "3 the server was not reached in time.\n"
      "\n"
      "Examples:\n"
      "  signet list\n"
      "  signet describe recipes\n"
      "  signet call half_plus_two predict '[1.0, 2.0, 5.0]'\n"
      "  SIGNET_ADDRESS=unix:/run/signet.sock signet status --wait 30");
  signet::Session session;
  if (const char* address = std::getenv("SIGNET_ADDRESS")) session.address = address;
  signet::AddCommands(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    signet::Status verb = signet::CheckVerb(app);
    if (!verb.ok() && error.get_name() == "RequiredError") {
      session.RefuseUsage(verb);
    } else {
      session.exit_code = app.exit(error) == 0 ? 0 : signet::kUsage;
    }
  }
  return CloseOutput(session.exit_code);
}
