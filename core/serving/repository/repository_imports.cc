// The part of Repository that finds the versions that a version imports, and the other way round.

#include <algorithm>

#include "core/serving/repository/repository.h"

namespace signet {
namespace {

// The item of a stamp that stands for captures that replaced the captures in the files.
constexpr char kReplacedCaptures[] = "replaced captures";

}  // namespace

StatusOr<Repository::FoundImport> Repository::FindImport(const ModelReference& reference) const {
  SIGNET_ASSIGN_OR_RETURN(const Entry* entry, FindEntry(reference.name));
  std::optional<int64_t> number = reference.version;
  if (!number) {
    auto label = entry->labels.find(reference.label);
    if (label != entry->labels.end()) number = label->second;
    // A label of the settings moves only to an available version, which may not be loaded yet.
    auto stated = entry->file_settings.labels().find(reference.label);
    const bool is_stated = stated != entry->file_settings.labels().end() &&
                           !entry->admin_labels.contains(reference.label);
    if (!number && is_stated) number = stated->second;
    if (!number) {
      return NotFound("model `", reference.name, "`: label `", reference.label, "` not found");
    }
  }
  auto version = entry->versions.find(*number);
  const bool is_found = version != entry->versions.end() && version->second.is_found &&
                        !version->second.folder.folder.empty();
  if (!is_found) {
    return NotFound("model `", reference.name, "`: version ", *number, " not found");
  }
  SIGNET_RETURN_IF_ERROR(version->second.folder.status);
  return FoundImport{{reference.name, *number}, entry, &version->second};
}

bool Repository::Imports(const std::vector<ModelReference>& imports, const Key& key) const {
  return std::any_of(imports.begin(), imports.end(), [&](const ModelReference& reference) {
    if (reference.name != key.first) return false;
    auto found = FindImport(reference);
    return found.ok() && found->key == key;
  });
}

std::optional<Repository::FoundImport> Repository::PendingImport(
    const Key& key, const std::vector<ModelReference>& imports) const {
  for (const ModelReference& reference : imports) {
    auto found = FindImport(reference);
    if (!found.ok() || found->key == key) continue;
    const Version& version = *found->version;
    if (!version.is_stable) return *found;
    const bool is_available = found->entry->available.contains(found->key.second);
    // Versions that import one another do not wait, so that the load reports the cycle.
    if (is_available && !IsCurrent(*found->entry, version) && !Imports(version.imports, key)) {
      return *found;
    }
  }
  return std::nullopt;
}

std::optional<Repository::FoundImport> Repository::PendingImport(const Key& key,
                                                                 const Version& version) const {
  if (!version.tried.HasSameFiles(version.stamp)) return std::nullopt;
  return PendingImport(key, version.imports);
}

bool Repository::WillBeLoaded(const FoundImport& import) const {
  const Version& version = *import.version;
  return version.is_loading || (version.is_stable && version.failures == 0 &&
                                SelectedVersions(*import.entry).contains(import.key.second));
}

bool Repository::AwaitsImport(const Key& key, const Version& version) const {
  if (!version.must_load) return false;
  const auto pending = PendingImport(key, version);
  return pending && WillBeLoaded(*pending);
}

ImportedVersion Repository::ContentOf(const FoundImport& import) {
  ImportedVersion out{.folder = import.version->folder.folder};
  const auto available = import.entry->available.find(import.key.second);
  if (available == import.entry->available.end()) return out;
  const auto& files = available->second->def().files;
  if (files) out.captures = files->captures;
  return out;
}

std::vector<std::pair<Repository::Key, Repository::Model>> Repository::ImportersOf(
    const Key& key) const {
  std::vector<std::pair<Key, Model>> out;
  for (const std::string& name : importers_) {
    const auto entry = models_.find(name);
    if (entry == models_.end()) continue;
    for (const auto& [number, model] : entry->second.available) {
      if (Imports(entry->second.versions.at(number).loaded_imports, key)) {
        out.emplace_back(Key(name, number), model);
      }
    }
  }
  return out;
}

std::vector<Repository::Version*> Repository::CurrentImportersOf(const Key& key) {
  std::vector<Version*> out;
  for (const auto& [importer, model] : ImportersOf(key)) {
    Entry& entry = models_.find(importer.first)->second;
    Version& version = entry.versions.at(importer.second);
    if (IsCurrent(entry, version)) out.push_back(&version);
  }
  return out;
}

FolderStamp Repository::StampOfContent(const FoundImport& import) {
  const Version& version = *import.version;
  if (!import.entry->available.contains(import.key.second)) return version.stamp;
  FolderStamp out = version.loaded;
  if (version.captures_revision > 0) {
    out.items.push_back({.path = kReplacedCaptures, .inode = version.captures_revision});
  }
  return out;
}

bool Repository::HaveImportsChanged(const ImportRecord& record) const {
  FolderStamp known = record.stamp;
  std::erase_if(known.items, [](const auto& item) { return item.path == kReplacedCaptures; });
  FolderStamp now;
  for (const ModelReference& reference : record.imports) {
    std::filesystem::path folder;
    {
      std::lock_guard lock(mu_);
      const auto found = FindImport(reference);
      if (found.ok()) folder = found->version->folder.folder;
    }
    if (!folder.empty()) now.Append(StampOf(files_, folder));
  }
  return !now.HasSameFiles(known);
}

bool Repository::WasImportReplaced(const ImportRecord& record) const {
  const bool is_any_served =
      std::any_of(record.imports.begin(), record.imports.end(), [&](const auto& reference) {
        auto found = FindImport(reference);
        return found.ok() && found->entry->available.contains(found->key.second);
      });
  return is_any_served && !StampOfImports(record.imports).HasSameFiles(record.stamp);
}

FolderStamp Repository::StampOfImports(const std::vector<ModelReference>& imports) const {
  FolderStamp out;
  for (const ModelReference& reference : imports) {
    auto found = FindImport(reference);
    if (found.ok()) out.Append(StampOfContent(*found));
  }
  return out;
}

FolderStamp Repository::StampWithImports(const Version& version) const {
  FolderStamp out = version.stamp;
  out.Append(StampOfImports(version.imports));
  return out;
}

void Repository::EvaluateImporters(Changes& changes) {
  for (const std::string& name : importers_) {
    auto entry = models_.find(name);
    if (entry != models_.end()) Evaluate(name, entry->second, changes);
  }
}

}  // namespace signet
