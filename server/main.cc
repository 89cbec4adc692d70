// signet-server: serves the models of a directory until a signal stops it.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

#include "server/observability/log.h"
#include "server/options.h"
#include "server/process.h"
#include "server/server.h"
#include "server/stop_signals.h"

namespace {

constexpr std::chrono::seconds kIdleCheckInterval(2);
constexpr std::chrono::milliseconds kFlushTime(200);  // for the last lines of the log

// Logs why the server does not run, and returns its exit code.
int FailToStart(const absl::Status& status) {
  signet::Log(signet::LogLevel::kError, "not serving",
              {{"reason", std::string(signet::MessageOf(status))}});
  signet::FlushLog(kFlushTime);
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  signet::ServerOptions options;
  if (auto exit_code = signet::ParseOptions(argc, argv, options)) return *exit_code;
  signet::ReportFatalErrors();
  signet::TuneAllocator(options.memory);
  signet::DisableDeadlockSearch();
  signet::RaiseFileLimit();
  signet::IgnoreBrokenPipes();
  static signet::StopSignals stop;  // its thread never ends
  if (auto status = signet::ConfigureLog(options.observability.log); !status.ok()) {
    return FailToStart(status);
  }
  stop.OnSignal(SIGUSR1, signet::ReopenLogFiles);

  signet::Server server(options);
  // Draining begins as with a signal.
  server.OnDrainRequest([] { ::kill(::getpid(), SIGTERM); });
  if (auto status = server.LoadModels(); !status.ok()) return FailToStart(status);
  stop.BeginServing();  // a signal that comes while the server starts drains it, too
  if (auto status = server.Start(); !status.ok()) return FailToStart(status);
  while (!stop.WaitFor(kIdleCheckInterval)) {
    if (stop.TakeHangup()) {
      server.ReloadFiles();
    } else {
      server.ReleaseMemoryWhenIdle();
    }
  }
  server.Drain();
  signet::FlushLog(kFlushTime);
  return EXIT_SUCCESS;
}
