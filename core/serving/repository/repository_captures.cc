// The part of Repository that replaces the captures of a version, also where they are imported.

#include <algorithm>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "core/model/native/model_files.h"
#include "core/serving/batching/verify_batches.h"
#include "core/serving/repository/captures_change.h"
#include "core/serving/repository/repository.h"
#include "core/serving/repository/thread_priority.h"

namespace signet {
namespace {

Status CheckBatches(const LoadedModel& model) {
  return VerifyBatches(model, model.def().files->folder, model.options().limits);
}

Status ReplacedMeanwhileError(const std::string& name, int64_t number) {
  return MakeStatus(absl::StatusCode::kAborted, Cat("model `", name, "`: version ", number,
                                                    " was replaced meanwhile; try again"));
}

}  // namespace

StatusOr<ReplacedCaptures> ReplaceVerifiedCaptures(const std::shared_ptr<const LoadedModel>& old,
                                                   const std::filesystem::path& captures) {
  SIGNET_ASSIGN_OR_RETURN(ReplacedCaptures replaced, ReplaceCaptures(old, captures));
  if (replaced.changed) SIGNET_RETURN_IF_ERROR(CheckBatches(*replaced.model));
  return replaced;
}

Status Repository::WarmUp(const Model& model) const {
  if (!options_.warm_up) return absl::OkStatus();
  auto status = StatusOf(model->name());
  const v1::ModelSettings settings =
      status && status->settings ? status->settings->settings : v1::ModelSettings();
  return At("warm-up", options_.warm_up(model, model->def().files->folder, settings, stopping_));
}

StatusOr<std::vector<Repository::Replacement>> Repository::ReplaceInImporters(
    const Model& expected, const Model& replaced) {
  const Key key(expected->name(), expected->version());
  std::vector<std::pair<Key, Model>> importers;
  {
    std::lock_guard lock(mu_);
    importers = ImportersOf(key);
  }
  const ModelFinder find_model = [&](const ModelReference& reference) -> StatusOr<ImportedVersion> {
    std::lock_guard lock(mu_);
    SIGNET_ASSIGN_OR_RETURN(const FoundImport import, FindImport(reference));
    ImportedVersion content = ContentOf(import);
    if (import.key == key) content.captures = replaced->def().files->captures;
    return content;
  };
  std::vector<Replacement> out = {{expected, replaced}};
  for (const auto& [importer, model] : importers) {
    auto made = [&, &old = model]() -> StatusOr<Model> {
      SIGNET_ASSIGN_OR_RETURN(ReplacedCaptures other, ReplaceImportedCaptures(old, find_model));
      SIGNET_RETURN_IF_ERROR(CheckBatches(*other.model));
      SIGNET_RETURN_IF_ERROR(WarmUp(other.model));
      return std::move(other.model);
    }();
    if (!made.ok()) {
      return At(Cat("model `", importer.first, "`: version ", importer.second,
                    ", which imports this version"),
                FailedPrecondition(MessageOf(made.status())));
    }
    out.push_back({model, *std::move(made)});
  }
  return out;
}

Status Repository::Publish(std::vector<Replacement> replacements, bool includes_importers) {
  Changes changes;
  {
    std::lock_guard lock(mu_);
    for (const auto& [expected, model] : replacements) {
      const std::string& name = expected->name();
      const int64_t number = expected->version();
      SIGNET_CHECK(model->name() == name && model->version() == number);
      auto found = models_.find(name);
      if (found == models_.end() || !found->second.available.contains(number)) {
        return NotFound("model `", name, "`: version ", number, " is not available");
      }
      if (found->second.available.at(number) != expected)
        return ReplacedMeanwhileError(name, number);
    }
    const Key first(replacements.front().expected->name(),
                    replacements.front().expected->version());
    if (includes_importers) {
      for (const auto& [key, model] : ImportersOf(first)) {
        const bool is_replaced = std::any_of(
            replacements.begin(), replacements.end(),
            [&importer = model](const Replacement& each) { return each.expected == importer; });
        if (!is_replaced) return ReplacedMeanwhileError(key.first, key.second);
      }
    }
    const std::vector<Version*> importers =
        includes_importers ? CurrentImportersOf(first) : std::vector<Version*>();
    for (auto& [expected, model] : replacements) {
      const std::string name = expected->name();
      const int64_t number = expected->version();
      Entry& entry = models_.find(name)->second;
      Version& version = entry.versions.at(number);
      // Both exist until the calls that use the old one have ended.
      const int64_t bytes = version.status.memory_bytes;
      Model& current = entry.available.at(number);
      retired_.push_back({name, number, std::move(current), bytes});
      memory_bytes_ += bytes;
      current = std::move(model);
      changes.models.push_back(name);
      changes.events.push_back({.kind = RepositoryEvent::Kind::kCapturesReplaced,
                                .model = name,
                                .version = number,
                                .is_on_demand = version.status.is_on_demand});
    }
    models_.find(first.first)->second.versions.at(first.second).captures_revision =
        ++captures_revisions_;
    // Their content is the new one, so that they are not loaded again.
    for (Version* importer : importers) {
      importer->loaded_content = StampOfImports(importer->loaded_imports);
    }
    replacements.clear();
    EvaluateImporters(changes);
    FreeRetired(changes);
    changed_.notify_all();
  }
  Notify(std::move(changes));
  return absl::OkStatus();
}

StatusOr<ReplacedCaptures> Repository::ReplaceCaptures(const Model& expected,
                                                       const std::filesystem::path& captures,
                                                       const std::function<Status()>& persist) {
  // The old captures stay in memory until the calls that use them have ended.
  std::error_code error;
  const auto size = static_cast<int64_t>(std::filesystem::file_size(captures, error));
  const int64_t bytes = error ? 0 : size;
  SIGNET_RETURN_IF_ERROR(Reserve("the new captures require", bytes));
  const auto release = [&](void*) {
    std::lock_guard lock(mu_);
    memory_bytes_ -= bytes;
  };
  const std::unique_ptr<void, decltype(release)> reservation(this, release);
  StatusOr<ReplacedCaptures> replaced = Status(absl::StatusCode::kInternal, "");
  StatusOr<std::vector<Replacement>> replacements = std::vector<Replacement>();
  std::thread worker([&] {
    LowerPriority();
    try {
      replaced = ReplaceVerifiedCaptures(expected, captures);
      if (!replaced.ok() || !replaced->changed) return;
      if (Status warm = WarmUp(replaced->model); !warm.ok()) {
        replaced = std::move(warm);
        return;
      }
      replacements = ReplaceInImporters(expected, replaced->model);
    } catch (const std::bad_alloc&) {
      replaced = ResourceExhausted("out of memory");
    } catch (const std::exception&) {
      replaced = Internal("the replacement stopped unexpectedly");
    }
  });
  worker.join();
  SIGNET_RETURN_IF_ERROR(replaced.status());
  SIGNET_RETURN_IF_ERROR(replacements.status());
  // A scan that found the persisted file before the new captures are published would load it.
  std::unique_lock scanning(scan_mu_, std::defer_lock);
  FolderStamp file;
  if (persist) {
    scanning.lock();
    file = StampOfEntry(captures);
    SIGNET_RETURN_IF_ERROR(persist());
  }
  if (replaced->changed) {
    SIGNET_RETURN_IF_ERROR(Publish(*std::move(replacements), /*includes_importers=*/true));
  }
  if (persist) NotePersisted(replaced->model, file);
  return replaced;
}

void Repository::NotePersisted(const Model& model, const FolderStamp& file) {
  const std::filesystem::path& folder = model->def().files->folder;
  const FolderStamp files = StampOf(folder);
  const bool is_there =
      file.items.size() == 1 &&
      std::any_of(files.items.begin(), files.items.end(), [&](FolderStamp::Item item) {
        if (item.path != (folder / kCapturesFile).native()) return false;
        item.path = file.items[0].path;
        return item == file.items[0];
      });
  std::lock_guard lock(mu_);
  const Key key(model->name(), model->version());
  auto found = models_.find(key.first);
  if (!is_there || found == models_.end()) return;
  auto available = found->second.available.find(key.second);
  if (available == found->second.available.end() || available->second != model) return;
  Version& version = found->second.versions.at(key.second);
  if (!OnlyCapturesChanged(version.loaded, files)) return;
  const std::vector<Version*> importers = CurrentImportersOf(key);
  version.loaded = files;
  version.stamp = files;
  for (Version* importer : importers) {
    importer->loaded_content = StampOfImports(importer->loaded_imports);
  }
}

}  // namespace signet
