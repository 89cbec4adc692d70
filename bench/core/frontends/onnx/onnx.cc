// Onnx: compares models of other projects with ONNX Runtime, in this process, with the inputs that
// are recorded next to the models in SIGNET_MODELS_DIR/onnx.
//
//   batch 1     calls per second, on 1 and on 2 threads, with the recorded inputs. If the model
//               leaves the first dimension of all inputs open, and a run with one row succeeds,
//               the inputs are cut to their first row.
//   batch 8     rows per second, for the models that accept one row: eight copies of that row
//
// Both sides read the same tensors. One thread is measured by its processor time, two threads by
// the wall clock. A model is convolutional if it contains a kind of Conv, tabular if it contains an
// operator of ai.onnx.ml, and a network if it contains a matrix product or a recurrence. The means
// are geometric, over all rows of convolutional models and networks.
//
// SIGNET_ONNXRUNTIME is the path of libonnxruntime.so.1 (`./dev bench` fetches it).
// SIGNET_ONNX_CASES selects the models whose names contain its value.

#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "bench/core/frontends/onnx/compare_runs.h"
#include "bench/core/frontends/onnx/peer_models.h"
#include "bench/subjects.h"
#include "core/frontends/load_model.h"
#include "core/frontends/onnx/import/onnx_file.h"
#include "core/frontends/onnx/import/onnx_tensor.h"
#include "core/model/loaded_model.h"
#include "core/runtime/thread_pool.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr double kLeast = 0.7;
constexpr double kLeastTabular = 2;
constexpr double kLeastMean = 1.1;
constexpr double kLeastConvolutionalMean = 1.3;
constexpr int64_t kBatch = 8;

enum class Kind : uint8_t { kPlain, kNetwork, kConvolutional, kTabular };

Kind KindOf(const onnx::ModelProto& model) {
  std::set<std::string> operators;
  auto add = [&](auto&& self, const auto& nodes) -> void {
    for (const auto& node : nodes) {
      operators.insert(node.domain() == "ai.onnx.ml" ? "ai.onnx.ml" : node.op_type());
      for (const auto& attribute : node.attribute()) self(self, attribute.g().node());
    }
  };
  add(add, model.graph().node());
  for (const auto& function : model.functions()) add(add, function.node());
  auto any = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(operators.begin(), operators.end(), [&](const std::string& op) {
      return std::find(names.begin(), names.end(), op) != names.end();
    });
  };
  if (any({"ai.onnx.ml"})) return Kind::kTabular;
  if (any({"Conv", "ConvTranspose", "ConvInteger", "QLinearConv"})) return Kind::kConvolutional;
  bool network = any({"MatMul", "Gemm", "MatMulInteger", "QLinearMatMul", "LSTM", "GRU", "RNN"});
  return network ? Kind::kNetwork : Kind::kPlain;
}

// Returns `rows` rows: the rows of `tensor`, repeated from the first one.
Tensor TakeRows(const Tensor& tensor, int64_t rows) {
  Shape shape = tensor.shape();
  const int64_t have = shape.dim(0);
  const int64_t row = tensor.num_elements() / have;
  shape.set_dim(0, rows);
  if (tensor.is_string()) {
    std::vector<std::string_view> strings;
    for (int64_t i = 0; i < rows * row; ++i) strings.push_back(tensor.string_at(i % (have * row)));
    return Tensor::Strings(shape, strings);
  }
  auto made = Tensor::Allocate(tensor.dtype(), shape);
  SIGNET_CHECK(made.ok());
  const size_t bytes = static_cast<size_t>(row) * SizeOf(tensor.dtype());
  for (int64_t i = 0; i < rows; ++i) {
    std::memcpy(made->data().mutable_data() + static_cast<size_t>(i) * bytes,
                tensor.data().data() + static_cast<size_t>(i % have) * bytes, bytes);
  }
  return *std::move(made);
}

// Returns the inputs in the first set next to the model.
StatusOr<std::vector<Tensor>> RecordedInputs(const fs::path& folder, const OnnxFile& file) {
  ExternalFiles files(file);
  std::vector<Tensor> inputs;
  for (int i = 0;; ++i) {
    fs::path path = folder / "test_data_set_0" / Cat("input_", i, ".pb");
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return inputs;
    onnx::TensorProto proto;
    if (!proto.ParseFromIstream(&stream))
      return InvalidArgument(path.native(), ": expected a serialized `onnx.TensorProto`");
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor, TensorFromOnnx(proto, files));
    inputs.push_back(std::move(tensor));
  }
}

// Returns true if the number of rows of all inputs can be changed.
bool HasFreeRows(const OnnxSession& session, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto dims = session.DimsOf(i);
    if (!dims.ok() || dims->empty() || (*dims)[0] != -1) return false;
    if (inputs[i].rank() == 0 || inputs[i].shape().dim(0) < 1) return false;
    if (inputs[i].shape().dim(0) != inputs[0].shape().dim(0)) return false;
  }
  return !inputs.empty();
}

std::vector<Tensor> TakeRows(const std::vector<Tensor>& tensors, int64_t rows) {
  std::vector<Tensor> taken;
  for (const Tensor& tensor : tensors) taken.push_back(TakeRows(TakeRows(tensor, 1), rows));
  return taken;
}

// Returns true if a run with `inputs` succeeds. Some models declare an open first dimension, but
// their nodes require one size.
bool RunsWith(OnnxSession& session, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!session.Give(i, inputs[i]).ok()) return false;
  }
  return session.Run().ok();
}

class OnnxBench {
 public:
  OnnxBench(const OnnxRuntime& peer, const BenchOptions& options, Report& report)
      : peer_(peer), options_(options), report_(report), pool_(2) {
    options_.seconds /= 4;  // the two batch sizes and thread counts multiply the number of runs
  }

  void Run(const fs::path& folder) {
    std::string name = Cat("onnx: ", folder.filename().native());
    Status status = Measure(folder, name);
    if (!status.ok()) report_.Skip(name, MessageOf(status));
  }

  void AddMeans() {
    std::vector<double> all = ratios_[Kind::kNetwork];
    const std::vector<double>& convolutional = ratios_[Kind::kConvolutional];
    all.insert(all.end(), convolutional.begin(), convolutional.end());
    AddMean("all networks", all, kLeastMean);
    AddMean("convolutional networks", convolutional, kLeastConvolutionalMean);
    AddMean("tabular models", ratios_[Kind::kTabular], kLeastTabular);
  }

 private:
  Status Measure(const fs::path& folder, const std::string& name) {
    SIGNET_ASSIGN_OR_RETURN(OnnxFile file, ReadOnnxFile(folder / "model.onnx"));
    SIGNET_ASSIGN_OR_RETURN(std::vector<Tensor> inputs, RecordedInputs(folder, file));
    SIGNET_ASSIGN_OR_RETURN(std::shared_ptr<const LoadedModel> model,
                            LoadModel(folder, "bench", 1, {}));
    SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function, model->FindFunction("main"));
    Kind kind = KindOf(file.model);
    for (int threads : {1, 2}) {
      SIGNET_ASSIGN_OR_RETURN(auto session, peer_.Load(folder / "model.onnx", threads));
      if (session->num_inputs() < inputs.size()) return InvalidArgument("has too many inputs");
      const bool free_rows =
          HasFreeRows(*session, inputs) && RunsWith(*session, TakeRows(inputs, 1));
      for (int64_t batch : {int64_t{1}, kBatch}) {
        if (batch > 1 && !free_rows) continue;
        const std::vector<Tensor> given = free_rows ? TakeRows(inputs, batch) : inputs;
        std::string row =
            Cat(name, ", batch ", batch, ", ", threads, threads > 1 ? " threads" : " thread");
        SIGNET_RETURN_IF_ERROR(Compare(row, kind, threads, batch, *function, *session, given));
      }
    }
    return absl::OkStatus();
  }

  Status Compare(const std::string& name, Kind kind, int threads, int64_t batch,
                 const PolymorphicFunction& function, OnnxSession& session,
                 const std::vector<Tensor>& inputs) {
    CallArguments arguments;
    for (size_t i = 0; i < inputs.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(session.Give(i, inputs[i]));
      arguments.positional.emplace_back(inputs[i]);
    }
    RunControl control{.parallel = threads > 1 ? &pool_ : nullptr};
    SIGNET_RETURN_IF_ERROR(session.Run());
    SIGNET_RETURN_IF_ERROR(function.Call(arguments, control).status());
    Pair pair = CompareRuns(
        options_, pool_, threads, batch, [&] { Keep(function.Call(arguments, control)); },
        [&] { Keep(session.Run()); });
    std::optional<double> bar;
    if (kind == Kind::kNetwork || kind == Kind::kConvolutional) bar = kLeast;
    if (kind == Kind::kTabular && batch == 1) bar = kLeastTabular;
    report_.Add(Compared(name, "rows/s", Cat("ONNX Runtime ", peer_.version()), pair,
                         Better::kHigher, bar));
    if (bar) ratios_[kind].push_back(pair.value / pair.reference);
    return absl::OkStatus();
  }

  void AddMean(std::string_view of, const std::vector<double>& ratios, double bar) {
    if (ratios.empty()) return;
    report_.Add({.name = Cat("onnx: geometric mean of ", of),
                 .value = GeometricMean(ratios),
                 .unit = "x",
                 .better = Better::kHigher,
                 .bar = bar});
  }

  const OnnxRuntime& peer_;
  BenchOptions options_;
  Report& report_;
  ThreadPool pool_;
  std::map<Kind, std::vector<double>> ratios_;
};

}  // namespace

void BenchOnnx(const BenchOptions& options, Report& report) {
  auto models = FindPeerModels("onnx", "SIGNET_ONNX_CASES");
  if (!models.ok()) return report.Skip("onnx", MessageOf(models.status()));
  OnnxBench bench(*models->peer, options, report);
  for (const fs::path& folder : models->folders) bench.Run(folder);
  bench.AddMeans();
}

}  // namespace signet
