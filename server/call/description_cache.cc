#include "server/call/description_cache.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace signet {

Buffer BufferOf(const std::shared_ptr<const Description>& description) {
  return Buffer::Borrow(std::as_bytes(std::span(description->text)), description);
}

bool DescriptionCache::IsOf(const Entry& entry, const Models& models) {
  return std::equal(entry.models.begin(), entry.models.end(), models.begin(), models.end(),
                    [](const auto& known, const auto& model) { return known.lock() == model; });
}

void DescriptionCache::FindOrMake(const std::string& key, const Models& models,
                                  absl::FunctionRef<Description()> make, Done done) {
  std::shared_ptr<Entry> entry;
  {
    std::unique_lock lock(mu_);
    auto found = entries_.find(key);
    if (found != entries_.end() && IsOf(*found->second, models)) {
      Entry& known = *found->second;
      if (known.made == nullptr) {
        known.waiting.push_back(std::move(done));
        return;
      }
      used_.splice(used_.end(), used_, known.place);
      const Made made = known.made;
      lock.unlock();
      return done(made);
    }
    Drop(key);
    entry = std::make_shared<Entry>();
    entry->models.assign(models.begin(), models.end());
    entries_[key] = entry;
  }
  Made made;
  try {
    made = std::make_shared<const Description>(make());
  } catch (const std::exception&) {  // such as a lack of memory
  }
  std::vector<Done> waiting;
  {
    std::lock_guard lock(mu_);
    waiting.swap(entry->waiting);
    Keep(key, entry, made);
  }
  done(made);
  for (const Done& other : waiting) other(made);
}

void DescriptionCache::Keep(const std::string& key, const std::shared_ptr<Entry>& entry,
                            const Made& made) {
  auto found = entries_.find(key);
  if (found == entries_.end() || found->second != entry) return;  // replaced meanwhile
  // A compressed text has at most about the same size.
  const size_t bytes = made == nullptr ? 0 : 2 * made->text.size() + key.size();
  if (made == nullptr || bytes > max_bytes_) {
    entries_.erase(found);
    return;
  }
  while (bytes_ + bytes > max_bytes_) Drop(std::string(used_.front()));
  entry->made = made;
  entry->bytes = bytes;
  entry->place = used_.insert(used_.end(), key);
  bytes_ += bytes;
}

void DescriptionCache::Drop(const std::string& key) {
  auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second->made != nullptr) {
    bytes_ -= found->second->bytes;
    used_.erase(found->second->place);
  }
  entries_.erase(found);
}

}  // namespace signet
