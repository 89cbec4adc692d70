// Batching: compares calls of functions that declare a batch with the same calls of the same
// functions without a batch, in one server.
//
//   records    64 clients send records with lists, whose lengths follow Zipf's law; the model looks
//              up each element, runs two layers of a network on it, and adds the results of each
//              list. The reference pads each list to the longest one.
//   network    64 clients send one row to a small network of SIGNET_MODELS_DIR/onnx; the reference
//              does not declare a batch
//   latency    one client, median; the reference does not declare a batch
//   joining    64 calls of the network in one thread, without gRPC: joined, run, and split; the
//              reference runs them one by one

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include <google/protobuf/message_lite.h>

#include "bench/measure.h"
#include "bench/subjects.h"
#include "bench/support/load.h"
#include "bench/support/servers.h"
#include "core/formats/signet_wire/wire.h"
#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "core/model/native/build_model_def.h"
#include "core/model/native/writer.h"
#include "core/serving/batching/joined_function.h"
#include "core/values/builders/value_notation.h"
#include "signet/model_builder.h"
#include "signet/tensor_spec.h"
#include "signet/v1/service.pb.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int kClients = 64;
// Not bert_dummy_2layer: its attention is along the first dimension, so its rows are not
// independent.
constexpr const char* kNetwork = "mnist_mlp_dynbatch";
constexpr int kWords = 5000;
constexpr int kWidth = 128;
constexpr int64_t kLongest = 512;
constexpr double kZipfExponent = 1.1;
constexpr double kLeastGain = 3;
constexpr double kMostLatency = 1.05;

Value Random(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> numbers(static_cast<size_t>(shape.num_elements()));
  for (float& number : numbers) number = static_cast<float>(random() % 1000) / 1000 - 0.5f;
  return Tensor::Of<float>(shape, numbers);
}

// Returns list lengths between 1 and kLongest.
std::vector<int64_t> ZipfLengths(int count) {
  std::vector<double> weights;
  for (int64_t length = 1; length <= kLongest; ++length) {
    weights.push_back(std::pow(static_cast<double>(length), -kZipfExponent));
  }
  std::discrete_distribution<int64_t> lengths(weights.begin(), weights.end());
  std::mt19937 random(7);
  std::vector<int64_t> out;
  for (int i = 0; i < count; ++i) out.push_back(1 + lengths(random));
  return out;
}

// `lists` computes on the elements; `padded` gets all lists with the same length.
void AddRecordFunctions(ModelBuilder& builder) {
  builder.AddCapture("table", Random({kWords, kWidth}, 1));
  builder.AddCapture("first", Random({kWidth, kWidth}, 2));
  builder.AddCapture("second", Random({kWidth, kWidth}, 4));
  builder.AddFunction("lists", "(records: [{ids: int64[(?)]}])")
      .Node("ids", "ragged_values", {"records.ids"})
      .Node("splits", "ragged_row_splits", {"records.ids"})
      .Node("found", "gather", {"table", "ids"})
      .Node("products", "matmul", {"found", "first"})
      .Node("hidden", "relu", {"products"})
      .Node("outputs", "matmul", {"hidden", "second"})
      .Node("positive", "relu", {"outputs"})
      .Node("sums", "segment_sum", {"positive", "splits"})
      .Result("sums")
      .Batch({"records"});
  builder.AddFunction("padded", "(ids: int64[?, ?], lengths: int64[?])")
      .Node("found", "gather", {"table", "ids"})
      .Node("products", "matmul", {"found", "first"})
      .Node("hidden", "relu", {"products"})
      .Node("outputs", "matmul", {"hidden", "second"})
      .Node("positive", "relu", {"outputs"})
      .Node("positions", "range", {}, {{"limit", kLongest}})
      .Node("limits", "expand_dims", {"lengths"}, {{"axis", 1}})
      .Node("inside", "less", {"positions", "limits"})
      .Node("mask", "cast", {"inside"}, {{"dtype", WrittenType{"float32"}}})
      .Node("wide", "expand_dims", {"mask"}, {{"axis", 2}})
      .Node("masked", "mul", {"positive", "wide"})
      .Node("sums", "reduce_sum", {"masked"}, {{"axes", 1}})
      .Result("sums")
      .Batch({"ids", "lengths"});
}

std::string RequestOf(const std::string& model, const std::string& function,
                      const std::vector<Value>& arguments) {
  v1::CallRequest request;
  request.mutable_model()->set_name(model);
  request.set_function(function);
  for (const Value& argument : arguments) *request.add_args() = wire::ValueToProto(argument);
  return request.SerializeAsString();
}

// A network, imported with and without a batch.
struct Network {
  std::string name;
  std::string function;
  std::vector<Value> arguments;              // of one row
  std::shared_ptr<const LoadedModel> model;  // in this process
};

class BatchingBench {
 public:
  BatchingBench(const BenchOptions& options, Report& report, const RunningServer& server)
      : options_(options), report_(report), server_(server) {}

  Status Records() {
    std::vector<std::string> ragged;
    std::vector<std::string> padded;
    std::mt19937 random(3);
    for (int64_t length : ZipfLengths(256)) {
      std::vector<int64_t> ids(kLongest, 0);
      for (int64_t i = 0; i < length; ++i) ids[static_cast<size_t>(i)] = random() % kWords;
      const std::span<const int64_t> own(ids.data(), static_cast<size_t>(length));
      SIGNET_ASSIGN_OR_RETURN(
          Value record, ParseValue(Cat("{ids: int64[(?)]}[1] [{ids: [", Join(own, ", "), "]}]")));
      ragged.push_back(RequestOf("records", "lists", {record}));
      padded.push_back(RequestOf(
          "records", "padded",
          {Tensor::Of<int64_t>({1, kLongest}, ids), Tensor::Of<int64_t>({1}, {&length, 1})}));
    }
    return Throughput("records with lists", "padded", ragged, padded);
  }

  Status Measure(const Network& network) {
    const std::string call =
        RequestOf(Cat(network.name, "_batched"), network.function, network.arguments);
    const std::string reference = RequestOf(network.name, network.function, network.arguments);
    SIGNET_RETURN_IF_ERROR(Throughput(network.name, "without a batch", {call}, {reference}));
    SIGNET_RETURN_IF_ERROR(Latency(network.name, call, reference));
    return Joining(network);
  }

 private:
  Status Throughput(const std::string& name, const char* reference_name,
                    const std::vector<std::string>& requests,
                    const std::vector<std::string>& references) {
    LoadClient call(server_.tcp, kCallMethod, requests);
    LoadClient reference(server_.tcp, kCallMethod, references);
    SIGNET_RETURN_IF_ERROR(call.CallOnce(20).status());
    SIGNET_RETURN_IF_ERROR(reference.CallOnce(20).status());
    auto rate = [&](const LoadClient& load) {
      return load.CallsPerSecond(kClients, options_.load_seconds);
    };
    report_.Add(Compared(Cat("batching: ", name, ", ", kClients, " clients"), "calls/s",
                         reference_name,
                         MedianPair(
                             options_, [&] { return rate(call); }, [&] { return rate(reference); }),
                         Better::kHigher, kLeastGain));
    return absl::OkStatus();
  }

  // The processor time of `kClients` calls without the time of gRPC, which batches do not change.
  Status Joining(const Network& network) {
    SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function,
                            network.model->FindFunction(network.function));
    CallArguments arguments;
    arguments.positional.assign(network.arguments.begin(), network.arguments.end());
    const RunControl control;
    SIGNET_ASSIGN_OR_RETURN(const PreparedCall call, function->Prepare(arguments, control));
    const std::vector<bool> has_rows(network.arguments.size(), true);
    SIGNET_ASSIGN_OR_RETURN(auto joined, JoinedFunction::Find(*function, has_rows, *call.function,
                                                              network.model->types(), control));
    const std::vector<const PreparedCall*> calls(kClients, &call);
    const std::vector<int64_t> rows(kClients, 1);
    SIGNET_RETURN_IF_ERROR(joined->Run(calls, rows, control).status());
    SIGNET_RETURN_IF_ERROR(call.Run(control).status());
    auto rate = [&](auto run) { return kClients * 1e9 / TimeOf(options_, run); };
    report_.Add(Compared(
        Cat("batching: ", network.name, ", ", kClients, " calls without gRPC"), "calls/s",
        "one by one",
        MedianPair(
            options_, [&] { return rate([&] { Keep(joined->Run(calls, rows, control)); }); },
            [&] {
              return rate([&] {
                for (const PreparedCall* each : calls) Keep(each->Run(control));
              });
            }),
        Better::kHigher, kLeastGain));
    return absl::OkStatus();
  }

  Status Latency(const std::string& name, const std::string& request,
                 const std::string& unbatched) {
    LoadClient call(server_.tcp, kCallMethod, request);
    LoadClient reference(server_.tcp, kCallMethod, unbatched);
    SIGNET_RETURN_IF_ERROR(call.CallOnce(20).status());
    SIGNET_RETURN_IF_ERROR(reference.CallOnce(20).status());
    auto latency = [&](const LoadClient& load) {
      return load.MedianLatency(options_.load_seconds);
    };
    report_.Add(
        Compared(Cat("batching: ", name, ", one client, median latency"), "us", "without a batch",
                 MedianPair(
                     options_, [&] { return latency(call); }, [&] { return latency(reference); }),
                 Better::kLower, kMostLatency));
    return absl::OkStatus();
  }

  const BenchOptions& options_;
  Report& report_;
  const RunningServer& server_;
};

// Writes the network as `NAME` and, with a batch, as `NAME_batched`.
StatusOr<Network> WriteNetwork(const fs::path& onnx, const std::string& name,
                               const fs::path& models) {
  const Limits limits;
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, LoadModelDef(onnx / name, limits));
  Network out{name, def.functions.at(0).name, {}, nullptr};
  std::vector<std::string> parameters;
  for (const Parameter& parameter : def.functions[0].type.parameters()) {
    parameters.push_back(parameter.name);
    const auto* tensor = parameter.type.As<TensorSpec>();
    if (tensor == nullptr) return Unimplemented(name, ": expected tensors as parameters");
    Shape shape;
    for (int axis = 0; axis < tensor->shape().rank(); ++axis) {
      const int64_t size = tensor->shape().dim(axis);
      shape.push_back(axis == 0 ? 1 : size == kUnknownDim ? 16 : size);
    }
    if (tensor->dtype() == DType::kFloat32) {
      out.arguments.push_back(Random(shape, 5));
    } else {
      std::vector<int64_t> ones(static_cast<size_t>(shape.num_elements()), 1);
      out.arguments.push_back(Tensor::Of<int64_t>(shape, ones));
    }
  }
  fs::create_directories(models / name / "1");
  fs::create_directories(models / Cat(name, "_batched") / "1");
  SIGNET_RETURN_IF_ERROR(WriteNativeModel(models / name / "1", def, limits));
  def.batches[out.function] = parameters;
  SIGNET_RETURN_IF_ERROR(WriteNativeModel(models / Cat(name, "_batched") / "1", def, limits));
  out.model = std::make_shared<LoadedModel>(name, 1, std::move(def), ModelOptions());
  return out;
}

Status Measure(const BenchOptions& options, Report& report) {
  TemporaryFolder folder;
  const fs::path models = folder.path() / "models";
  ModelBuilder records;
  AddRecordFunctions(records);
  fs::create_directories(models / "records" / "1");
  SIGNET_RETURN_IF_ERROR(records.Save(models / "records" / "1"));
  // The calls that the clients have at one time are not an overload.
  std::ofstream(models / "records" / "settings.textproto")
      << "scheduling { max_concurrent_calls: " << 2 * kClients << " }\n";
  const char* real_models = std::getenv("SIGNET_MODELS_DIR");
  std::optional<Network> network;
  if (real_models == nullptr) {
    report.Skip(Cat("batching: ", kNetwork), "SIGNET_MODELS_DIR is not set");
  } else if (auto written = WriteNetwork(fs::path(real_models) / "onnx", kNetwork, models);
             written.ok()) {
    network = *std::move(written);
  } else {
    report.Skip(Cat("batching: ", kNetwork), MessageOf(written.status()));
  }
  SIGNET_ASSIGN_OR_RETURN(RunningServer server, StartSignet(models, folder.path()));
  BatchingBench bench(options, report, server);
  SIGNET_RETURN_IF_ERROR(bench.Records());
  return network ? bench.Measure(*network) : absl::OkStatus();
}

}  // namespace

void BenchBatching(const BenchOptions& options, Report& report) {
  Status measured = Measure(options, report);
  if (!measured.ok()) report.Skip("batching", MessageOf(measured));
}

}  // namespace signet
