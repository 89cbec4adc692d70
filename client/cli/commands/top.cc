// signet top: shows what a server does, live.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <unistd.h>

#include "client/cli/commands/commands.h"
#include "client/cli/escaped_output.h"
#include "client/cli/top/http_get.h"
#include "client/cli/top/top_frame.h"

namespace signet {
namespace {

using std::chrono::steady_clock;

struct TopCommand {
  std::string http = "localhost:8501";
  double interval = 2;
  size_t rows = 30;
  bool once = false;
};

struct Reading {
  MetricsText metrics;
  steady_clock::time_point time;
};

StatusOr<Reading> ReadMetrics(const TopCommand& command, const ClientOptions& options) {
  Reading out;
  SIGNET_ASSIGN_OR_RETURN(std::string page, HttpGet(command.http, "/metrics", options));
  out.time = steady_clock::now();
  SIGNET_ASSIGN_OR_RETURN(out.metrics, MetricsText::Parse(page));
  return out;
}

// Prints frames until a reading fails, or one frame with --once.
Status ShowFrames(const TopCommand& command, const ClientOptions& options) {
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  SIGNET_ASSIGN_OR_RETURN(Reading before, ReadMetrics(command, options));
  while (true) {
    std::this_thread::sleep_for(std::chrono::duration<double>(command.interval));
    SIGNET_ASSIGN_OR_RETURN(Reading after, ReadMetrics(command, options));
    const std::chrono::duration<double> seconds = after.time - before.time;
    const std::string frame = RenderTopFrame(before.metrics, after.metrics, seconds.count(),
                                             {.address = command.http, .rows = command.rows});
    if (is_terminal && !command.once)
      WriteControls(std::cout, "\x1b[H\x1b[J");  // clears the screen
    std::cout << frame << (is_terminal || command.once ? "" : "\n") << std::flush;
    if (command.once || !std::cout.good()) return absl::OkStatus();
    before = std::move(after);
  }
}

}  // namespace

void AddTop(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand(
      "top", "Show calls, latencies, and memory of each function, live, from --http_listen");
  auto command = std::make_shared<TopCommand>();
  if (const char* http = std::getenv("SIGNET_HTTP_ADDRESS")) command->http = http;
  verb->add_option("--http", command->http,
                   "Address of --http_listen of the server; the variable SIGNET_HTTP_ADDRESS sets "
                   "it, too. https:// or http:// before it takes precedence over the TLS options")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  verb->add_option("--interval", command->interval, "Time between two frames")
      ->check(CLI::Range(0.05, 3600.0).description(""))
      ->type_name("SECONDS")
      ->capture_default_str();
  verb->add_option("--rows", command->rows, "Number of functions")
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->add_flag("--once", command->once, "Print one frame and exit");
  verb->footer(
      "Examples:\n"
      "  signet top\n"
      "  signet top --once --interval 0.5\n"
      "  signet top --http https://signet.example.com:8501 --ca ca.pem --token_file token");
  verb->callback([command, &session] {
    Status shown = ShowFrames(*command, session.MakeClientOptions());
    if (shown.ok()) return;
    session.Fail(shown);
    if (shown.code() != absl::StatusCode::kUnavailable || ReasonOf(shown) == kTlsFailed) return;
    std::cerr << "  start the server with `--http_listen 127.0.0.1:8501`, and set its address with "
                 "--http or SIGNET_HTTP_ADDRESS\n";
  });
}

}  // namespace signet
