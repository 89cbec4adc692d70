#include "server/options.h"

#include <charconv>
#include <climits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/runtime/thread_pool.h"
#include "server/memory_limits.h"
#include "signet/cat.h"

namespace signet {
namespace {

constexpr char kAbout[] =
    "signet-server: serves the typed tensor functions of a folder of models over gRPC.\n";

constexpr char kMore[] =
    "Examples:\n"
    "  signet-server --models examples/models\n"
    "  signet-server --models /models --listen 127.0.0.1:0 --port_file /run/signet.port\n"
    "  signet-server --models /models --unix_socket /run/signet.sock --log_format json\n"
    "\n"
    "Sizes take units: 64MB, 1GB. After SIGTERM, the server finishes its calls and exits. A "
    "second\n"
    "signal ends it at once, if it comes at least one second after the first.\n"
    "docs/reference/server.md tells more.";

// `host:port`; gRPC resolves the host.
std::string CheckAddress(const std::string& address) {
  size_t colon = address.rfind(':');
  int port = -1;
  if (colon != std::string::npos && colon > 0) {
    const char* end = address.data() + address.size();
    auto read = std::from_chars(address.data() + colon + 1, end, port);
    if (read.ec != std::errc() || read.ptr != end) port = -1;
  }
  if (port >= 0 && port <= 65535) return "";
  return Cat("`", Printable(address), "` is no address; takes HOST:PORT, such as 0.0.0.0:8500");
}

// A size in bytes, with or without a unit.
template <class Number>
void AddBytes(CLI::App& app, const std::string& name, Number& value, const std::string& help,
              int64_t most = INT_MAX) {
  app.add_option(name, value, help)
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(int64_t{1}, most).description(""))
      ->type_name("BYTES")
      ->capture_default_str();
}

template <class Number>
void AddNumber(CLI::App& app, const std::string& name, Number& value, int64_t least, int64_t most,
               const std::string& help) {
  app.add_option(name, value, help)
      ->check(CLI::Range(least, most).description(""))
      ->type_name("N")
      ->capture_default_str();
}

// One of a few names. The help and the error list them; `value` has one of them already.
template <class Choice>
void AddChoice(CLI::App& app, const std::string& name, Choice& value,
               std::vector<std::pair<std::string, Choice>> choices, const std::string& help) {
  std::vector<std::string> names;
  std::string usual;
  for (const auto& [text, choice] : choices) {
    names.push_back(text);
    if (choice == value) usual = text;
  }
  std::string list = Join(names, ", ");
  app.add_option_function<std::string>(
         name,
         [&value, name, list, choices = std::move(choices)](const std::string& text) {
           for (const auto& [known, choice] : choices) {
             if (text == known) {
               value = choice;
               return;
             }
           }
           throw CLI::ValidationError(
               name, Cat("expected one of ", list, "; found `", Printable(text), "`"));
         },
         Cat(help, ": ", list))
      ->type_name("NAME")
      ->default_str(usual);
}

void AddServing(CLI::App& app, ServerOptions& options) {
  app.add_option("--models", options.models, "Folder of models, NAME/VERSION/...")
      ->type_name("DIR")
      ->required();
  app.add_option("--listen", options.listen, "Address; port 0 picks one and prints it")
      ->check(CheckAddress)
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option("--unix_socket", options.unix_socket, "Also listen here; cheaper for small calls")
      ->type_name("PATH");
  app.add_option("--port_file", options.port_file, "Write the port here once calls are taken")
      ->type_name("PATH");
  AddChoice(app, "--ready", options.ready, {{"any", ReadyPolicy::kAny}, {"all", ReadyPolicy::kAll}},
            "Models that must load before health is SERVING");
  AddNumber(app, "--compute_threads", options.compute_threads, 0, 1024,
            "Threads for large calls; 0: one a processor");
  AddBytes(app, "--memory", options.memory,
           "Memory to fit the limits below into; without it, that of the container", LLONG_MAX);
  AddNumber(app, "--drain_seconds", options.drain_seconds, 0, 3600,
            "Time for calls in flight after SIGTERM");
}

void AddLimits(CLI::App& app, Limits& limits, FunctionOptions& function) {
  AddBytes(app, "--max_message_bytes", limits.message_bytes, "One request or response");
  // At most as many as sums of a few sizes, and sizes in bytes, can count.
  AddNumber(app, "--max_tensor_elements", limits.tensor_elements, 1, int64_t{1} << 48,
            "One tensor");
  AddNumber(app, "--max_rank", limits.rank, 1, 64, "Dimensions of one tensor");
  AddNumber(app, "--max_nesting_depth", limits.nesting_depth, 1, 64, "Values within values");
  AddNumber(app, "--max_names", limits.names, 1, INT_MAX,
            "Keywords, keys, fields and plain values of one request");
  AddBytes(app, "--max_expanded_bytes", limits.expanded_bytes, "All values of one request, decoded",
           LLONG_MAX);
  AddNumber(app, "--max_concrete_functions", function.max_concrete_functions, 1, INT_MAX,
            "Specialisations kept for one function");
  AddBytes(app, "--max_function_bytes", function.max_function_bytes,
           "Memory kept for the specializations of one function", LLONG_MAX);
  AddBytes(app, "--max_cache_bytes", function.max_cache_bytes,
           "Memory kept for the specializations of all functions", LLONG_MAX);
  AddNumber(app, "--max_loop_steps", function.max_loop_steps, 1, LLONG_MAX,
            "Steps of loops in one call");
  AddBytes(app, "--max_call_bytes", function.max_call_bytes,
           "Intermediates and results that one call holds at once", LLONG_MAX);
}

void AddTransport(CLI::App& app, TransportLimits& limits) {
  AddBytes(app, "--max_metadata_bytes", limits.metadata_bytes, "All headers of one call");
  AddNumber(app, "--max_concurrent_calls", limits.concurrent_calls, 1, INT_MAX,
            "On one connection");
  AddNumber(app, "--max_stream_calls", limits.stream_calls, 1, INT_MAX,
            "In flight on one CallStream");
  AddNumber(app, "--max_queued_calls", limits.queued_calls, 1, INT_MAX,
            "Calls that wait for a thread; more are rejected");
  AddBytes(app, "--max_received_bytes", limits.received_bytes,
           "Requests that are received in part or not yet answered, of all connections", LLONG_MAX);
  AddBytes(app, "--max_unread_bytes", limits.unread_bytes,
           "Responses that clients have not read, of all connections", LLONG_MAX);
  AddBytes(app, "--max_connection_unread_bytes", limits.connection_unread_bytes,
           "Responses that clients have not read, of one connection", LLONG_MAX);
  AddNumber(app, "--max_connections", limits.connections, 0, INT_MAX,
            "Open at once; 0: what the limit of open files allows");
  AddNumber(app, "--stall_seconds", limits.stall_seconds, 1, 86400,
            "A connection that sends or reads a message below 1 KiB/s for so long is closed");
  AddNumber(app, "--max_idle_seconds", limits.idle_seconds, 1, INT_MAX / 1000,
            "A connection without calls is closed");
  AddNumber(app, "--keepalive_seconds", limits.keepalive_seconds, 1, INT_MAX / 1000,
            "Silence before a peer is asked whether it is there");
  AddNumber(app, "--handshake_seconds", limits.handshake_seconds, 1, INT_MAX / 1000,
            "Time for a connection to speak HTTP/2");
}

void AddLogging(CLI::App& app, ServerOptions& options) {
  AddChoice(app, "--log_level", options.log_level,
            {{"debug", LogLevel::kDebug},
             {"info", LogLevel::kInfo},
             {"warning", LogLevel::kWarning},
             {"error", LogLevel::kError},
             {"off", LogLevel::kOff}},
            "Least severe events to log");
  AddChoice(app, "--log_format", options.log_format,
            {{"text", LogFormat::kText}, {"json", LogFormat::kJson}}, "Form of each line");
}

}  // namespace

std::optional<int> ParseOptions(int argc, const char* const* argv, ServerOptions& options) {
  CLI::App app(kAbout, "signet-server");
  app.footer(kMore);
  app.set_version_flag("--version", SIGNET_VERSION);
  app.get_formatter()->column_width(36);
  AddServing(app, options);
  auto* limits = app.add_option_group("Limits of requests", "each is published to clients");
  AddLimits(*limits, options.limits, options.function);
  AddTransport(*app.add_option_group("Limits of connections"), options.transport);
  AddLogging(*app.add_option_group("Log"), options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (app.get_option("--memory")->count() == 0) options.memory = AvailableMemory();
  auto is_set = [&app](std::string_view flag) {
    return app.get_option(std::string(flag))->count() > 0;
  };
  int threads = options.compute_threads > 0 ? options.compute_threads : AvailableProcessors();
  FitToMemory(options.memory, threads, is_set, options);
  return std::nullopt;
}

}  // namespace signet
