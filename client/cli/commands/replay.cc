// signet replay: sends recorded calls again.

#include "client/cli/replay.h"

#include <charconv>
#include <cstdio>
#include <iostream>

#include "client/cli/commands/commands.h"
#include "client/cli/table.h"
#include "client/lib/errors.h"

namespace signet {
namespace {

struct ReplayCommand {
  std::string file;
  std::string rate = "original";
  ReplayOptions options = {};
};

StatusOr<double> ParseRate(const std::string& text) {
  if (text == "original") return 0.0;
  double rate = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && rate > 0 && rate <= 1e7) {
    return rate;
  }
  return InvalidArgument("--rate: expected `original` or calls per second, such as 500; found `",
                         Printable(text), "`");
}

std::string Digits(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, number);
  return text;
}

std::string RenderReplay(const ReplayReport& report, bool compare) {
  const double seconds = report.elapsed.count();
  std::vector<std::vector<std::string>> rows = {
      {"calls", Cat(report.sent)},
      {"failed", Cat(report.failed)},
      {"seconds", Digits(seconds, 2)},
      {"calls/s", Digits(seconds > 0 ? static_cast<double>(report.sent) / seconds : 0, 0)},
      {"p50", Cat(Digits(report.latencies.Percentile(0.5), 3), " ms")},
      {"p99", Cat(Digits(report.latencies.Percentile(0.99), 3), " ms")},
      {"latest", Cat(Digits(report.latest.count() * 1000, 3), " ms after its time")},
  };
  if (compare) {
    rows.push_back({"equal", Cat(report.equal)});
    rows.push_back({"different", Cat(report.different)});
    rows.push_back({"not compared", Cat(report.not_compared)});
  }
  return AlignColumns(rows);
}

void RunReplayCommand(const ReplayCommand& command, Session& session) {
  auto rate = ParseRate(command.rate);
  if (!rate.ok()) return session.FailUsage(rate.status());
  auto calls = RecordedCallReader::Open(command.file);
  if (!calls.ok()) return session.FailUsage(calls.status());
  ReplayOptions options = command.options;
  options.rate = *rate;
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(session.timeout * 1000));
  options.client = session.client;
  ReplayReport report;
  Status read = RunReplay(session.address, *calls, options, report);
  if (report.sent > 0) {
    if (report.failed == report.sent && absl::IsUnavailable(report.first_error)) {
      return session.Fail(WithReason(kNotConnected, report.first_error));
    }
    std::cout << RenderReplay(report, options.compare);
    for (const std::string& difference : report.differences) std::cout << difference << "\n";
    if (options.compare && report.different > 0) session.exit_code = 1;
  }
  if (!read.ok()) session.Fail(At(command.file, read));
}

}  // namespace

void AddReplay(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand(
      "replay",
      "Send the calls of a file again, which signet-server --capture_requests has written");
  auto command = std::make_shared<ReplayCommand>();
  verb->add_option("FILE", command->file, "File of recorded calls")->required();
  verb->add_option("--rate", command->rate,
                   "Calls per second, or `original` for the times at which they were recorded")
      ->type_name("RATE")
      ->capture_default_str();
  verb->add_flag("--compare", command->options.compare,
                 "Compare each response with the recorded one; exit code 1 if one is different");
  verb->add_option("--concurrency", command->options.concurrency,
                   "Maximum number of calls in progress at a time")
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->footer(
      "Examples:\n"
      "  signet replay calls.rec --compare\n"
      "  signet replay calls.rec --rate 500 --address staging:8500");
  verb->callback([command, &session] { RunReplayCommand(*command, session); });
}

}  // namespace signet
