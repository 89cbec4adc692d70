// OnnxLoad: measures loading models of 100 MB: reading, importing, and checking, as the server
// does.
//
//   inside     the weights are in model.onnx, where most are not aligned: mapped, and copied while
//              the check of the body, or a function that does not pack them, needs them
//   separate   the weights are in a separate file, aligned, as exporters write large models: mapped
//   native     the model in the native form, as `signet import` writes it: mapped
//
// Rows: the time of loading with the files in the page cache, and the private memory of a second
// version of the same files. The mapped files are shared and not counted.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <onnx/onnx_pb.h>

#include "bench/core/frontends/load_time.h"
#include "bench/subjects.h"
#include "core/frontends/import_model.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int kLayers = 6;
constexpr int64_t kWidth = 2048;  // 16 MiB of float32 per layer
constexpr double kMostMilliseconds = 100;

// Makes a chain of products, each [n, kWidth]. The lengths of the names differ, so that weights are
// not aligned by chance.
onnx::ModelProto MakeModel(const fs::path& weights_file) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("layers");
  auto& input = *graph.add_input();
  input.set_name("x");
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("n");
  type.mutable_shape()->add_dim()->set_dim_value(kWidth);
  std::string bytes(static_cast<size_t>(kWidth * kWidth) * sizeof(float), '\x3c');
  std::ofstream file;
  if (!weights_file.empty()) file.open(weights_file, std::ios::binary);
  std::string last = "x";
  for (int i = 0; i < kLayers; ++i) {
    auto& weight = *graph.add_initializer();
    weight.set_name(std::string(static_cast<size_t>(i + 1), 'w'));
    weight.set_data_type(onnx::TensorProto::FLOAT);
    weight.add_dims(kWidth);
    weight.add_dims(kWidth);
    if (weights_file.empty()) {
      weight.set_raw_data(bytes);
    } else {
      weight.set_data_location(onnx::TensorProto::EXTERNAL);
      auto add = [&](const char* key, std::string value) {
        auto& entry = *weight.add_external_data();
        entry.set_key(key);
        entry.set_value(std::move(value));
      };
      add("location", weights_file.filename().string());
      add("offset", std::to_string(file.tellp()));
      file << bytes;
    }
    auto& node = *graph.add_node();
    node.set_op_type("MatMul");
    node.add_input(last);
    node.add_input(weight.name());
    last = Cat("y", i);
    node.add_output(last);
  }
  graph.add_output()->set_name(last);
  return model;
}

// Returns the private memory of this process.
double PrivateMegabytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  double kilobytes = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Private_Dirty:")) kilobytes += std::atof(line.c_str() + 14);
  }
  return kilobytes / 1024;
}

void Measure(const std::string& name, const fs::path& folder, const BenchOptions& options,
             Report& report) {
  auto milliseconds = LoadMilliseconds(options, folder);
  if (!milliseconds.ok()) return report.Skip(name, MessageOf(milliseconds.status()));
  report.Add({.name = Cat("onnx_load: 100 MB, ", name),
              .value = *milliseconds,
              .unit = "ms",
              .bar = kMostMilliseconds});
  auto first = LoadModel(folder, "m", 1, {});
  double before = PrivateMegabytes();
  auto second = LoadModel(folder, "m", 2, {});
  report.Add({.name = Cat("onnx_load: memory of a second version, ", name),
              .value = PrivateMegabytes() - before,
              .unit = "MB"});
}

}  // namespace

void BenchOnnxLoad(const BenchOptions& options, Report& report) {
  std::string pattern = (fs::temp_directory_path() / "signet-bench-XXXXXX").string();
  fs::path folder = mkdtemp(pattern.data());
  for (bool is_separate : {false, true}) {
    fs::path model = folder / (is_separate ? "separate" : "inside");
    fs::create_directory(model);
    std::ofstream file(model / "model.onnx", std::ios::binary);
    bool written = MakeModel(is_separate ? model / "weights.bin" : "").SerializeToOstream(&file);
    file.close();
    if (!written || file.fail()) return report.Skip("onnx_load", "the models could not be written");
    Measure(is_separate ? "separate weights" : "weights inside", model, options, report);
  }
  Status imported = ImportModel(folder / "inside" / "model.onnx", folder / "native");
  if (!imported.ok()) {
    report.Skip("onnx_load: native", MessageOf(imported));
  } else {
    Measure("native form", folder / "native", options, report);
  }
  fs::remove_all(folder);
}

}  // namespace signet
