#include "core/serving/repository/model_folders.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/frontends/load_model.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostSkipped = 1000;
constexpr int kMostFiles = 10'000;  // in a version folder, subfolders included
constexpr int kDeepestFolder = 16;

bool IsHidden(const fs::path& path) { return path.filename().native().starts_with("."); }

// Whether `path`, its links followed, is `root` or within it. `root` is canonical.
bool IsWithin(const fs::path& path, const fs::path& root) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  if (error) return false;  // loose, a loop, or not ours to read
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
}

class Finder {
 public:
  explicit Finder(fs::path root) : root_(std::move(root)) {}

  StatusOr<ModelFolders> Find() && {
    if (IsModelItself()) return std::move(found_);
    for (const fs::path& path : EntriesOf(root_)) {
      if (!IsFolder(path)) {
        if (IsModelFile(path)) Skip(path, "of a model, but in no folder of the model's name");
        continue;
      }
      if (!IsModelName(path.filename().native())) {
        Skip(path, "takes letters, digits, `_`, `-` and `.`, at most 128");
      } else if (!IsWithin(path, root_)) {
        Skip(path, "a link out of the models' folder");
      } else {
        FindVersions(path);
      }
    }
    std::sort(found_.versions.begin(), found_.versions.end(), [](const auto& a, const auto& b) {
      return std::tie(a.name, a.version) < std::tie(b.name, b.version);
    });
    std::sort(found_.skipped.begin(), found_.skipped.end());
    std::sort(found_.misplaced.begin(), found_.misplaced.end());
    return std::move(found_);
  }

 private:
  // Returns true if the root is one model or one version of a model, and reports it.
  bool IsModelItself() {
    bool is_model = HasOnlyVersions(root_);
    bool is_version = !is_model && HoldsModelFile(root_) && !HoldsModels(root_);
    if (!is_model && !is_version) return false;
    std::string_view shape = is_model ? "one model: it contains version folders"
                                      : "one version of a model: it contains the model's files";
    // `recipes/3` is two levels too deep, `recipes` one.
    bool is_numbered = ParseVersion(root_.filename().native()).has_value();
    fs::path wanted = root_.parent_path();
    if (is_version && is_numbered) wanted = wanted.parent_path();
    found_.misplaced.push_back(Cat("`", Printable(root_.native()), "` looks like ", shape,
                                   "; pass the folder of models that contains it, `",
                                   Printable(wanted.native()), "`"));
    return true;
  }

  // Returns true if `folder` has the files of a model, so that it can be a version of one.
  bool HoldsModelFile(const fs::path& folder) const {
    for (const char* name : {kOnnxFile, kTextFile, kBinaryFile}) {
      std::error_code error;
      if (IsWithin(folder / name, root_) && fs::is_regular_file(folder / name, error)) return true;
    }
    return false;
  }

  // Returns true if `folder` has version folders with a model's files and no folders of other
  // names.
  bool HasOnlyVersions(const fs::path& folder) const {
    bool found = false;
    for (const fs::path& path : EntriesOf(folder)) {
      if (!IsFolder(path) || !IsWithin(path, root_)) continue;
      if (!ParseVersion(path.filename().native())) return false;
      found = found || HoldsModelFile(path);
    }
    return found;
  }

  // Returns true if `folder` has at least one model, so that `--models` can name it.
  bool HoldsModels(const fs::path& folder) const {
    for (const fs::path& path : EntriesOf(folder)) {
      if (!IsFolder(path) || !IsWithin(path, root_)) continue;
      std::error_code error;
      if (fs::is_regular_file(path / kOnnxFile, error) || HasOnlyVersions(path)) return true;
    }
    return false;
  }

  static bool IsModelFile(const fs::path& path) {
    return path.extension() == ".onnx" || path.filename() == kTextFile ||
           path.filename() == kBinaryFile;
  }

  // Folders and what claims to be one: a link is looked at later.
  static bool IsFolder(const fs::path& path) {
    std::error_code error;
    return fs::is_symlink(path, error) || fs::is_directory(path, error);
  }

  static std::vector<fs::path> EntriesOf(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (!IsHidden(it->path())) out.push_back(it->path());
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
    bool is_version = false;
    for (const fs::path& path : EntriesOf(model)) {
      is_version = is_version || path.filename() == kOnnxFile;
      if (!IsFolder(path)) continue;
      (ParseVersion(path.filename().native()) ? versions : others).push_back(path);
    }
    for (const fs::path& path : versions) {
      AddVersion(model, *ParseVersion(path.filename().native()), path);
    }
    if (is_version) {
      // Other folders may be content: data beside its model.onnx.
      bool is_taken = std::any_of(versions.begin(), versions.end(),
                                  [](const fs::path& path) { return path.filename() == "1"; });
      if (!is_taken) return AddVersion(model, 1, model);
      return Skip(model / kOnnxFile, "beside version 1 in a folder; takes one of them");
    }
    if (versions.empty() && HoldsModels(model)) {
      found_.misplaced.push_back(Cat("`", Printable(model.native()),
                                     "` looks like a folder of models, not like one model; pass it "
                                     "as --models, or move its models up"));
      return;
    }
    if (versions.empty() && others.empty()) {
      Skip(model, Cat("holds neither ", kOnnxFile, " nor a folder of a version, such as `1`"));
    }
    for (const fs::path& path : others) Skip(path, "a version is a positive integer");
  }

  void AddVersion(const fs::path& model, int64_t version, const fs::path& folder) {
    VersionFolder& found = found_.versions.emplace_back();
    found.name = model.filename().native();
    found.version = version;
    found.folder = folder;
    int files = 0;
    found.status = CheckFolder(folder, 0, files);
  }

  // Everything in `folder` is a file or a folder, and within the root.
  Status CheckFolder(const fs::path& folder, int depth, int& files) const {
    if (!IsWithin(folder, root_)) {
      return FailedPrecondition("it is a link that leads nowhere, or out of the models' folder");
    }
    std::error_code error;
    if (!fs::is_directory(folder, error)) return FailedPrecondition("not a folder");
    if (depth > kDeepestFolder) {
      return FailedPrecondition("folders nested deeper than ", kDeepestFolder);
    }
    for (const fs::path& path : EntriesOf(folder)) {
      if (++files > kMostFiles) return FailedPrecondition("more than ", kMostFiles, " files");
      std::string where = Cat("`", Printable(path.filename().native()), "`");
      if (!IsWithin(path, root_)) {
        return At(where,
                  FailedPrecondition("a link that leads nowhere, or out of the models' folder"));
      }
      if (fs::is_directory(path, error)) {
        SIGNET_RETURN_IF_ERROR(At(where, CheckFolder(path, depth + 1, files)));
      } else if (!fs::is_regular_file(path, error)) {
        return At(where, FailedPrecondition("not a plain file"));
      }
    }
    return absl::OkStatus();
  }

  const fs::path root_;
  ModelFolders found_;
};

}  // namespace

StatusOr<ModelFolders> FindModelFolders(const fs::path& root) {
  std::error_code error;
  fs::path real = fs::canonical(root, error);
  if (error || !fs::is_directory(real, error)) {
    return NotFound("no folder `", Printable(root.native()), "` to take models from");
  }
  return Finder(std::move(real)).Find();
}

}  // namespace signet
