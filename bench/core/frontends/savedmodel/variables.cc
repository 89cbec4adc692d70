// Variables: measures loading a SavedModel with 100 MB of variables: reading, importing, comparing
// checksums, and checking, as the server does. The files are in the page cache.

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "bench/core/frontends/load_time.h"
#include "bench/subjects.h"
#include "core/base/crc32c.h"
#include "tensorflow/saved_model.pb.h"
#include "tensorflow/tensor_bundle.pb.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int kLayers = 6;
constexpr int64_t kWidth = 2048;  // 16 MiB of float32 per layer
constexpr double kMostMilliseconds = 150;

void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void AppendWord(uint32_t value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

uint32_t MaskedCrc(std::string_view bytes) {
  return MaskCrc32c(Crc32c(std::as_bytes(std::span(bytes))));
}

// Appends a block of a sorted table, and returns its handle.
std::string AppendBlock(const std::map<std::string, std::string>& entries, std::string& file) {
  std::string block;
  for (const auto& [key, value] : entries) {
    AppendVarint(0, block);
    AppendVarint(key.size(), block);
    AppendVarint(value.size(), block);
    block += key + value;
  }
  AppendWord(0, block);  // the only restart point
  AppendWord(1, block);
  std::string handle;
  AppendVarint(file.size(), handle);
  AppendVarint(block.size(), handle);
  block += '\0';  // not compressed
  AppendWord(MaskedCrc(block), block);
  file += block;
  return handle;
}

std::string SortedTable(const std::map<std::string, std::string>& entries) {
  std::string file;
  const std::string data = AppendBlock(entries, file);
  std::string footer = AppendBlock({}, file);
  footer += AppendBlock({{"~", data}}, file);
  footer.resize(40);
  return file + footer + std::string("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
}

void SetShape(tensorflow::TensorShapeProto& shape, std::initializer_list<int64_t> dims) {
  for (int64_t dim : dims) shape.add_dim()->set_size(dim);
}

tensorflow::NodeDef& AddNode(tensorflow::GraphDef& graph, const std::string& name, const char* op,
                             std::initializer_list<std::string> inputs, const char* dtype) {
  tensorflow::NodeDef& node = *graph.add_node();
  node.set_name(name);
  node.set_op(op);
  for (const std::string& input : inputs) node.add_input(input);
  (*node.mutable_attr())[dtype].set_type(tensorflow::DT_FLOAT);
  return node;
}

// Writes a chain of products, each [?, kWidth], and its checkpoint.
bool WriteModel(const fs::path& folder) {
  fs::create_directories(folder / "variables");
  tensorflow::SavedModel model;
  model.set_saved_model_schema_version(1);
  tensorflow::MetaGraphDef& meta = *model.add_meta_graphs();
  meta.mutable_meta_info_def()->add_tags("serve");
  tensorflow::GraphDef& graph = *meta.mutable_graph_def();
  graph.mutable_versions()->set_producer(2000);
  auto& input = AddNode(graph, "x", "Placeholder", {}, "dtype");
  SetShape(*(*input.mutable_attr())["shape"].mutable_shape(), {-1, kWidth});
  const std::string bytes(static_cast<size_t>(kWidth * kWidth) * sizeof(float), '\x3c');
  const uint32_t crc = MaskedCrc(bytes);
  std::ofstream data(folder / "variables/variables.data-00000-of-00001", std::ios::binary);
  std::map<std::string, std::string> entries;
  tensorflow::BundleHeaderProto header;
  header.set_num_shards(1);
  header.mutable_version()->set_producer(1);
  entries[""] = header.SerializeAsString();
  std::string last = "x";
  for (int i = 0; i < kLayers; ++i) {
    const std::string name = Cat("w", i);
    auto& variable = AddNode(graph, name, "VarHandleOp", {}, "dtype");
    (*variable.mutable_attr())["shared_name"].set_s(name);
    SetShape(*(*variable.mutable_attr())["shape"].mutable_shape(), {kWidth, kWidth});
    AddNode(graph, name + "/read", "ReadVariableOp", {name}, "dtype");
    AddNode(graph, Cat("y", i), "MatMul", {last, name + "/read"}, "T");
    last = Cat("y", i);
    tensorflow::BundleEntryProto entry;
    entry.set_dtype(tensorflow::DT_FLOAT);
    SetShape(*entry.mutable_shape(), {kWidth, kWidth});
    entry.set_offset(static_cast<int64_t>(bytes.size()) * i);
    entry.set_size(static_cast<int64_t>(bytes.size()));
    entry.set_crc32c(crc);
    entries[name] = entry.SerializeAsString();
    data << bytes;
  }
  tensorflow::SignatureDef& signature = (*meta.mutable_signature_def())["serving_default"];
  signature.set_method_name("tensorflow/serving/predict");
  auto describe = [](tensorflow::TensorInfo& info, const std::string& name) {
    info.set_name(name + ":0");
    info.set_dtype(tensorflow::DT_FLOAT);
    SetShape(*info.mutable_tensor_shape(), {-1, kWidth});
  };
  describe((*signature.mutable_inputs())["x"], "x");
  describe((*signature.mutable_outputs())["y"], last);
  std::ofstream index(folder / "variables/variables.index", std::ios::binary);
  index << SortedTable(entries);
  std::ofstream file(folder / "saved_model.pb", std::ios::binary);
  const bool is_written = model.SerializeToOstream(&file);
  data.close();
  index.close();
  file.close();
  return is_written && !data.fail() && !index.fail() && !file.fail();
}

}  // namespace

void BenchVariables(const BenchOptions& options, Report& report) {
  std::string pattern = (fs::temp_directory_path() / "signet-bench-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  const char* const name = "savedmodel: 100 MB of variables";
  auto measure = [&]() -> Status {
    if (!WriteModel(folder / "1")) return Internal("the model could not be written");
    SIGNET_ASSIGN_OR_RETURN(auto model, LoadModel(folder / "1", "m", 1, {}));
    SIGNET_RETURN_IF_ERROR(model->FindFunction("serving_default").status());
    SIGNET_ASSIGN_OR_RETURN(double milliseconds, LoadMilliseconds(options, folder / "1"));
    report.Add({.name = name, .value = milliseconds, .unit = "ms", .bar = kMostMilliseconds});
    return absl::OkStatus();
  };
  Status status = measure();
  if (!status.ok()) report.Skip(name, MessageOf(status));
  fs::remove_all(folder);
}

}  // namespace signet
