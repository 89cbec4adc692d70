#include "core/frontends/load_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/frontends/onnx/import/importer.h"
#include "core/frontends/savedmodel/import/frozen_graph.h"
#include "core/frontends/savedmodel/import/importer.h"
#include "core/frontends/savedmodel/import/saved_model_file.h"
#include "core/model/complete_model.h"
#include "core/model/language/model_folder.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"
#include "core/model/native/source_lines.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestImport = 8;
constexpr int kMostImports = 64;  // of models, in one load

// Finds versions in the directory of models that contains the directory `folder` of a version.
ModelFinder FindNextTo(const fs::path& folder) {
  return [folder](const ModelReference& reference) -> StatusOr<ImportedVersion> {
    if (!reference.label.empty()) {
      return FailedPrecondition(
          "labels belong to a server; without one, import a version, such as `", reference.name,
          "/1`");
    }
    std::error_code error;
    const fs::path models = fs::weakly_canonical(folder, error).parent_path().parent_path();
    ImportedVersion found{.folder = models / reference.name / Cat(*reference.version)};
    if (!fs::is_directory(found.folder, error)) {
      return NotFound("no such directory next to the directory of this model");
    }
    return found;
  };
}

// Returns how to export the model of a file in a format that is not supported, or nothing if the
// file is something else.
std::string_view ExportHint(const fs::path& file) {
  const fs::path extension = file.extension();
  if (extension == ".keras" || extension == ".h5" || extension == ".hdf5") {
    return "a model that Keras saved; load it with Keras and call model.export(DIR), which writes "
           "a SavedModel";
  }
  if (extension == ".tflite") return "a model of TensorFlow Lite; export a SavedModel instead";
  if (extension == ".cpb") {
    return "a SavedModel in several parts; save it without the option experimental_image_format, "
           "as one saved_model.pb of at most 1 GiB";
  }
  if (file.filename() == "model.json") {
    return "a model of TensorFlow.js; export a SavedModel instead";
  }
  if (extension == ".pb") {
    return "not a SavedModel; if it is a frozen graph of TensorFlow 1, name it frozen_graph.pb";
  }
  if (extension == ".pbtxt") {
    return "not a SavedModel; a graph of TensorFlow 1 as text becomes a frozen_graph.pb with "
           "tf.io.write_graph(.., as_text=False)";
  }
  if (extension == ".pt" || extension == ".pth" || extension == ".safetensors") {
    return "weights of PyTorch; export the model with torch.onnx.export";
  }
  if (file.filename() == "checkpoint" || extension == ".index" || extension == ".ckpt") {
    return "a checkpoint of TensorFlow, which has no functions; export a SavedModel instead";
  }
  return "";
}

// Returns what is wrong with a directory that contains no model.
Status NoModelIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().native();
    if (entry.is_regular_file(error) && name != kCapturesFile) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  const std::string expected =
      Cat("expected a ",
          Join(std::vector<std::string>(std::begin(kModelFiles), std::end(kModelFiles) - 1), ", "),
          ", or ", *(std::end(kModelFiles) - 1));
  for (const std::string& name : names) {
    const std::string_view hint = ExportHint(name);
    if (!hint.empty()) {
      return FailedPrecondition(expected, ", found `", Printable(name), "`, which is ", hint);
    }
  }
  return FailedPrecondition(expected, ", found none");
}

// Returns the directory of a native model whose file is `path`, which consists of several files; or
// else `path`.
fs::path FolderOfNativeFile(const fs::path& path) {
  const bool is_native = path.filename() == kLanguageFile || path.filename() == kBinaryFile;
  std::error_code error;
  return is_native && fs::is_regular_file(path, error) ? fs::absolute(path).parent_path() : path;
}

// Loads models, and the models that they import.
struct ModelLoader {
  Limits limits;
  ExtensionProtocols types;
  ModelFinder find_model;  // empty for FindNextTo
  int depth = 0;
  std::shared_ptr<int> num_imports = std::make_shared<int>(0);
  // Used in place of captures.safetensors; null for this file.
  std::shared_ptr<const MappedTensors> captures = nullptr;

  StatusOr<ModelDef> Load(const fs::path& path) const {
    std::error_code error;
    auto def = fs::is_regular_file(path, error) ? ReadFile(path) : ReadFolder(path);
    if (def.ok()) return def;
    Status placed = At(PlaceOf(path), def.status());
    return MakeStatus(absl::StatusCode::kFailedPrecondition, MessageOf(placed));
  }

 private:
  StatusOr<ModelDef> ReadFile(const fs::path& path) const {
    const fs::path name = path.filename();
    if (name == kSavedModelFile || name == kSavedModelTextFile) {
      return ImportSavedModel(fs::absolute(path).parent_path(), types);
    }
    if (path.extension() == ".onnx") return ImportOnnx(path, types);
    if (IsFrozenGraphFile(path)) return ImportFrozenGraph(path, types);
    const std::string_view hint = ExportHint(path);
    return FailedPrecondition(
        "expected the directory of a model, a file ending in .onnx, saved_model.pb, or a frozen "
        "graph ending in .pb",
        hint.empty() ? "" : ", found ", hint);
  }

  StatusOr<ModelDef> ReadFolder(const fs::path& folder) const {
    std::error_code error;
    if (!fs::is_directory(folder, error)) return FailedPrecondition("no such folder");
    // The forms of a model, which are mutually exclusive.
    std::string_view form;
    for (const char* name : kModelFiles) {
      SIGNET_ASSIGN_OR_RETURN(bool is_there, HasPlainFile(folder / name));
      if (!is_there) continue;
      // Of the two forms of a SavedModel, the binary one is read.
      if (form == kSavedModelFile && name == std::string_view(kSavedModelTextFile)) continue;
      if (!form.empty()) {
        return FailedPrecondition(form, " and ", name, " are mutually exclusive");
      }
      form = name;
    }
    if (form.empty()) return NoModelIn(folder);
    if (form == kOnnxFile) {
      auto imported = ImportOnnx(folder / kOnnxFile, types);
      return imported.ok() ? std::move(imported) : At(kOnnxFile, imported.status());
    }
    if (form == kSavedModelFile || form == kSavedModelTextFile) {
      return ImportSavedModel(folder, types);
    }
    if (form == kFrozenGraphFile) return ImportFrozenGraph(folder / kFrozenGraphFile, types);
    SIGNET_ASSIGN_OR_RETURN(ModelDef def,
                            form == kLanguageFile ? ReadLanguage(folder) : ReadNative(folder));
    SIGNET_ASSIGN_OR_RETURN(def.sources, SourceLines::Read(folder));
    return def;
  }

  StatusOr<ModelDef> ReadNative(const fs::path& folder) const {
    if (captures != nullptr) return LoadNativeModel(folder, *captures, limits, types);
    return LoadNativeModel(folder, limits, types);
  }

  StatusOr<ModelDef> ReadLanguage(const fs::path& folder) const {
    if (captures != nullptr) return ReadLanguageWith(folder, *captures);
    SIGNET_ASSIGN_OR_RETURN(MappedTensors mapped, MapCaptureFile(folder));
    return ReadLanguageWith(folder, std::move(mapped));
  }

  StatusOr<ModelDef> ReadLanguageWith(const fs::path& folder, MappedTensors mapped) const {
    ModelImports imports;
    imports.load_file = [&](const fs::path& file) { return ImportOnnx(file, types); };
    imports.load_model = [&](const ModelReference& reference,
                             fs::path& found) -> StatusOr<ModelDef> {
      if (depth == kDeepestImport) {
        return FailedPrecondition("models import one another in a cycle, or more than ",
                                  kDeepestImport, " levels deep");
      }
      if (++*num_imports > kMostImports) {
        return ResourceExhausted("models import more than ", kMostImports, " other models");
      }
      SIGNET_ASSIGN_OR_RETURN(ImportedVersion version,
                              (find_model ? find_model : FindNextTo(folder))(reference));
      found = version.folder;
      ModelLoader inner = *this;
      ++inner.depth;
      inner.captures = std::move(version.captures);
      return inner.Load(found);
    };
    SIGNET_ASSIGN_OR_RETURN(ModelDef def,
                            LoadLanguageModel(folder, std::move(mapped), types, imports));
    def.files->load = [find_model = find_model](
                          const fs::path& again, MappedTensors other, const Limits& its_limits,
                          const ExtensionProtocols& its_types, const ModelFinder& other_finder) {
      return ModelLoader{its_limits, its_types, other_finder ? other_finder : find_model}
          .ReadLanguageWith(again, std::move(other));
    };
    return def;
  }
};

}  // namespace

StatusOr<ModelDef> LoadModelDef(const fs::path& path, const Limits& limits,
                                const ExtensionProtocols& types, const ModelFinder& find_model) {
  return ModelLoader{limits, types, find_model}.Load(FolderOfNativeFile(path));
}

bool IsModelFile(const fs::path& path) {
  return std::find(std::begin(kModelFiles), std::end(kModelFiles), path.filename()) !=
         std::end(kModelFiles);
}

bool HoldsModel(const fs::path& folder) {
  return std::any_of(std::begin(kModelFiles), std::end(kModelFiles), [&](const char* name) {
    std::error_code error;
    return fs::is_regular_file(folder / name, error);
  });
}

StatusOr<ModelDef> LoadServedModelDef(const fs::path& path, const Limits& limits) {
  if (!HoldsTensorFlowModel(path)) return LoadModelDef(path, limits);
  ModelOptions options;
  options.limits = limits;
  SIGNET_ASSIGN_OR_RETURN(auto loaded, LoadModel(path, "", 1, options));
  return loaded->def();
}

StatusOr<std::shared_ptr<const LoadedModel>> LoadModel(const fs::path& path, std::string name,
                                                       int64_t version,
                                                       const ModelOptions& options) {
  const fs::path folder = FolderOfNativeFile(path);
  SIGNET_ASSIGN_OR_RETURN(ModelDef def,
                          LoadModelDef(folder, options.limits, options.types, options.find_model));
  if (Status batches = AddBatches(def, options.batches); !batches.ok()) {
    return At(PlaceOf(folder), FailedPrecondition(MessageOf(batches)));
  }
  auto model = std::make_shared<LoadedModel>(name, version, std::move(def), options);
  Status checked = model->CheckBodies();
  if (!checked.ok() && HoldsTensorFlowModel(folder)) {
    auto rest = WithoutFaultyFunctions(*model);
    if (rest.ok()) {
      model = std::make_shared<LoadedModel>(name, version, *std::move(rest), options);
      checked = model->CheckBodies();
    } else {
      checked = rest.status();
    }
  }
  if (checked.ok()) return model;
  if (const auto& sources = model->def().sources) checked = sources->AddTo("", checked);
  checked = WithPositionInFolder(folder, checked);
  return At(PlaceOf(folder), FailedPrecondition(MessageOf(checked)));
}

}  // namespace signet
