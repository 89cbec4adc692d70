// SavedModel: compares SavedModels of other projects with ONNX Runtime on the same networks, in
// this process, with the inputs that are recorded next to the models in
// SIGNET_MODELS_DIR/savedmodel.
//
// The network of a signature is its specialized graph, in which constants are folded and transposes
// are moved, but nothing is fused. It is written as an ONNX model, which ONNX Runtime optimizes.
// Rows: calls per second, on 1 and on 2 threads, of the signatures with arithmetic on floats, the
// first recorded case of each. Signatures with ops that are not written as ONNX are skipped, with
// the op.
//
// SIGNET_ONNXRUNTIME and SIGNET_SAVEDMODEL_CASES are as for the benchmark `onnx`.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "bench/core/frontends/onnx/compare_runs.h"
#include "bench/core/frontends/onnx/peer_models.h"
#include "bench/core/frontends/savedmodel/onnx_writer.h"
#include "bench/subjects.h"
#include "core/frontends/load_model.h"
#include "core/frontends/onnx/import/onnx_tensor.h"
#include "core/graph/flat/passes/move_transposes_pass.h"
#include "core/graph/flat/passes/remove_identities_pass.h"
#include "core/graph/flat/passes/run_passes.h"
#include "core/graph/lower/specializer.h"
#include "core/model/loaded_model.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr double kLeast = 1.0;

StatusOr<Tensor> ReadTensor(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  onnx::TensorProto proto;
  if (!stream || !proto.ParseFromIstream(&stream)) {
    return InvalidArgument(path.native(), ": expected a serialized `onnx.TensorProto`");
  }
  OnnxFile none;
  ExternalFiles files(none);
  return TensorFromOnnx(proto, files);
}

// Returns the name that an importer gave to a key, or the key.
std::string NameOf(const LoadedModel& model, std::string_view prefix, std::string_view suffix,
                   const std::string& key) {
  for (const auto& [name, value] : model.def().metadata) {
    if (value == key && name.starts_with(prefix) && name.ends_with(suffix)) {
      return name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    }
  }
  return key;
}

// Returns the graph that ONNX Runtime is given.
StatusOr<FlatGraph> NetworkOf(const PolymorphicFunction& function, const FunctionType& type,
                              const LoadedModel& model) {
  SIGNET_ASSIGN_OR_RETURN(Specialization made,
                          Specialize(function.def(), type, model, {.fuse = false}));
  static const auto* const groups =
      new std::vector<PassGroup>{{&kRemoveIdentitiesPass}, {&kMoveTransposesPass}};
  SIGNET_RETURN_IF_ERROR(RunPasses(made.graph, model.ops(), *groups, {}).status());
  return std::move(made.graph);
}

bool HasArithmetic(const FlatGraph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const FlatNode& node) {
    return node.op->name == "matmul" || node.op->name == "conv";
  });
}

class SavedModelBench {
 public:
  SavedModelBench(const OnnxRuntime& peer, const BenchOptions& options, Report& report)
      : peer_(peer), options_(options), report_(report), pool_(2) {
    options_.seconds /= 4;
    std::string pattern = (fs::temp_directory_path() / "signet-bench-XXXXXX").string();
    written_ = fs::path(mkdtemp(pattern.data()));
  }
  ~SavedModelBench() { fs::remove_all(written_); }

  void Run(const fs::path& folder) {
    const std::string name = Cat("savedmodel: ", folder.filename().native());
    std::ifstream stream(folder / "cases.json");
    const auto cases = nlohmann::json::parse(stream, nullptr, false);
    if (cases.is_discarded()) return report_.Skip(name, "cases.json not found");
    auto model = LoadModel(folder / std::string(cases.at("model")), "bench", 1, {});
    if (!model.ok()) return report_.Skip(name, MessageOf(model.status()));
    std::set<std::string> seen;
    for (const auto& entry : cases.at("cases")) {
      const std::string signature = entry.at("signature");
      if (!seen.insert(signature).second) continue;
      const std::string row = Cat(name, ", ", signature);
      Status status = Measure(folder, entry, signature, **model, row);
      if (!status.ok()) report_.Skip(row, MessageOf(status));
    }
  }

  void AddMean() {
    if (ratios_.empty()) return;
    report_.Add({.name = "savedmodel: geometric mean of all networks",
                 .value = GeometricMean(ratios_),
                 .unit = "x",
                 .better = Better::kHigher,
                 .bar = kLeast});
  }

 private:
  Status Measure(const fs::path& folder, const nlohmann::json& entry, const std::string& signature,
                 const LoadedModel& model, const std::string& row) {
    const std::string name = NameOf(model, "savedmodel.", ".signature", signature);
    SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function, model.FindFunction(name));
    const fs::path set = folder / std::string(entry.at("dir"));
    CallArguments arguments;
    for (const auto& key : entry.at("inputs")) {
      SIGNET_ASSIGN_OR_RETURN(Tensor tensor,
                              ReadTensor(set / Cat("input_", std::string(key), ".pb")));
      arguments.keyword.emplace_back(
          NameOf(model, Cat("savedmodel.", name, ".input."), "", std::string(key)),
          std::move(tensor));
    }
    SIGNET_ASSIGN_OR_RETURN(Binding binding, function->Bind(arguments));
    SIGNET_ASSIGN_OR_RETURN(CanonicalCall call, function->Canonicalize(binding, arguments, {}));
    SIGNET_ASSIGN_OR_RETURN(FlatGraph graph, NetworkOf(*function, call.type, model));
    if (!HasArithmetic(graph)) return Unimplemented("has no matrix product and no convolution");
    SIGNET_ASSIGN_OR_RETURN(onnx::ModelProto network, WriteOnnx(graph));
    const fs::path path = written_ / "model.onnx";
    std::ofstream stream(path, std::ios::binary);
    if (!network.SerializeToOstream(&stream)) return Internal("the model could not be written");
    stream.close();
    std::vector<Tensor> inputs;
    for (const Value& argument : call.arguments) {
      for (const Tensor& component : argument.components()) inputs.push_back(component);
    }
    for (int threads : {1, 2}) {
      SIGNET_ASSIGN_OR_RETURN(auto session, peer_.Load(path, threads));
      for (size_t i = 0; i < inputs.size(); ++i) {
        SIGNET_RETURN_IF_ERROR(session->Give(i, inputs[i]));
      }
      RunControl control{.parallel = threads > 1 ? &pool_ : nullptr};
      SIGNET_RETURN_IF_ERROR(session->Run());
      SIGNET_RETURN_IF_ERROR(function->Call(arguments, control).status());
      Pair pair = CompareRuns(
          options_, pool_, threads, 1, [&] { Keep(function->Call(arguments, control)); },
          [&] { Keep(session->Run()); });
      report_.Add(Compared(Cat(row, ", ", threads, threads > 1 ? " threads" : " thread"), "calls/s",
                           Cat("ONNX Runtime ", peer_.version()), pair, Better::kHigher, kLeast));
      ratios_.push_back(pair.value / pair.reference);
    }
    return absl::OkStatus();
  }

  const OnnxRuntime& peer_;
  BenchOptions options_;
  Report& report_;
  ThreadPool pool_;
  fs::path written_;  // folder for the ONNX models
  std::vector<double> ratios_;
};

}  // namespace

void BenchSavedModel(const BenchOptions& options, Report& report) {
  auto models = FindPeerModels("savedmodel", "SIGNET_SAVEDMODEL_CASES");
  if (!models.ok()) return report.Skip("savedmodel", MessageOf(models.status()));
  SavedModelBench bench(*models->peer, options, report);
  for (const fs::path& folder : models->folders) bench.Run(folder);
  bench.AddMean();
}

}  // namespace signet
