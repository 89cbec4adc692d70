#include "core/frontends/savedmodel/import/saved_model_file.h"

#include <algorithm>
#include <farmhash.h>
#include <fstream>
#include <iterator>
#include <vector>

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include "core/formats/common/mapped_file.h"
#include "core/frontends/savedmodel/import/frozen_graph.h"
#include "core/frontends/savedmodel/import/graph_message.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;

constexpr size_t kMaxTextBytes = size_t{256} << 20;
constexpr int kMaxMessageDepth = 100;
constexpr int kMaxListedGraphs = 8;

std::string_view TextOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

class FirstError : public pb::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = Cat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  void AddWarning(int, int, const std::string&) override {}
  std::string text;
};

StatusOr<tensorflow::SavedModel> ParseText(std::string_view bytes) {
  if (bytes.size() > kMaxTextBytes) {
    return ResourceExhausted(bytes.size(), " bytes exceed the limit of ", kMaxTextBytes);
  }
  tensorflow::SavedModel model;
  pb::TextFormat::Parser parser;
  FirstError error;
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.SetRecursionLimit(kMaxMessageDepth);
  parser.RecordErrorsTo(&error);
  pb::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  if (!parser.Parse(&stream, &model)) {
    return InvalidArgument("expected a SavedModel as text: ", Printable(error.text));
  }
  return model;
}

std::string TagsOf(const tensorflow::MetaGraphDef& graph) {
  std::vector<std::string> tags;
  for (const std::string& tag : graph.meta_info_def().tags()) tags.push_back(Printable(tag));
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return Join(tags, ", ");
}

StatusOr<int> SelectGraph(const tensorflow::SavedModel& model) {
  std::vector<int> serving;
  std::vector<std::string> all;
  for (int i = 0; i < model.meta_graphs_size(); ++i) {
    const auto& tags = model.meta_graphs(i).meta_info_def().tags();
    const std::string text = TagsOf(model.meta_graphs(i));
    if (text == "serve") return i;
    if (std::find(tags.begin(), tags.end(), "serve") != tags.end()) serving.push_back(i);
    if (all.size() < kMaxListedGraphs) all.push_back(Cat("{", text, "}"));
  }
  if (serving.size() == 1) return serving[0];
  if (all.empty()) return InvalidArgument("expected at least one graph, found none");
  return InvalidArgument("expected one graph with the tag `serve`, found ", serving.size(),
                         "; tags of the graphs: ", Join(all, ", "));
}

uint64_t HashOf(std::string_view bytes) { return util::Fingerprint64(bytes.data(), bytes.size()); }

// Compares the hashes in fingerprint.pb. Tools may rewrite a model without it.
std::string CompareFingerprint(const fs::path& folder, std::string_view model) {
  auto file = MappedFile::Map(folder / "fingerprint.pb");
  tensorflow::FingerprintDef fingerprint;
  if (!file.ok() || !fingerprint.ParseFromArray((*file)->bytes().data(),
                                                static_cast<int>((*file)->bytes().size()))) {
    return "";
  }
  if (fingerprint.saved_model_checksum() != 0 &&
      fingerprint.saved_model_checksum() != HashOf(model)) {
    return "saved_model.pb was changed after fingerprint.pb was written";
  }
  auto index = MappedFile::Map(folder / "variables" / "variables.index");
  if (index.ok() && fingerprint.checkpoint_hash() != 0 &&
      fingerprint.checkpoint_hash() != HashOf(TextOf(**index))) {
    return "variables.index was changed after fingerprint.pb was written";
  }
  return "";
}

}  // namespace

bool HoldsTensorFlowModel(const fs::path& path) {
  const fs::path name = path.filename();
  std::error_code error;
  return name == kSavedModelFile || name == kSavedModelTextFile || IsFrozenGraphFile(path) ||
         fs::is_regular_file(path / kSavedModelFile, error) ||
         fs::is_regular_file(path / kSavedModelTextFile, error) ||
         fs::is_regular_file(path / kFrozenGraphFile, error);
}

StatusOr<std::unique_ptr<SavedModelFile>> ReadSavedModelFile(const fs::path& folder) {
  std::error_code error;
  auto out = std::make_unique<SavedModelFile>();
  tensorflow::SavedModel model;
  const bool is_binary = fs::exists(folder / kSavedModelFile, error);
  const char* name = is_binary ? kSavedModelFile : kSavedModelTextFile;
  if (!is_binary && !fs::exists(folder / name, error)) {
    if (fs::exists(folder / "saved_model.cpb", error)) {
      return Unimplemented("unsupported form saved_model.cpb; supported forms: ", kSavedModelFile,
                           ", ", kSavedModelTextFile);
    }
    return NotFound(kSavedModelFile, " not found");
  }
  auto read = [&]() -> Status {
    SIGNET_ASSIGN_OR_RETURN(auto file, MappedFile::Map(folder / name));
    if (is_binary) {
      SIGNET_RETURN_IF_ERROR(ParseGraphMessage(TextOf(*file), "a SavedModel", model));
    } else {
      SIGNET_ASSIGN_OR_RETURN(model, ParseText(TextOf(*file)));
    }
    if (is_binary) out->fingerprint_note = CompareFingerprint(folder, TextOf(*file));
    file->Release();
    if (model.saved_model_schema_version() > 1) {
      return Unimplemented("unsupported schema version ", model.saved_model_schema_version(),
                           "; supported version: 1");
    }
    SIGNET_ASSIGN_OR_RETURN(int selected, SelectGraph(model));
    out->graph = std::move(*model.mutable_meta_graphs(selected));
    out->tags = TagsOf(out->graph);
    return absl::OkStatus();
  };
  if (Status status = read(); !status.ok()) return At(name, status);
  return out;
}

}  // namespace signet
