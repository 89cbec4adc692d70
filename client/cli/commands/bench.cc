// signet bench: repeats one call and prints its rate and latencies.

#include <cstdio>
#include <iostream>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "client/cli/commands/commands.h"
#include "client/cli/escaped_output.h"
#include "client/cli/load.h"
#include "client/cli/table.h"

namespace signet {
namespace {

constexpr std::pair<const char*, double> kPercentiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}};

struct BenchCommand {
  explicit BenchCommand(CLI::App& verb) : words(verb) {}

  CallWords words;
  LoadOptions load = {};
  int retries = 0;
  double seconds = 5;
  bool json = false;
};

std::string Fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, number);
  return text;
}

double RateOf(const LoadReport& report) {
  double seconds = report.elapsed.count();
  return seconds > 0 ? static_cast<double>(report.answered.load()) / seconds : 0;
}

std::string RenderReport(const LoadReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"calls", Cat(report.answered.load())},
      {"failed", Cat(report.failed.load())},
      {"seconds", Fixed(report.elapsed.count(), 2)},
      {"calls/s", Fixed(RateOf(report), 0)},
  };
  for (const auto& [name, fraction] : kPercentiles) {
    rows.push_back({name, Cat(Fixed(report.latencies.Percentile(fraction), 3), " ms")});
  }
  return AlignColumns(rows);
}

std::string RenderJson(const LoadReport& report) {
  nlohmann::ordered_json out;
  out["calls"] = report.answered.load();
  out["failed"] = report.failed.load();
  out["seconds"] = report.elapsed.count();
  out["calls_per_second"] = RateOf(report);
  for (const auto& [name, fraction] : kPercentiles) {
    out["latency_ms"][name] = report.latencies.Percentile(fraction);
  }
  return out.dump() + "\n";
}

void Run(const BenchCommand& command, Session& session) {
  auto call = command.words.Parse();
  if (!call.ok()) return session.FailUsage(call.status());
  LoadOptions options = command.load;
  options.duration = std::chrono::duration<double>(command.seconds);
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(session.timeout * 1000));
  options.client = session.client;
  options.client.max_attempts = command.retries + 1;
  options.priority = call->priority;
  bool show_progress = isatty(STDERR_FILENO) != 0;
  LoadReport report;
  RunLoad(session.address, RequestOf(*call), options, report, [&](const LoadReport& so_far) {
    if (!show_progress) return;
    WriteControls(std::cerr, "\r");
    std::cerr << Fixed(so_far.elapsed.count(), 0) << " s, " << Fixed(RateOf(so_far), 0)
              << " calls/s, p99 " << Fixed(so_far.latencies.Percentile(0.99), 3) << " ms    ";
  });
  if (show_progress) std::cerr << "\n";
  if (report.answered.load() == 0 && !report.first_error.ok()) {
    return session.Fail(command.words.WithFileHint(report.first_error));
  }
  std::cout << (command.json ? RenderJson(report) : RenderReport(report));
  if (!report.first_error.ok()) session.Fail(report.first_error);
}

}  // namespace

void AddBench(CLI::App& app, Session& session) {
  auto* verb =
      app.add_subcommand("bench", "Send a call repeatedly and measure throughput and latency");
  auto command = std::make_shared<BenchCommand>(*verb);
  verb->add_option("--concurrency", command->load.concurrency,
                   "Number of calls in progress at a time")
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--channels", command->load.channels,
                   "Number of connections over which the calls are distributed")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--rate", command->load.rate,
                   "Calls per second, sent on a schedule; 0 sends a call when another one ends")
      ->check(CLI::Range(0.0, 1e7).description(""))
      ->type_name("N");
  verb->add_option("--retries", command->retries,
                   "How often a call is sent again if a server cannot be reached or is stopping")
      ->check(CLI::Range(0, 4).description(""))
      ->type_name("N")
      ->capture_default_str();
  command->words.AddPriority();
  verb->add_option("--duration", command->seconds, "Duration of the measurement")
      ->check(CLI::Range(0.01, 86400.0).description(""))
      ->type_name("SECONDS")
      ->capture_default_str();
  verb->add_flag("--json", command->json, "Print the report as JSON");
  verb->footer(
      Cat("With --rate, latency is measured from the scheduled time of a call, not from the time "
          "it was sent.\n"
          "\n"
          "Examples:\n"
          "  signet bench half_plus_two predict '[1.0, 2.0]' --concurrency 64\n"
          "  signet bench recipes score @examples/recipes/toast.json "
          "@examples/recipes/sweet_tooth.json --rate 500\n"
          "\n",
          verb->get_footer()));
  verb->callback([command, &session] { Run(*command, session); });
}

}  // namespace signet
