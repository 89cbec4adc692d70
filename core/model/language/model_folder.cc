#include "core/model/language/model_folder.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/model/language/equal_graphs.h"
#include "core/model/language/model_printer.h"
#include "core/model/language/model_reader.h"
#include "core/model/language/syntax/limits.h"
#include "core/model/native/model_files.h"
#include "core/model/native/model_to_proto.h"
#include "core/model/native/source_lines.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// Checks that reading `printed` returns a model with equal functions.
Status CheckReadBack(const ModelDef& model, const PrintedModel& printed,
                     const std::string& descriptor_set, const ExtensionProtocols& types) {
  SIGNET_ASSIGN_OR_RETURN(
      ModelDef read, ModelDefFromLanguage(printed.text, {printed.tensors, descriptor_set}, types));
  absl::flat_hash_map<std::string_view, const FunctionDef*> functions;
  for (const FunctionDef& def : read.functions) functions.emplace(def.name, &def);
  for (const FunctionDef& def : model.functions) {
    auto found = functions.find(def.name);
    Status status = found == functions.end() ? NotFound("the text has no such function")
                                             : EqualFunctions(def, *found->second);
    if (!status.ok()) {
      return At(Cat("function `", Printable(def.name), "`: the text is read as another function"),
                Unimplemented(MessageOf(status)));
    }
  }
  if (read.batches != model.batches) {
    return Unimplemented("the text declares the rows of other parameters");
  }
  return absl::OkStatus();
}

// Returns a number that differs if the file has been changed.
uint64_t StampOfFile(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  const auto changed = fs::last_write_time(file, error).time_since_epoch().count();
  return MixHash(size, static_cast<uint64_t>(changed));
}

}  // namespace

StatusOr<ModelDef> LoadLanguageModel(const fs::path& folder, MappedTensors mapped,
                                     const ExtensionProtocols& types, const ModelImports& imports) {
  auto text = ReadPlainFile(folder / kLanguageFile, kMaxSourceBytes);
  if (!text.ok()) return At(kLanguageFile, text.status());
  const auto shared = std::make_shared<const MappedTensors>(mapped);
  LanguageFiles files;
  files.tensors.insert(mapped.tensors.begin(), mapped.tensors.end());
  SIGNET_ASSIGN_OR_RETURN(files.descriptor_set, ReadDescriptorFile(folder));
  uint64_t hash = MixHash(HashBytes(*text), HashBytes(files.descriptor_set));
  files.import = [&](std::string_view file) -> StatusOr<ModelDef> {
    SIGNET_ASSIGN_OR_RETURN(bool is_there, HasPlainFile(folder / file));
    if (!is_there) return NotFound("no such file");
    hash = MixHash(hash, StampOfFile(folder / file));
    return imports.load_file(folder / file);
  };
  files.import_model = [&](const ModelReference& reference) -> StatusOr<ModelDef> {
    fs::path imported;
    SIGNET_ASSIGN_OR_RETURN(ModelDef def, imports.load_model(reference, imported));
    hash = MixHash(hash, HashBytes(imported.native()));
    for (const char* name : {kLanguageFile, kBinaryFile, "model.onnx"}) {
      hash = MixHash(hash, StampOfFile(imported / name));
    }
    return def;
  };
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, ModelDefFromLanguage(*text, std::move(files), types));
  def.files = ModelFiles{folder, hash, shared, nullptr};
  if (mapped.file != nullptr) def.captures_files.push_back(std::move(mapped.file));
  return def;
}

Status WriteLanguageModel(const fs::path& folder, const ModelDef& model,
                          const ExtensionProtocols& types) {
  SIGNET_ASSIGN_OR_RETURN(PrintedModel printed, PrintModel(model));
  std::string descriptor_set;
  if (model.messages != nullptr) descriptor_set = DescriptorSetOf(*model.messages);
  SIGNET_RETURN_IF_ERROR(CheckReadBack(model, printed, descriptor_set, types));
  NamedTensors tensors;
  for (const auto& [name, captured] : printed.tensors) {
    auto value = captured.Get();
    if (!value.ok()) return At(Cat("capture `", Printable(name), "`"), value.status());
    tensors.emplace_back(name, value->tensor());
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return FailedPrecondition("cannot make the directory");
  fs::remove(folder / kBinaryFile, error);
  if (tensors.empty()) {
    fs::remove(folder / kCapturesFile, error);
  } else {
    SIGNET_RETURN_IF_ERROR(At(kCapturesFile, WriteSafetensors(folder / kCapturesFile, tensors)));
  }
  if (descriptor_set.empty()) {
    fs::remove(folder / kDescriptorsFile, error);
  } else {
    SIGNET_RETURN_IF_ERROR(WriteFileAtomically(folder / kDescriptorsFile, descriptor_set));
  }
  SIGNET_RETURN_IF_ERROR(SourceLines::Write(folder, model.sources.get()));
  return WriteFileAtomically(folder / kLanguageFile, printed.text);
}

Status WithPositionInFolder(const fs::path& folder, const Status& status) {
  auto text = ReadPlainFile(folder / kLanguageFile, kMaxSourceBytes);
  return text.ok() ? WithSourcePosition(*text, status) : status;
}

}  // namespace signet
