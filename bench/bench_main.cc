// bench_main: runs the subjects of subjects.h, prints their rows, and writes them to
// build/bench.json.
//
//   bench_main [--only wire,types] [--quick] [--json FILE]

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/subjects.h"
#include "bench/support/echo_server.h"
#include "server/process.h"

namespace signet {
namespace {

struct Subject {
  const char* name;
  const char* summary;
  void (*run)(const BenchOptions& options, Report& report);
};

constexpr Subject kSubjects[] = {
    {"wire", "calls of an identity function against bare gRPC echoes", BenchWire},
    {"observe", "the cost of metrics, scrapes, traces, and the access log", BenchObserve},
    {"http", "the Open Inference Protocol and JSON over HTTP against Call", BenchHttp},
    {"tls", "calls of an identity function over TLS against a bare gRPC echo", BenchTls},
    {"live", "models and captures that are replaced while clients call",
     [](const BenchOptions& options, Report& report) {
       BenchLive(options, report);
       BenchLiveCaptures(options, report);
     }},
    {"recipes", "calls of the example model against a bare gRPC echo", BenchRecipes},
    {"batching", "calls that are joined by rows against single and padded calls", BenchBatching},
    {"overload", "more load than the server can take, and priorities", BenchOverload},
    {"dispatch", "binding, dispatch, and the executor, without a server", BenchDispatch},
    {"kernels", "arithmetic against memcpy and the processor's peak", BenchKernels},
    {"formats", "JSON, protobuf, Arrow, and more against plain reading", BenchFormats},
    {"structure", "records and rows against flat tensors by hand", BenchStructure},
    {"needed", "records of which a function reads few fields", BenchNeeded},
    {"onnx", "ONNX models against ONNX Runtime", BenchOnnx},
    {"onnx_load", "loading of large ONNX models", BenchOnnxLoad},
    {"savedmodel", "SavedModels against ONNX Runtime, and loading of large ones",
     [](const BenchOptions& options, Report& report) {
       BenchSavedModel(options, report);
       BenchVariables(options, report);
     }},
    {"types", "making, reading, and comparing types", BenchTypes},
};

std::string ListSubjects() {
  std::string out = "Subjects:";
  for (const Subject& subject : kSubjects) {
    std::string name = subject.name;
    name.resize(10, ' ');
    out += "\n  " + name + subject.summary;
  }
  return out;
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Measures Signet and prints ratios to a reference, such as memcpy or a bare gRPC echo.");
  app.footer(ListSubjects());
  std::vector<std::string> names;
  for (const Subject& subject : kSubjects) names.emplace_back(subject.name);
  std::vector<std::string> only = names;
  std::string json = "build/bench.json";
  bool quick = false;
  std::vector<std::string> echo;
  std::string echo_certificates;
  app.add_option("--only", only, "run these subjects")->delimiter(',')->check(CLI::IsMember(names));
  app.add_flag("--quick", quick,
               "few and short rounds, to test the benchmarks; the numbers are not reliable");
  app.add_option("--json", json, "file that receives the rows")->capture_default_str();
  app.add_option("--serve-echo", echo)
      ->group("");  // the role of the process that bench_main starts itself
  app.add_option("--echo-certificates", echo_certificates)->group("");
  CLI11_PARSE(app, argc, argv);

  TuneAllocator();  // as signet-server does, so that clients and echo servers allocate memory alike
  if (!echo.empty()) return ServeEcho(echo, echo_certificates);

  BenchOptions options;
  if (quick) options = {.rounds = 1, .seconds = 0.01, .load_seconds = 0.2, .quick = true};
  Report report;
  for (const Subject& subject : kSubjects) {
    if (std::find(only.begin(), only.end(), subject.name) != only.end())
      subject.run(options, report);
  }
  report.PrintMissed();
  Status written = report.WriteJson(json);
  if (!written.ok()) {
    std::fprintf(stderr, "bench_main: %s\n", std::string(MessageOf(written)).c_str());
    return 1;
  }
  std::printf("rows: %s\n", json.c_str());
  return 0;
}

}  // namespace
}  // namespace signet

int main(int argc, char** argv) { return signet::Main(argc, argv); }
