#include "signet/model.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "core/api/model_options.h"
#include "core/frontends/inspect_model.h"
#include "core/frontends/load_model.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// The version that a directory is named after: `3`.
std::optional<int64_t> VersionOf(const fs::path& folder) {
  const std::string name = folder.filename();
  int64_t version = 0;
  const char* end = name.data() + name.size();
  auto read = std::from_chars(name.data(), end, version);
  bool is_plain = read.ec == std::errc() && read.ptr == end && version >= 1 && name[0] != '0';
  return is_plain ? std::optional(version) : std::nullopt;
}

bool HasModelFile(const fs::path& folder) {
  std::error_code error;
  for (const char* file : {kLanguageFile, kBinaryFile, kOnnxFile}) {
    if (fs::exists(folder / file, error)) return true;
  }
  return false;
}

// The directory of the newest version in the directory of a model, or `path` itself.
fs::path NewestVersion(const fs::path& path) {
  if (HasModelFile(path)) return path;
  std::error_code error;
  std::optional<int64_t> newest;
  fs::path found = path;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::optional<int64_t> version = VersionOf(entry->path());
    if (!version || !entry->is_directory(error) || version < newest) continue;
    newest = version;
    found = entry->path();
  }
  return found;
}

}  // namespace

StatusOr<Model> Model::Load(const fs::path& path, const LoadOptions& options) {
  std::error_code error;
  fs::path plain = path.has_filename() ? path : path.parent_path();  // without a slash at the end
  const bool is_file = fs::is_regular_file(plain, error);
  if (!is_file) plain = NewestVersion(plain);
  const std::optional<int64_t> version = is_file ? std::nullopt : VersionOf(plain);
  std::string name = options.name;
  if (name.empty()) {
    name = is_file ? plain.stem() : (version ? plain.parent_path() : plain).filename();
  }
  SIGNET_ASSIGN_OR_RETURN(
      auto model, LoadModel(plain, std::move(name), version.value_or(1), ModelOptionsOf(options)));
  return Model(std::move(model));
}

const std::string& Model::name() const { return model_->name(); }
int64_t Model::version() const { return model_->version(); }
const std::string& Model::doc() const { return model_->def().doc; }
const std::map<std::string, std::string>& Model::metadata() const { return model_->def().metadata; }

std::vector<Function> Model::functions() const {
  std::vector<Function> out;
  for (const auto& function : model_->functions()) {
    if (!IsInternal(function->def().name)) out.push_back(Function(model_, function.get()));
  }
  return out;
}

StatusOr<Function> Model::FindFunction(std::string_view name) const {
  SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function, model_->FindFunction(name));
  return Function(model_, function);
}

std::string Model::Describe() const {
  return DescribeModel(model_->def(), Cat(model_->name(), "/", model_->version()));
}

}  // namespace signet
