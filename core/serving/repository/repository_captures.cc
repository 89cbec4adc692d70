// The part of Repository that replaces the captures of a version, also where they are imported.

#include <algorithm>
#include <utility>

#include "core/model/native/model_files.h"
#include "core/serving/repository/captures_change.h"
#include "core/serving/repository/repository.h"

namespace signet {
namespace {

Status ReplacedMeanwhileError(const std::string& name, int64_t number) {
  return MakeStatus(absl::StatusCode::kAborted, Cat("model `", name, "`: version ", number,
                                                    " was replaced meanwhile; try again"));
}

}  // namespace

Status Repository::WarmUp(const Model& model) const {
  if (!options_.warm_up) return absl::OkStatus();
  auto status = StatusOf(model->name());
  const v1::ModelSettings settings =
      status && status->settings ? status->settings->settings : v1::ModelSettings();
  return At("warm-up", options_.warm_up(model, model->def().files->folder, settings, stopping_));
}

Status Repository::Publish(std::vector<Replacement> replacements,
                           std::optional<int64_t> captures_bytes) {
  const bool includes_importers = captures_bytes.has_value();
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
      // Both exist until the calls that use the old one have ended. Importing versions share the
      // captures of the version that they import.
      int64_t bytes = version.status.memory_bytes;
      if (captures_bytes) bytes = Key(name, number) == first ? *captures_bytes : 0;
      Model& current = entry.available.at(number);
      retired_.push_back({name, number, std::move(current), bytes});
      if (!captures_bytes) memory_bytes_ += bytes;
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
    Advance();
  }
  Notify(std::move(changes));
  return absl::OkStatus();
}

void Repository::ReplaceCaptures(Model expected, std::filesystem::path captures,
                                 std::function<Status()> persist,
                                 std::function<void(StatusOr<ReplacedCaptures>)> done) {
  auto change = std::make_shared<CapturesChange>();
  change->expected = std::move(expected);
  change->captures = std::move(captures);
  change->persist = std::move(persist);
  change->done = std::move(done);
  {
    std::lock_guard lock(mu_);
    if (is_watching_ && !stopping_.load()) {
      return Run(change_thread_, [this, change] { BeginChange(change); });
    }
  }
  BeginChange(change);
}

void Repository::BeginChange(const std::shared_ptr<CapturesChange>& change) {
  // The old captures stay in memory until the calls that use them have ended.
  const auto file = files_.Find(change->captures);
  const int64_t bytes = file ? file->size : 0;
  Reserve("the new captures require", bytes, [this, change, bytes](const Status& reserved) {
    if (!reserved.ok()) return EndChange(*change, reserved);
    change->bytes = bytes;
    const Status outcome = Guarded([&] {
      maker_.ReplaceCaptures(change->expected, change->captures,
                             [this, change](StatusOr<ReplacedCaptures> replaced) {
                               if (!replaced.ok()) return EndChange(*change, replaced.status());
                               NoteReplaced(change, *std::move(replaced));
                             });
      return absl::OkStatus();
    });
    if (!outcome.ok()) EndChange(*change, outcome);
  });
}

void Repository::NoteReplaced(const std::shared_ptr<CapturesChange>& change,
                              ReplacedCaptures replaced) {
  change->replaced = std::move(replaced);
  if (!change->replaced.changed) return EndChange(*change, PublishChange(*change));
  const Status warm = WarmUp(change->replaced.model);
  if (!warm.ok()) return EndChange(*change, warm);
  change->replacements = {{change->expected, change->replaced.model}};
  {
    std::lock_guard lock(mu_);
    change->importers = ImportersOf({change->expected->name(), change->expected->version()});
  }
  ReplaceNextImporter(change);
}

void Repository::ReplaceNextImporter(const std::shared_ptr<CapturesChange>& change) {
  const size_t next = change->replacements.size() - 1;
  if (next == change->importers.size()) return EndChange(*change, PublishChange(*change));
  const auto& [importer, model] = change->importers[next];
  const ModelFinder find_model =
      [this, change](const ModelReference& reference) -> StatusOr<ImportedVersion> {
    const Key key(change->expected->name(), change->expected->version());
    std::lock_guard lock(mu_);
    SIGNET_ASSIGN_OR_RETURN(const FoundImport import, FindImport(reference));
    ImportedVersion content = ContentOf(import);
    if (import.key == key) content.captures = change->replaced.model->def().files->captures;
    return content;
  };
  const auto note = [this, change, &importer = importer,
                     &old = model](const StatusOr<ReplacedCaptures>& made) {
    Status outcome = made.status();
    if (outcome.ok()) outcome = WarmUp(made->model);
    if (!outcome.ok()) {
      return EndChange(*change, At(Cat("model `", importer.first, "`: version ", importer.second,
                                       ", which imports this version"),
                                   FailedPrecondition(MessageOf(outcome))));
    }
    change->replacements.push_back({old, made->model});
    ReplaceNextImporter(change);
  };
  maker_.ReplaceImportedCaptures(model, find_model, note);
}

Status Repository::PublishChange(CapturesChange& change) {
  // A scan that found the persisted file before the new captures are published would load it.
  std::unique_lock scanning(scan_mu_, std::defer_lock);
  FolderStamp file;
  if (change.persist) {
    scanning.lock();
    file = StampOfEntry(files_, change.captures);
    SIGNET_RETURN_IF_ERROR(change.persist());
  }
  if (change.replaced.changed) {
    SIGNET_RETURN_IF_ERROR(Publish(std::move(change.replacements), change.bytes));
    change.bytes = 0;
  }
  if (change.persist) NotePersisted(change.replaced.model, file);
  return absl::OkStatus();
}

void Repository::EndChange(CapturesChange& change, const Status& outcome) {
  if (std::exchange(change.has_ended, true)) return;
  // Their memory is free before `done` is called.
  change.expected = nullptr;
  change.importers.clear();
  change.replacements.clear();
  {
    std::lock_guard lock(mu_);
    memory_bytes_ -= change.bytes;
    Advance();
  }
  if (!outcome.ok()) return change.done(outcome);
  change.done(std::move(change.replaced));
}

void Repository::NotePersisted(const Model& model, const FolderStamp& file) {
  const std::filesystem::path& folder = model->def().files->folder;
  const FolderStamp files = StampOf(files_, folder);
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
