#include "server/options.h"

#include <charconv>
#include <climits>
#include <iostream>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/base/nearest_name.h"
#include "core/model/model_name.h"
#include "core/runtime/thread_pool.h"
#include "core/serving/repository/model_settings.h"
#include "server/http/cors.h"
#include "server/http/site_check.h"
#include "server/memory_limits.h"
#include "signet/cat.h"

namespace signet {
namespace {

constexpr char kAbout[] =
    "signet-server: serves the functions of the models in a directory over gRPC.\n";

constexpr char kMore[] =
    "Examples:\n"
    "  signet-server --models examples/models\n"
    "  signet-server --models /models --listen 127.0.0.1:0 --port_file /run/signet.port\n"
    "  signet-server --models /models --unix_socket /run/signet.sock --log_format json\n"
    "\n"
    "Sizes may have a unit, such as 64MB or 1GB. After SIGTERM, the server finishes its calls and\n"
    "exits. A second signal, at least one second later, ends it at once.\n"
    "docs/reference/server.md explains each flag.";

// Returns an error text, or nothing if `address` has the form `host:port`.
std::string CheckAddress(const std::string& address) {
  size_t colon = address.rfind(':');
  int port = -1;
  if (colon != std::string::npos && colon > 0) {
    const char* end = address.data() + address.size();
    auto read = std::from_chars(address.data() + colon + 1, end, port);
    if (read.ec != std::errc() || read.ptr != end) port = -1;
  }
  if (port >= 0 && port <= 65535) return "";
  return Cat("expected HOST:PORT, such as 0.0.0.0:8500; found `", Printable(address), "`");
}

std::string CheckOrigin(const std::string& origin) {
  return std::string(MessageOf(CheckCorsOrigin(origin)));
}

std::string CheckHost(const std::string& host) {
  return std::string(MessageOf(CheckHostName(host)));
}

// Adds a flag for a size in bytes, with or without a unit.
template <class Number>
void AddBytes(CLI::App& app, const std::string& name, Number& value, const std::string& help,
              int64_t most = INT_MAX, int64_t least = 1) {
  app.add_option(name, value, help)
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(least, most).description(""))
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

template <class Choice>
using Choices = std::vector<std::pair<std::string, Choice>>;

template <class Choice>
std::string ListNames(const Choices<Choice>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, choice] : choices) names.push_back(name);
  return Join(names, ", ");
}

// Returns the choice that `text` names. Throws an error that lists the names of `flag`.
template <class Choice>
Choice FindChoice(const std::string& flag, const Choices<Choice>& choices,
                  const std::string& text) {
  for (const auto& [name, choice] : choices) {
    if (text == name) return choice;
  }
  throw CLI::ValidationError(
      flag, Cat("expected one of ", ListNames(choices), "; found `", Printable(text), "`"));
}

// Adds a flag for one of a few names, which the help and the error list. `value` is the default.
template <class Choice>
void AddChoice(CLI::App& app, const std::string& flag, Choice& value, Choices<Choice> choices,
               const std::string& help) {
  std::string usual;
  for (const auto& [name, choice] : choices) {
    if (choice == value) usual = name;
  }
  const std::string text = Cat(help, ": ", ListNames(choices));
  app.add_option_function<std::string>(
         flag,
         [&value, flag, choices = std::move(choices)](const std::string& name) {
           value = FindChoice(flag, choices, name);
         },
         text)
      ->type_name("NAME")
      ->default_str(usual);
}

// Adds a flag for a list of some of a few names, separated by commas.
template <class Choice>
void AddChoices(CLI::App& app, const std::string& flag, std::vector<Choice>& values,
                Choices<Choice> choices, const std::string& help) {
  app.add_option_function<std::vector<std::string>>(
         flag,
         [&values, flag, choices = std::move(choices)](const std::vector<std::string>& names) {
           for (const std::string& name : names) {
             const Choice choice = FindChoice(flag, choices, name);
             if (std::find(values.begin(), values.end(), choice) == values.end()) {
               values.push_back(choice);
             }
           }
         },
         help)
      ->delimiter(',')
      ->type_name("NAME,...");
}

// Adds one value of --models: DIR or NAME=DIR.
void AddModelSource(const std::string& text, ServerOptions& options) {
  size_t equals = text.find('=');
  if (equals != text.npos && IsModelName(text.substr(0, equals))) {
    options.more_models.push_back({text.substr(0, equals), text.substr(equals + 1)});
  } else if (options.models.empty()) {
    options.models = text;
  } else {
    options.more_models.push_back({.folder = text});
  }
}

void AddRepository(CLI::App& app, ServerOptions& options) {
  app.add_option_function<std::vector<std::string>>(
         "--models",
         [&options](const std::vector<std::string>& texts) {
           options.models.clear();
           options.more_models.clear();
           for (const std::string& text : texts) AddModelSource(text, options);
         },
         "Directory of models, with files in NAME/VERSION; or NAME=DIR, one model under a name. "
         "May "
         "be repeated")
      ->type_name("DIR")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->required();
  app.add_option("--poll_seconds", options.poll_seconds,
                 "Seconds between two looks for changed models; 0 means never")
      ->check(CLI::Range(0.0, 86400.0).description(""))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--version_policy",
         [&options](const std::string& text) {
           auto policy = ParseVersionPolicy(text);
           if (!policy.ok()) {
             throw CLI::ValidationError("--version_policy",
                                        std::string(MessageOf(policy.status())));
           }
           options.version_policy = *std::move(policy);
         },
         "Versions of each model that are loaded: all, newest:N, or listed:3,5")
      ->type_name("POLICY")
      ->default_str("all");
  AddChoice(app, "--load", options.load_on_demand, {{"eager", false}, {"on_demand", true}},
            "When models are loaded");
  AddChoice(app, "--warm_up", options.warm_up_examples, {{"examples", true}, {"none", false}},
            "Calls that a version must pass before it is published");
  AddBytes(app, "--model_memory_bytes", options.model_memory_bytes,
           "Memory of all models, by estimates; 0 means no limit", LLONG_MAX);
  AddNumber(app, "--load_threads", options.load_threads, 1, 64,
            "Number of threads that load models while the server runs");
}

void AddAdmin(CLI::App& app, ServerOptions& options) {
  app.add_option("--admin_listen", options.admin_listen,
                 "Address for AdminService, which changes what the server serves; with port 0, a "
                 "free port, which is logged")
      ->check(CheckAddress)
      ->type_name("HOST:PORT");
  app.add_flag("--admin", options.admin, "Serve AdminService on the address for calls, too");
  app.add_option("--admin_upload_directory", options.admin_upload_directory,
                 "Directory for uploaded captures; default: the directory for temporary files")
      ->type_name("DIR");
}

void AddServing(CLI::App& app, ServerOptions& options) {
  AddRepository(app, options);
  app.add_option("--listen", options.listen,
                 "Address to listen on; with port 0, a free port, which is logged")
      ->check(CheckAddress)
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option("--unix_socket", options.unix_socket,
                 "Unix socket to listen on, too; it is faster for small calls")
      ->type_name("PATH");
  app.add_option("--port_file", options.port_file,
                 "File to write the port to when the server accepts calls")
      ->type_name("PATH");
  app.add_flag("--shared_memory", options.shared_memory,
               "Let clients of the Open Inference Protocol on this machine pass tensors in POSIX "
               "shared memory");
  AddChoice(app, "--ready", options.ready, {{"any", ReadyPolicy::kAny}, {"all", ReadyPolicy::kAll}},
            "Models that must be loaded before the health check reports SERVING");
  AddNumber(app, "--compute_threads", options.compute_threads, 0, 1024,
            "Number of threads that run large calls; 0 means one per available processor");
  AddBytes(
      app, "--memory", options.memory,
      "Memory of the server, which lowers the limits below; default: the limit of the container",
      LLONG_MAX);
  AddNumber(app, "--drain_seconds", options.drain_seconds, 0, 3600,
            "Seconds for running calls to finish after SIGTERM");
}

void AddLimits(CLI::App& app, Limits& limits, FunctionOptions& function) {
  AddBytes(app, "--max_message_bytes", limits.message_bytes, "Size of one request or response");
  // The maximum keeps sizes in bytes, and sums of a few of them, within int64.
  AddNumber(app, "--max_tensor_elements", limits.tensor_elements, 1, int64_t{1} << 48,
            "Number of elements of one tensor");
  AddNumber(app, "--max_rank", limits.rank, 1, 64, "Number of dimensions of one tensor");
  AddNumber(app, "--max_nesting_depth", limits.nesting_depth, 1, 64,
            "Depth of values that contain values");
  AddNumber(app, "--max_names", limits.names, 1, INT_MAX,
            "Number of keywords, keys, fields, and plain values in one request");
  AddBytes(app, "--max_expanded_bytes", limits.expanded_bytes,
           "Memory for the decoded values of one request", LLONG_MAX);
  AddNumber(app, "--max_concrete_functions", function.max_concrete_functions, 1, INT_MAX,
            "Number of concrete functions kept for one function");
  AddBytes(app, "--max_function_bytes", function.max_function_bytes,
           "Memory for the concrete functions of one function", LLONG_MAX);
  AddBytes(app, "--max_cache_bytes", function.max_cache_bytes,
           "Memory for the concrete functions of all functions", LLONG_MAX);
  AddNumber(app, "--max_loop_steps", function.max_loop_steps, 1, LLONG_MAX,
            "Number of loop iterations in one call");
  AddBytes(app, "--max_call_bytes", function.max_call_bytes,
           "Memory for the intermediates and results of one call", LLONG_MAX);
}

void AddTransport(CLI::App& app, TransportLimits& limits) {
  AddBytes(app, "--max_metadata_bytes", limits.metadata_bytes, "Size of all headers of one call");
  AddNumber(app, "--max_concurrent_calls", limits.concurrent_calls, 1, INT_MAX,
            "Number of calls at a time on one connection");
  AddNumber(app, "--max_stream_calls", limits.stream_calls, 1, INT_MAX,
            "Number of calls at a time on one CallStream");
  AddNumber(app, "--max_queued_calls", limits.queued_calls, 1, INT_MAX,
            "Number of calls that wait for a thread; further calls are rejected");
  AddBytes(app, "--max_queued_bytes", limits.queued_bytes,
           "Size of the requests that wait for a thread; further calls are rejected", LLONG_MAX);
  AddBytes(app, "--max_received_bytes", limits.received_bytes,
           "Memory for requests that are incomplete or have no response yet, on all connections",
           LLONG_MAX);
  AddBytes(app, "--max_unread_bytes", limits.unread_bytes,
           "Memory for responses that clients have not read, on all connections", LLONG_MAX);
  AddBytes(app, "--max_connection_unread_bytes", limits.connection_unread_bytes,
           "Memory for responses that the client has not read, on one connection", LLONG_MAX);
  AddNumber(app, "--max_connections", limits.connections, 0, INT_MAX,
            "Number of open connections; 0 means as many as the limit of open files allows");
  AddNumber(app, "--stall_seconds", limits.stall_seconds, 1, 86400,
            "Seconds after which a connection that sends or reads less than 1 KiB/s is closed");
  AddNumber(app, "--max_idle_seconds", limits.idle_seconds, 1, INT_MAX / 1000,
            "Seconds without calls after which a connection is closed");
  AddNumber(app, "--max_connection_age_seconds", limits.connection_age_seconds, 0, INT_MAX / 1000,
            "Seconds after which a client must connect again; 0 means never");
  AddNumber(app, "--connection_age_grace_seconds", limits.connection_age_grace_seconds, 1,
            INT_MAX / 1000, "Seconds for the calls of a connection that has reached its age");
  AddNumber(app, "--keepalive_seconds", limits.keepalive_seconds, 1, INT_MAX / 1000,
            "Seconds without traffic before the server sends a keepalive ping");
  AddNumber(app, "--handshake_seconds", limits.handshake_seconds, 1, INT_MAX / 1000,
            "Seconds for a new connection to complete the HTTP/2 handshake");
}

void AddSecurity(CLI::App& app, SecurityOptions& security) {
  auto file = [&app](const char* flag, std::filesystem::path& path, const char* help) {
    return app.add_option(flag, path, help)->type_name("FILE");
  };
  auto* certificate = file("--tls_certificate", security.tls_certificate,
                           "Certificate chain in PEM; TCP connections then use TLS 1.2 or 1.3");
  auto* key = file("--tls_key", security.tls_key, "Private key of the certificate in PEM");
  certificate->needs(key);
  key->needs(certificate);
  auto* client_ca =
      file("--tls_client_ca", security.tls_client_ca,
           "Certificates in PEM that sign client certificates, which identify callers")
          ->needs(certificate);
  app.add_flag("--tls_require_client_certificate", security.tls_require_client_certificate,
               "Reject connections without a client certificate")
      ->needs(client_ca);
  file("--tokens_file", security.tokens_file,
       "File of names and SHA-256 digests of bearer tokens that identify callers");
  auto* jwt_keys = file("--jwt_keys", security.jwt_keys,
                        "JWK set, JWK, or public key in PEM that signs JSON web tokens");
  auto text = [&app](const char* flag, std::string& value, const char* help) {
    return app.add_option(flag, value, help)->type_name("TEXT");
  };
  auto* issuer = text("--jwt_issuer", security.jwt_issuer, "Issuer that JSON web tokens must have");
  auto* audience =
      text("--jwt_audience", security.jwt_audience, "Audience that JSON web tokens must have");
  jwt_keys->needs(issuer)->needs(audience);
  issuer->needs(jwt_keys);
  audience->needs(jwt_keys);
  file("--policy_file", security.policy_file,
       "Permissions of callers, a signet.v1.Policy in text format; what it does not grant is "
       "denied");
}

void AddLogging(CLI::App& app, LogOptions& options) {
  AddChoice(app, "--log_level", options.level,
            {{"debug", LogLevel::kDebug},
             {"info", LogLevel::kInfo},
             {"warning", LogLevel::kWarning},
             {"error", LogLevel::kError},
             {"off", LogLevel::kOff}},
            "Lowest severity that is logged");
  AddChoice(app, "--log_format", options.format,
            {{"text", LogFormat::kText}, {"json", LogFormat::kJson}}, "Format of each line");
  AddChoices(app, "--log_to", options.to,
             {{"stderr", LogTarget::Kind::kStandardError},
              {"syslog", LogTarget::Kind::kSyslog},
              {"journal", LogTarget::Kind::kJournal}},
             "Places that receive the log, separated by commas: stderr, syslog, journal; default: "
             "stderr, or none with --log_file");
  app.add_option("--log_file", options.file,
                 "File that receives the log; SIGUSR1 opens it and --access_log again")
      ->type_name("FILE");
  AddBytes(
      app, "--log_file_bytes", options.files.max_bytes,
      "Size of --log_file and of --access_log, which are then renamed and begun again; 0 means "
      "no limit",
      LLONG_MAX, /*least=*/0);
  AddNumber(app, "--log_files", options.files.num_old_files, 0, 10000,
            "Number of renamed files that are kept per log");
}

void AddOtlp(CLI::App& app, OtlpOptions& options) {
  auto* endpoint = app.add_option("--otlp_endpoint", options.endpoint,
                                  "OpenTelemetry collector that receives traces, by OTLP over "
                                  "gRPC; default: none")
                       ->check(CheckAddress)
                       ->type_name("HOST:PORT");
  auto* tls = app.add_flag("--otlp_tls", options.tls, "Use TLS to the collector")->needs(endpoint);
  auto file = [&app](const char* flag, std::filesystem::path& path, const char* help) {
    return app.add_option(flag, path, help)->type_name("FILE");
  };
  file("--otlp_ca", options.ca,
       "Certificates in PEM that sign the certificate of the collector; default: those of the "
       "system")
      ->needs(tls);
  auto* certificate = file("--otlp_certificate", options.certificate,
                           "Certificate chain in PEM that the server presents to the collector")
                          ->needs(tls);
  auto* key = file("--otlp_key", options.key, "Private key of --otlp_certificate in PEM");
  certificate->needs(key);
  key->needs(certificate);
  file("--otlp_headers_file", options.headers_file,
       "Headers of each request to the collector, such as tokens: a line `name: value` per header")
      ->needs(endpoint);
}

// Flags of observability: metrics, health by HTTP, the access log, traces, and captured requests.
void AddObservability(CLI::App& app, ObservabilityOptions& options) {
  auto add_rate = [&app](const std::string& name, double& value, const std::string& help) {
    app.add_option(name, value, help)
        ->check(CLI::Range(0.0, 1.0).description(""))
        ->type_name("RATE")
        ->capture_default_str();
  };
  auto* http_listen =
      app.add_option("--http_listen", options.http_listen,
                     "Address of the JSON API, /metrics, /healthz, and /readyz; default: none")
          ->check(CheckAddress)
          ->type_name("HOST:PORT");
  AddChoice(app, "--http_tls", options.http_tls, {{"auto", true}, {"off", false}},
            "Whether HTTP uses TLS: auto means if --tls_certificate is set");
  AddNumber(app, "--http_max_connections", options.http_connections, 1, 65536,
            "Number of open HTTP connections");
  AddNumber(app, "--http_idle_seconds", options.http_idle_seconds, 1, 86400,
            "Seconds without a request after which an HTTP connection is closed");
  app.add_option("--http_cors_origins", options.http_cors_origins,
                 "Origins whose pages may use the JSON API, separated by commas; * for all; "
                 "default: none")
      ->delimiter(',')
      ->check(CheckOrigin)
      ->type_name("ORIGIN,...");
  app.add_option("--http_hosts", options.http_hosts,
                 "Names of this server in the header Host, separated by commas, in addition to "
                 "addresses and the names of this machine; *.NAME for all that end in .NAME; * for "
                 "all")
      ->delimiter(',')
      ->check(CheckHost)
      ->type_name("HOST,...");
  app.add_flag("--console", options.console,
               "Serve the console, a page for browsers, at / of --http_listen")
      ->needs(http_listen);
  AddNumber(app, "--max_metric_functions", options.metric_functions, 1, 100000,
            "Number of functions with metrics of their own; further functions share `other`");
  app.add_option(
         "--access_log", options.access_log,
         "File that receives a JSON line per call, or -, syslog, or journal: standard output, "
         "the system log, or the journal of systemd")
      ->type_name("PLACE");
  add_rate("--access_log_sample", options.access_log_sample, "Part of the calls in the access log");
  AddOtlp(app, options.otlp);
  add_rate("--trace_sample", options.trace_sample,
           "Part of the calls without the header traceparent that are traced");
  app.add_option("--capture_requests", options.capture_requests,
                 "File that receives requests, for signet replay; default: none")
      ->type_name("PATH");
  add_rate("--capture_sample", options.capture_sample, "Part of the calls that are captured");
  AddBytes(app, "--capture_bytes", options.capture_bytes,
           "Size of the file, which is then renamed to PATH.1, and a new one is begun", LLONG_MAX);
}

// Returns the option that the unknown option `word` may stand for.
std::string HintForOption(const std::string& word, const std::vector<std::string>& names) {
  if (word == "--port") return "; `--listen 0.0.0.0:PORT` sets the port";
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = NearestName(word, views);
  if (!nearest || !nearest->starts_with(word)) {
    for (const std::string& name : names) {
      if (name.starts_with(Cat(word, "_"))) return Cat("; an option is `", name, "`");
    }
  }
  return NearestHint(word, names);
}

// Returns the error for the first word that begins like an option and is none, or an empty text.
std::string UnknownOption(const CLI::App& app) {
  std::vector<const CLI::App*> groups = app.get_subcommands([](const CLI::App*) { return true; });
  groups.push_back(&app);
  std::vector<std::string> names;
  for (const CLI::App* group : groups) {
    for (const CLI::Option* option : group->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back(Cat("--", name));
    }
  }
  for (const std::string& word : app.remaining(/*recurse=*/true)) {
    if (!word.starts_with("--")) continue;
    return Cat("unknown option `", Printable(word), "`",
               HintForOption(word.substr(0, word.find('=')), names),
               "; see `signet-server --help`");
  }
  return {};
}

}  // namespace

std::optional<int> ParseOptions(int argc, const char* const* argv, ServerOptions& options) {
  CLI::App app(kAbout, "signet-server");
  app.footer(kMore);
  app.set_version_flag("--version", SIGNET_VERSION);
  app.get_formatter()->column_width(36);
  // The last value of a flag applies, so that users can change a flag that a service or a chart
  // sets.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  AddServing(app, options);
  auto* limits =
      app.add_option_group("Limits of requests", "clients can read these limits with GetModel");
  AddLimits(*limits, options.limits, options.function);
  AddTransport(*app.add_option_group("Limits of connections"), options.transport);
  AddSecurity(*app.add_option_group("Security", "the files are read again when they change"),
              options.security);
  AddAdmin(*app.add_option_group("Administration"), options);
  AddLogging(*app.add_option_group("Log"), options.observability.log);
  AddObservability(*app.add_option_group("Observability"), options.observability);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string unknown = UnknownOption(app);
    if (unknown.empty() && error.get_name() == "RequiredError") {
      const std::vector<std::string> words = app.remaining();
      std::cerr
          << "signet-server: expected the directory of models, such as `signet-server --models "
          << (words.empty() ? "models" : Printable(words[0])) << "`\n";
      return 2;
    }
    if (unknown.empty()) return app.exit(error) == 0 ? 0 : 2;
    std::cerr << "signet-server: " << unknown << "\n";
    return 2;
  }
  if (app.get_option("--memory")->count() == 0) options.memory = AvailableMemory();
  auto is_set = [&app](std::string_view flag) {
    return app.get_option(std::string(flag))->count() > 0;
  };
  int threads = options.compute_threads > 0 ? options.compute_threads : AvailableProcessors();
  FitToMemory(options.memory, threads, is_set, options);
  return std::nullopt;
}

std::string_view ServerVersion() { return SIGNET_VERSION; }

}  // namespace signet
