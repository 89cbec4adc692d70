#include "core/serving/repository/model_folders.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "core/frontends/load_model.h"
#include "core/frontends/savedmodel/import/frozen_graph.h"
#include "core/frontends/savedmodel/import/saved_model_file.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostSkipped = 1000;
constexpr int kMostFiles = 10'000;  // in a version directory, including its subdirectories
constexpr int kDeepestFolder = 16;
constexpr const char* kTensorFlowFiles[] = {kSavedModelFile, kSavedModelTextFile, kFrozenGraphFile};

bool IsHidden(const fs::path& path) { return path.filename().native().starts_with("."); }

// Returns true if `path`, with links resolved, is `root` or inside it. `root` is canonical.
bool IsWithin(const FileSystem& files, const fs::path& path, const fs::path& root) {
  const auto real = files.Resolve(path);
  if (!real.ok()) return false;  // a dangling link, a loop, or no permission
  return std::mismatch(root.begin(), root.end(), real->begin(), real->end()).first == root.end();
}

// Returns true if `folder` contains the files of a SavedModel or a frozen graph.
bool HoldsTensorFlowModel(const FileSystem& files, const fs::path& folder) {
  return std::any_of(std::begin(kTensorFlowFiles), std::end(kTensorFlowFiles),
                     [&](const char* name) { return files.IsFile(folder / name); });
}

class Finder {
 public:
  Finder(const FileSystem& files, fs::path root) : files_(files), root_(std::move(root)) {}

  StatusOr<ModelFolders> Find() && {
    if (IsModelItself()) return std::move(found_);
    for (const fs::path& path : EntriesOf(root_)) FindModel(path);
    return Sorted();
  }

  std::vector<std::string> FindMisplaced() && {
    IsModelItself();
    return std::move(found_.misplaced);
  }

  // Finds the versions of the entry `name` of the root.
  ModelFolders FindOne(const std::string& name) && {
    FindModel(root_ / name);
    return Sorted();
  }

  // Finds the versions of the root, which is the model `name`.
  ModelFolders FindVersionsOfRoot(const std::string& name) && {
    FindVersions(root_);
    for (VersionFolder& version : found_.versions) version.name = name;
    return Sorted();
  }

 private:
  // Returns true if `path`, with links resolved, is inside the root. An entry of the root may be a
  // link to another place: the operator made it. What is below such an entry may be there, too.
  bool IsPermitted(const fs::path& path) const {
    if (IsWithin(files_, path, root_)) return true;
    const fs::path relative = path.lexically_relative(root_);
    if (relative.empty() || *relative.begin() == "." || *relative.begin() == "..") return false;
    const fs::path entry = root_ / *relative.begin();
    if (!files_.IsLink(entry)) return false;
    const auto target = files_.Resolve(entry);
    return target.ok() && IsWithin(files_, path, *target);
  }

  void FindModel(const fs::path& path) {
    if (!IsFolder(path)) {
      if (IsMisplacedModel(path))
        Skip(path, "expected a directory with the name of the model around this file");
      return;
    }
    if (!IsModelName(path.filename().native())) {
      Skip(path, "expected a name of at most 128 letters, digits, `_`, `-`, and `.`");
    } else if (!IsPermitted(path)) {
      Skip(path, "expected a directory, found a link to a place that does not exist");
    } else {
      FindVersions(path);
    }
  }

  ModelFolders Sorted() {
    std::sort(found_.versions.begin(), found_.versions.end(), [](const auto& a, const auto& b) {
      return std::tie(a.name, a.version) < std::tie(b.name, b.version);
    });
    std::sort(found_.skipped.begin(), found_.skipped.end());
    std::sort(found_.misplaced.begin(), found_.misplaced.end());
    return std::move(found_);
  }

  // Returns true if the root is one model or one version of a model, and reports it.
  bool IsModelItself() {
    bool is_model = HasOnlyVersions(root_);
    bool is_version = !is_model && HoldsModelFile(root_) && !HoldsModels(root_);
    if (!is_model && !is_version) return false;
    std::string_view shape = is_model
                                 ? "one model: it contains version directories"
                                 : "one version of a model: it contains the files of the model";
    // `recipes/3` is two levels too deep, `recipes` one.
    bool is_numbered = ParseVersion(root_.filename().native()).has_value();
    fs::path wanted = root_.parent_path();
    if (is_version && is_numbered) wanted = wanted.parent_path();
    found_.misplaced.push_back(Cat("`", Printable(root_.native()), "` looks like ", shape,
                                   "; pass the directory of models that contains it, `",
                                   Printable(wanted.native()), "`"));
    return true;
  }

  // Returns true if `folder` contains the files of a model, so that it can be a version.
  bool HoldsModelFile(const fs::path& folder) const {
    for (const char* name : kModelFiles) {
      if (IsPermitted(folder / name) && files_.IsFile(folder / name)) return true;
    }
    return false;
  }

  // Returns true if `folder` contains version directories with the files of a model, and no other
  // directories.
  bool HasOnlyVersions(const fs::path& folder) const {
    bool found = false;
    for (const fs::path& path : EntriesOf(folder)) {
      if (!IsFolder(path) || !IsPermitted(path)) continue;
      if (!VersionOfFolder(files_, path)) return false;
      found = found || HoldsModelFile(path);
    }
    return found;
  }

  // Returns true if `folder` contains at least one model, so that it can be the value of --models.
  bool HoldsModels(const fs::path& folder) const {
    for (const fs::path& path : EntriesOf(folder)) {
      if (!IsFolder(path) || !IsPermitted(path)) continue;
      if (files_.IsFile(path / kOnnxFile) || HoldsTensorFlowModel(files_, path) ||
          HasOnlyVersions(path)) {
        return true;
      }
    }
    return false;
  }

  // Returns true for a file of a model, which needs a directory.
  static bool IsMisplacedModel(const fs::path& path) {
    return path.extension() == ".onnx" || IsModelFile(path);
  }

  // Returns true for a directory or a link. Links are checked later.
  bool IsFolder(const fs::path& path) const { return files_.IsLink(path) || files_.IsFolder(path); }

  // Returns the entries that are not hidden, but at most `most` of them.
  std::vector<fs::path> EntriesOf(const fs::path& folder,
                                  size_t most = std::numeric_limits<size_t>::max()) const {
    std::vector<fs::path> out;
    const auto names = files_.List(folder, most);
    if (!names.ok()) return out;
    for (const std::string& name : *names) {
      if (!IsHidden(name)) out.push_back(folder / name);
    }
    return out;
  }

  void Skip(const fs::path& path, std::string_view why) {
    if (found_.skipped.size() >= kMostSkipped) return;
    std::string name = Printable(path.lexically_relative(root_).native());
    found_.skipped.push_back(Cat("`", name, "`: ", why));
  }

  void FindVersions(const fs::path& model) {
    std::vector<fs::path> versions;
    std::vector<fs::path> others;
    fs::path whole;  // the file of a model that is version 1
    for (const fs::path& path : EntriesOf(model)) {
      if (IsModelFile(path)) whole = path;
      if (!IsFolder(path)) continue;
      (VersionOfFolder(files_, path) ? versions : others).push_back(path);
    }
    std::sort(versions.begin(), versions.end());
    for (const fs::path& path : versions) AddVersion(model, *VersionOfFolder(files_, path), path);
    if (!whole.empty()) {
      // Other directories may be content, such as data next to a model.onnx.
      bool is_taken = std::any_of(versions.begin(), versions.end(), [&](const fs::path& path) {
        return VersionOfFolder(files_, path) == 1;
      });
      if (!is_taken) return AddVersion(model, 1, model);
      return Skip(whole, "duplicate version 1; the directory `1` is also version 1");
    }
    if (versions.empty() && HoldsModels(model)) {
      found_.misplaced.push_back(
          Cat("`", Printable(model.native()),
              "` looks like a directory of models, not like one model; pass it "
              "as --models, or move its models up"));
      return;
    }
    if (versions.empty() && others.empty()) {
      Skip(model, Cat("expected a version directory such as `1`, or a file of a model such as ",
                      kLanguageFile, " or ", kOnnxFile, ", found neither"));
    }
    for (const fs::path& path : others)
      Skip(path, "expected a version, which is a positive integer");
  }

  void AddVersion(const fs::path& model, int64_t version, const fs::path& folder) {
    for (const VersionFolder& other : found_.versions) {
      if (other.name != model.filename().native() || other.version != version) continue;
      return Skip(folder, Cat("duplicate version ", version, "; the directory `",
                              Printable(other.folder.filename().native()), "` is it, too"));
    }
    VersionFolder& found = found_.versions.emplace_back();
    found.name = model.filename().native();
    found.version = version;
    found.folder = folder;
    int files = 0;
    found.status = CheckFolder(folder, 0, files);
  }

  // Checks that everything in `folder` is a regular file or a directory, and inside the root.
  Status CheckFolder(const fs::path& folder, int depth, int& files) const {
    if (!IsPermitted(folder)) {
      return FailedPrecondition("expected a link to a directory inside the directory of models");
    }
    if (!files_.IsFolder(folder)) return FailedPrecondition("expected a directory");
    if (depth > kDeepestFolder) {
      return FailedPrecondition("the depth of directories exceeds the limit of ", kDeepestFolder);
    }
    // One more than permitted, so that a directory without end is not listed completely.
    const auto entries = EntriesOf(folder, static_cast<size_t>(kMostFiles - files) + 1);
    if (files + static_cast<int>(entries.size()) > kMostFiles) {
      return FailedPrecondition("the number of files exceeds the limit of ", kMostFiles);
    }
    files += static_cast<int>(entries.size());
    for (const fs::path& path : entries) {
      std::string where = Cat("`", Printable(path.filename().native()), "`");
      if (!IsPermitted(path)) {
        return At(where,
                  FailedPrecondition("expected a link to a place inside the directory of models"));
      }
      const auto entry = files_.Find(path);
      if (entry && entry->is_folder()) {
        SIGNET_RETURN_IF_ERROR(At(where, CheckFolder(path, depth + 1, files)));
      } else if (!entry || !entry->is_file()) {
        return At(where, FailedPrecondition("expected a regular file or a directory"));
      }
    }
    return absl::OkStatus();
  }

  const FileSystem& files_;
  const fs::path root_;
  ModelFolders found_;
};

}  // namespace

std::optional<int64_t> VersionOfFolder(const FileSystem& files, const fs::path& folder) {
  const std::string name = folder.filename().native();
  if (auto version = ParseVersion(name)) return version;
  const size_t zeros = std::min(name.find_first_not_of('0'), name.size());
  if (zeros == 0 || zeros == name.size() || !HoldsTensorFlowModel(files, folder)) {
    return std::nullopt;
  }
  return ParseVersion(std::string_view(name).substr(zeros));
}

StatusOr<ModelFolders> FindModelFolders(const FileSystem& files, const fs::path& root) {
  auto real = files.Resolve(root);
  if (!real.ok() || !files.IsFolder(*real)) {
    return NotFound("directory of models `", Printable(root.native()), "` not found");
  }
  return Finder(files, *std::move(real)).Find();
}

StatusOr<std::vector<std::string>> FindMisplacedRoot(const FileSystem& files,
                                                     const fs::path& root) {
  auto real = files.Resolve(root);
  if (!real.ok() || !files.IsFolder(*real)) {
    return NotFound("directory of models `", Printable(root.native()), "` not found");
  }
  return Finder(files, *std::move(real)).FindMisplaced();
}

ModelFolders FindModelFolder(const FileSystem& files, const fs::path& root,
                             const std::string& name) {
  return Finder(files, root).FindOne(name);
}

StatusOr<ModelFolders> FindVersionFolders(const FileSystem& files, const fs::path& folder,
                                          const std::string& name) {
  auto real = files.Resolve(folder);
  if (!real.ok() || !files.IsFolder(*real)) {
    return NotFound("directory of model `", name, "`, `", Printable(folder.native()),
                    "`, not found");
  }
  return Finder(files, *std::move(real)).FindVersionsOfRoot(name);
}

}  // namespace signet
