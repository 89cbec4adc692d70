#include "client/cli/publish.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <unistd.h>
#include <utility>

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include "client/cli/check.h"
#include "core/frontends/load_model.h"
#include "core/frontends/savedmodel/import/frozen_graph.h"
#include "core/model/model_name.h"
#include "core/serving/repository/manifest.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

std::string QuotedPath(const fs::path& path) { return Cat("`", Printable(path.string()), "`"); }

// A directory that is removed unless it was renamed.
class HiddenFolder {
 public:
  explicit HiddenFolder(fs::path path) : path_(std::move(path)) {}
  HiddenFolder(const HiddenFolder&) = delete;
  HiddenFolder& operator=(const HiddenFolder&) = delete;
  ~HiddenFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
};

// Writes what the system has not written of a file or a directory yet.
Status FlushToDisk(const fs::path& path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  bool is_flushed = descriptor >= 0 && ::fsync(descriptor) == 0;
  Status status;
  if (!is_flushed) status = FailedPrecondition(QuotedPath(path), ": ", std::strerror(errno));
  if (descriptor >= 0) ::close(descriptor);
  return status;
}

Status CheckVersionToPublish(const fs::path& source, const std::string& name) {
  std::error_code ignored;
  if (fs::is_regular_file(source, ignored)) {
    return LoadModel(source, name, 1, ModelOptions()).status();
  }
  SIGNET_ASSIGN_OR_RETURN(std::vector<CheckedModel> checked, CheckModels(source));
  if (checked.size() != 1) {
    return InvalidArgument(QuotedPath(source), ": expected the directory of one version, found ",
                           checked.size(), " versions; pass one of them");
  }
  for (const Status& error : checked[0].errors) return At(checked[0].name, error);
  return absl::OkStatus();
}

// Returns the manifest of a version in the directory of models, or an empty one.
v1::Manifest ManifestOf(const fs::path& folder) {
  auto manifest = MakeManifest(SystemFiles(), folder);
  return manifest.ok() ? *std::move(manifest) : v1::Manifest();
}

std::optional<int64_t> NewestVersion(const fs::path& model) {
  std::optional<int64_t> newest;
  std::error_code error;
  for (fs::directory_iterator it(model, error), end; !error && it != end; it.increment(error)) {
    auto version = ParseVersion(it->path().filename().string());
    if (version) newest = std::max(newest.value_or(0), *version);
  }
  if (!newest && HoldsModel(model)) newest = 1;
  return newest;
}

// Returns the names of the inputs and outputs with which a source that is a frozen graph is read.
// They are empty for another source.
StatusOr<v1::FrozenGraph> NamesOfSource(const fs::path& source) {
  std::error_code ignored;
  const bool is_file = fs::is_regular_file(source, ignored);
  const fs::path file = is_file ? source : source / kFrozenGraphFile;
  if (!IsFrozenGraphFile(file) || !fs::exists(file, ignored)) return v1::FrozenGraph();
  return ReadFrozenGraphNames(file);
}

// Returns true if a server reads the version in `folder` with these names. The directory need not
// exist.
bool HasNames(const fs::path& folder, const v1::FrozenGraph& names) {
  if (names.inputs().empty() && names.outputs().empty()) return true;
  auto found = ReadFrozenGraphNames(folder / kFrozenGraphFile);
  return found.ok() && google::protobuf::util::MessageDifferencer::Equals(*found, names);
}

// Writes settings with the names of a frozen graph into the directory of its version.
Status WriteNames(const v1::FrozenGraph& names, const fs::path& folder) {
  v1::ModelSettings settings;
  *settings.mutable_frozen_graph() = names;
  std::string text;
  google::protobuf::TextFormat::PrintToString(settings, &text);
  const fs::path path = folder / kSettingsFile;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return FailedPrecondition(QuotedPath(path), ": cannot write the settings");
  return FlushToDisk(path);
}

Status CopyFiles(const fs::path& source, const v1::Manifest& manifest, const fs::path& target) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(source, error);
  for (const v1::ManifestFile& file : manifest.files()) {
    fs::path from = is_file ? source : source / file.path();
    fs::path to = target / file.path();
    fs::create_directories(to.parent_path(), error);
    if (!error) fs::copy_file(from, to, error);
    if (error) return FailedPrecondition(QuotedPath(to), ": cannot copy: ", error.message());
    SIGNET_RETURN_IF_ERROR(FlushToDisk(to));
  }
  SIGNET_ASSIGN_OR_RETURN(std::string json, ManifestToJson(manifest));
  {
    std::ofstream out(target / kManifestFile, std::ios::binary);
    out << json;
    if (!out.flush()) return FailedPrecondition(QuotedPath(target), ": cannot write the manifest");
  }
  SIGNET_RETURN_IF_ERROR(FlushToDisk(target / kManifestFile));
  SIGNET_RETURN_IF_ERROR(FlushToDisk(target));
  return At(QuotedPath(source), CheckManifest(SystemFiles(), target));
}

// Checks that no file of a source directory is a link to a place outside of it.
Status CheckLinks(const fs::path& source, const v1::Manifest& manifest) {
  std::error_code error;
  const fs::path root = fs::canonical(source, error);
  for (const v1::ManifestFile& file : manifest.files()) {
    const fs::path path = source / file.path();
    if (error || !fs::is_symlink(path, error)) continue;
    const fs::path real = fs::canonical(path, error);
    const auto difference = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
    if (difference.first != root.end()) {
      return FailedPrecondition(QuotedPath(path), ": expected a file in the directory, found a ",
                                "link to a place outside of it; copy the file");
    }
  }
  if (error) return FailedPrecondition(QuotedPath(source), ": ", error.message());
  return absl::OkStatus();
}

StatusOr<v1::Manifest> ManifestOfSource(const fs::path& source) {
  std::error_code ignored;
  if (!fs::is_regular_file(source, ignored)) {
    SIGNET_ASSIGN_OR_RETURN(v1::Manifest found, MakeManifest(SystemFiles(), source));
    SIGNET_RETURN_IF_ERROR(CheckLinks(source, found));
    return found;
  }
  v1::Manifest manifest;
  manifest.set_format_version(1);
  v1::ManifestFile& file = *manifest.add_files();
  file.set_path(source.extension() == ".onnx" ? kOnnxFile : kFrozenGraphFile);
  file.set_size(static_cast<int64_t>(fs::file_size(source, ignored)));
  SIGNET_ASSIGN_OR_RETURN(*file.mutable_sha256(), Sha256OfFile(SystemFiles(), source));
  return manifest;
}

bool IsSame(const v1::Manifest& a, const v1::Manifest& b) {
  return !a.files().empty() && a.SerializeAsString() == b.SerializeAsString();
}

// Returns the name of the model in `source`, which may be `recipes/3`, `recipes`, or
// `recipes.onnx`.
std::string NameOfSource(const fs::path& source) {
  fs::path path = fs::absolute(source).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.extension() == ".onnx" || IsFrozenGraphFile(path)) {
    return path.filename() == kOnnxFile || path.filename() == kFrozenGraphFile
               ? path.parent_path().filename().string()
               : path.stem().string();
  }
  bool is_numbered = ParseVersion(path.filename().string()).has_value();
  return (is_numbered ? path.parent_path() : path).filename().string();
}

}  // namespace

StatusOr<PublishedModel> PublishModel(const fs::path& source, const fs::path& models,
                                      const PublishOptions& options) {
  std::error_code error;
  if (!fs::exists(source, error))
    return NotFound(QuotedPath(source), ": file or directory not found");
  if (!fs::is_directory(models, error)) {
    return NotFound("directory of models ", QuotedPath(models), " not found");
  }
  PublishedModel out;
  out.name = options.name.empty() ? NameOfSource(source) : options.name;
  if (!IsModelName(out.name)) {
    return InvalidArgument(
        "expected a name of at most 128 letters, digits, `_`, `-`, and `.`; "
        "found `",
        Printable(out.name), "`; pass --name");
  }
  SIGNET_RETURN_IF_ERROR(CheckVersionToPublish(source, out.name));
  SIGNET_ASSIGN_OR_RETURN(v1::Manifest manifest, ManifestOfSource(source));
  out.files = static_cast<size_t>(manifest.files_size());
  for (const v1::ManifestFile& file : manifest.files()) out.bytes += file.size();
  SIGNET_ASSIGN_OR_RETURN(const v1::FrozenGraph names, NamesOfSource(source));

  const fs::path model = models / out.name;
  if (fs::is_symlink(model, error)) {
    return FailedPrecondition(QuotedPath(model),
                              ": expected a directory, found a link; publish into the directory of "
                              "models that contains its target");
  }
  const std::optional<int64_t> newest = NewestVersion(model);
  out.version = options.version.value_or(newest.value_or(0) + 1);
  const int64_t compared = options.version.value_or(newest.value_or(0));
  if (fs::exists(model / Cat(compared), error)) {
    const fs::path folder = model / Cat(compared);
    out.was_published = IsSame(ManifestOf(folder), manifest) && HasNames(folder, names);
    if (out.was_published) {
      out.version = compared;
      return out;
    }
    if (options.version) {
      return AlreadyExists("`", out.name, "/", compared,
                           "` exists and has other files; publish another version");
    }
  }

  HiddenFolder copy(models / Cat(".signet-publish-", std::random_device()()));
  if (!fs::create_directory(copy.path(), error)) {
    return FailedPrecondition(QuotedPath(models), ": cannot write: ", error.message());
  }
  if (!HasNames(model / Cat(out.version), names)) {
    SIGNET_RETURN_IF_ERROR(WriteNames(names, copy.path()));
  }
  SIGNET_RETURN_IF_ERROR(CopyFiles(source, manifest, copy.path()));
  fs::create_directories(model, error);
  if (!error) fs::rename(copy.path(), model / Cat(out.version), error);
  if (error) {
    return FailedPrecondition("cannot rename the copy to ", QuotedPath(model / Cat(out.version)),
                              ": ", error.message());
  }
  SIGNET_RETURN_IF_ERROR(FlushToDisk(model));
  return out;
}

}  // namespace signet
