// signet call: calls a function and prints the result.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <unistd.h>

#include "client/cli/arguments.h"
#include "client/cli/commands/commands.h"
#include "client/cli/commands/explanation.h"
#include "client/cli/escaped_output.h"
#include "client/cli/feed.h"
#include "client/cli/table.h"
#include "core/formats/json/json.h"

namespace signet {
namespace {

constexpr Limits kPrinted = {.message_bytes = int64_t{1} << 32};

struct CallCommand {
  explicit CallCommand(CLI::App& verb) : words(verb) {}

  CallWords words;
  bool table = false;
  bool explain = false;
  bool pretty = false;
  bool timing = false;
  std::string in;   // FILE or NAME=FILE
  std::string out;  // FILE
  RowSourceOptions rows;
};

constexpr std::string_view kClearLine = "\r\x1b[K";

// Draws the progress through a file on a terminal, a few times per second.
class ProgressBar {
 public:
  ProgressBar(std::string name, const RowSource& source)
      : name_(std::move(name)), source_(source), is_shown_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressBar() { Clear(); }
  void Clear() {
    if (is_shown_) WriteControls(std::cerr, kClearLine);
  }
  void Draw() {
    auto now = std::chrono::steady_clock::now();
    if (!is_shown_ || now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    std::chrono::duration<double> seconds = now - start_;
    WriteControls(std::cerr, kClearLine);
    std::cerr << RenderProgress(name_, source_, seconds.count()) << std::flush;
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  const std::string name_;
  const RowSource& source_;
  const bool is_shown_;
  const Time start_ = std::chrono::steady_clock::now();
  Time drawn_;
};

StatusOr<std::unique_ptr<RowSink>> OpenSink(const CallCommand& command, bool is_single) {
  if (command.table) return MakeTableSink();
  return OpenRowSink(command.out.empty() ? "-" : command.out,
                     {is_single, command.rows.message_type});
}

// Reports that a sink cannot be opened. A wrong name of the file is an error of the command line; a
// file that cannot be written is not.
void FailSink(const Status& status, Session& session) {
  if (absl::IsInvalidArgument(status)) return session.FailUsage(status);
  session.Fail(status);
}

// Formats `decode=0.000012;run=0.000100` as lines, in milliseconds.
std::string RenderStageTimes(std::string_view times) {
  std::vector<std::vector<std::string>> rows;
  while (!times.empty()) {
    const size_t end = std::min(times.find(';'), times.size());
    const std::string item(times.substr(0, end));
    times.remove_prefix(std::min(end + 1, times.size()));
    const size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    char text[32];
    std::snprintf(text, sizeof(text), "%.3f ms",
                  std::strtod(item.c_str() + equals + 1, nullptr) * 1000);
    rows.push_back({Printable(item.substr(0, equals)), text});
  }
  return AlignColumns(rows);
}

// Rejects options that are mutually exclusive.
Status CheckFiles(const CallCommand& command) {
  if (command.table && !command.out.empty()) {
    return InvalidArgument("--table and --out are mutually exclusive");
  }
  if (command.timing && !(command.in.empty() && command.out.empty())) {
    return InvalidArgument("--timing and --in or --out are mutually exclusive");
  }
  std::string in = SplitKeyword(command.in).second;
  std::error_code ignored;
  if (in != "-" && std::filesystem::equivalent(in, command.out, ignored) &&
      std::filesystem::is_regular_file(in, ignored)) {
    return InvalidArgument("--in and --out: expected different files, found `", Printable(in),
                           "` for both");
  }
  return absl::OkStatus();
}

// Ends the process with a message when the user presses Ctrl-C, while results are written to a
// file.
class InterruptMessage {
 public:
  explicit InterruptMessage(const std::string& out) {
    Text() = "\nsignet: interrupted";
    if (std::error_code ignored; std::filesystem::exists(out + ".part", ignored)) {
      Text() += Cat("; `", Printable(out), ".part` has the results so far");
    }
    Text() += "\n";
    before_ = std::signal(SIGINT, [](int) {
      [[maybe_unused]] ssize_t written = write(STDERR_FILENO, Text().data(), Text().size());
      _exit(128 + SIGINT);
    });
    if (before_ == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // a process in the background
  }
  ~InterruptMessage() { std::signal(SIGINT, before_); }
  InterruptMessage(const InterruptMessage&) = delete;
  InterruptMessage& operator=(const InterruptMessage&) = delete;

 private:
  static std::string& Text() {
    static auto* text = new std::string;
    return *text;
  }

  void (*before_)(int) = SIG_DFL;
};

// Calls the function with the rows of a file, and writes the results to a file or standard output.
void RunFile(const CallCommand& command, const CallSpec& call, ServiceClient& client,
             Session& session) {
  auto [name, path] = SplitKeyword(command.in);
  auto source = OpenRowSource(path, command.rows);
  if (!source.ok()) return session.FailUsage(source.status());
  auto parameters = FindRowParameters(client, call, name.value_or(""));
  if (!parameters.ok()) return session.Fail(parameters.status());
  (*source)->SetType(parameters->rows_type(), parameters->field_names());
  auto sink = OpenSink(command, (*source)->is_whole());
  if (!sink.ok()) return FailSink(sink.status(), session);
  const InterruptMessage interrupt(command.out);
  ProgressBar bar(path, **source);
  FeedEvents events{.on_result = [&] { bar.Draw(); },
                    .on_lost =
                        [&](int64_t row, const Status& cause) {
                          bar.Clear();
                          std::cerr << "signet: the connection was lost; continuing with row "
                                    << row << ": " << MessageOf(cause) << "\n";
                        }};
  Status done = Feed(client, call, *parameters, path, **source, **sink, events);
  if (!done.ok()) session.Fail(done);
}

// Makes one call and writes its result to a file.
Status CallToFile(CallSpec call, ServiceClient& client, RowSink& sink) {
  call.result_format = sink.format();
  SIGNET_ASSIGN_OR_RETURN(CallAnswer answer, client.Call(call));
  SIGNET_RETURN_IF_ERROR(sink.Write(answer.encoded));
  return sink.Finish();
}

void Run(const CallCommand& command, Session& session) {
  auto call = command.words.Parse();
  if (!call.ok()) return session.FailUsage(call.status());
  if (Status files = CheckFiles(command); !files.ok()) return session.FailUsage(files);
  ServiceClient client = session.Connect();
  if (command.explain) {
    auto explanation = client.Explain(*call);
    if (!explanation.ok()) return session.Fail(command.words.WithFileHint(explanation.status()));
    std::cerr << RenderExplanation(*explanation, false) << "\n";
  }
  if (!command.in.empty()) return RunFile(command, *call, client, session);
  if (!command.out.empty()) {
    auto sink = OpenSink(command, /*is_single=*/true);
    if (!sink.ok()) return FailSink(sink.status(), session);
    if (Status done = CallToFile(*call, client, **sink); !done.ok()) {
      session.Fail(command.words.WithFileHint(done));
    }
    return;
  }
  call->wants_stage_times = command.timing;
  auto answer = client.Call(*call);
  if (!answer.ok()) return session.Fail(command.words.WithFileHint(answer.status()));
  const bool pretty = !command.table && (command.pretty || isatty(STDOUT_FILENO) != 0);
  auto text = JsonFromValue(answer->result, kPrinted, {.indent = pretty ? 2 : 0});
  if (!text.ok()) {
    return session.Fail(ResourceExhausted("the result exceeds the limit of ",
                                          kPrinted.message_bytes,
                                          " bytes of JSON; write it in a shorter format, for "
                                          "example with --out result.arrow"));
  }
  std::cout << (command.table ? RenderJsonTable(*text) : *text + "\n");
  if (!command.timing) return;
  std::cout.flush();
  std::cerr << (answer->stage_times.empty()
                    ? "signet: the server does not report the times of stages\n"
                    : RenderStageTimes(answer->stage_times));
}

}  // namespace

void AddCall(CLI::App& app, Session& session) {
  auto* verb = app.add_subcommand("call", "Call a function and print the result as JSON");
  auto command = std::make_shared<CallCommand>(*verb);
  verb->add_flag("--table", command->table, "Print the result as rows and columns");
  verb->add_flag("--pretty", command->pretty,
                 "Print JSON over several lines, which is the default on a terminal");
  verb->add_flag("--explain", command->explain, "First print how the call is bound and dispatched");
  verb->add_flag("--timing", command->timing,
                 "Then print the time that the server spent in each stage of the call");
  verb->add_option("--in", command->in,
                   "Call with the rows of a file: .ndjson, .csv, .arrow, .pb, .json, or -")
      ->type_name("[NAME=]FILE");
  verb->add_option("--out", command->out,
                   "Write the results to a file: .ndjson, .csv, .arrow, .pb, .json, or -")
      ->type_name("FILE");
  verb->add_option("--rows", command->rows.rows, "Number of rows of --in to send in one call")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40).description(""))
      ->capture_default_str();
  command->words.AddPriority();
  verb->add_option("--message_type", command->rows.message_type,
                   "Message type of the rows in a .pb file, such as shop.Order")
      ->type_name("NAME");
  verb->footer(
      Cat("Examples:\n"
          "  signet call half_plus_two predict '[1.0, 2.0, 5.0]'\n"
          "  signet call recipes best @examples/recipes/recipes.json "
          "@examples/recipes/sweet_tooth.json count=5 --table\n"
          "  cat examples/recipes/toast.json | signet call recipes/1 score - "
          "@examples/recipes/sweet_tooth.json\n"
          "  signet call weather --in examples/weather/days.csv --table\n"
          "\n",
          verb->get_footer()));
  verb->callback([command, &session] { Run(*command, session); });
}

}  // namespace signet
