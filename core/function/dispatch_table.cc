#include "core/function/dispatch_table.h"

#include <algorithm>

#include <absl/container/inlined_vector.h>

namespace signet {

// A target and its position in the index and in the list of its group.
struct DispatchTable::Entry {
  uint64_t hash;   // fingerprint of the type
  uint64_t order;  // position in insertion order
  Target target;
  Group* group = nullptr;
  std::atomic<Entry*> next{nullptr};
  Entry* previous = nullptr;  // only for writers
};

// The targets of one structure, in insertion order.
struct DispatchTable::Group {
  uint64_t hash;  // fingerprint of the structure
  std::atomic<Entry*> first{nullptr};
  Entry* last = nullptr;  // only for writers
};

// A remembered answer. `answer` is alive while the version of the table is `version`.
struct DispatchTable::Memo {
  uint64_t version;
  FunctionType request;
  const Entry* answer;
};

// Marks the table as changing. Readers who used the table in the meantime search again.
class DispatchTable::Writing {
 public:
  explicit Writing(DispatchTable& table) : table_(table), lock_(table.mu_) {
    table_.version_.fetch_add(1);
  }
  ~Writing() {
    table_.version_.fetch_add(1);
    table_.reclaimer_.Collect();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  DispatchTable& table_;
  std::lock_guard<std::mutex> lock_;
};

namespace {

// Returns true if the literals in two types of the same structure are identical. Subtyping compares
// floats by value, but a target is specialized for the bits of its literals.
bool SameLiterals(const TypeSpec& a, const TypeSpec& b) {
  if (a == b) return true;
  if (a.is(TypeKind::kLiteral) || a.children().size() != b.children().size()) {
    return !a.is(TypeKind::kLiteral);
  }
  for (size_t i = 0; i < a.children().size(); ++i) {
    if (!SameLiterals(a.children()[i], b.children()[i])) return false;
  }
  return true;
}

bool Accepts(const FunctionType& target, const FunctionType& request) {
  auto accepts = IsSupertype(request, target);
  if (!accepts.ok() || !*accepts) return false;
  for (size_t i = 0; i < request.parameters().size(); ++i) {
    if (!SameLiterals(request.parameters()[i].type, target.parameters()[i].type)) return false;
  }
  return true;
}

}  // namespace

DispatchTable::DispatchTable() : entries_(reclaimer_), groups_(reclaimer_) {}

DispatchTable::~DispatchTable() {
  entries_.ForEach([](Entry& entry) { delete &entry; });
  groups_.ForEach([](Group& group) { delete &group; });
  for (auto& memo : memos_) delete memo.load();
}

DispatchTable::Entry* DispatchTable::LookupExact(const FunctionType& type) const {
  return LookupExact(type.fingerprint(), [&](const FunctionType& other) { return other == type; });
}

DispatchTable::Entry* DispatchTable::LookupExact(uint64_t fingerprint, IsRequest is_request) const {
  return entries_.Lookup(fingerprint,
                         [&](const Entry& entry) { return is_request(entry.target->type); });
}

DispatchTable::Group* DispatchTable::LookupGroup(uint64_t structure) const {
  return groups_.Lookup(structure, [](const Group&) { return true; });
}

// Keeps the most specific candidates so far, in insertion order: none of them accepts another.
const DispatchTable::Entry* DispatchTable::Search(const FunctionType& request) const {
  const Group* group = LookupGroup(request.structure());
  if (group == nullptr) return nullptr;
  absl::InlinedVector<const Entry*, 8> closest;
  for (const Entry* entry = group->first.load(); entry != nullptr; entry = entry->next.load()) {
    const FunctionType& type = entry->target->type;
    if (!Accepts(type, request)) continue;
    bool has_closer = std::any_of(closest.begin(), closest.end(), [&](const Entry* other) {
      return Accepts(type, other->target->type);
    });
    if (has_closer) continue;
    auto farther = std::remove_if(closest.begin(), closest.end(), [&](const Entry* other) {
      return Accepts(other->target->type, type);
    });
    closest.erase(farther, closest.end());
    closest.push_back(entry);
  }
  return closest.empty() ? nullptr : closest.front();
}

const DispatchTable::Memo* DispatchTable::LookupMemo(uint64_t fingerprint, IsRequest is_request,
                                                     uint64_t version) const {
  size_t first = fingerprint % kMemoSets * kMemoWays;
  for (size_t i = first; i < first + kMemoWays; ++i) {
    const Memo* memo = memos_[i].load();
    if (memo != nullptr && memo->version == version && memo->request.fingerprint() == fingerprint &&
        is_request(memo->request)) {
      return memo;
    }
  }
  return nullptr;
}

void DispatchTable::Remember(const FunctionType& request, const Entry* answer,
                             uint64_t version) const {
  // The number of answers is bounded, but answers for many parameters would still need much memory.
  constexpr size_t kMostParameters = 256;
  if (request.parameters().size() > kMostParameters) return;
  std::unique_lock lock(mu_, std::try_to_lock);
  if (!lock.owns_lock() || version_.load() != version) return;
  size_t first = request.fingerprint() % kMemoSets * kMemoWays;
  size_t place = first + request.fingerprint() / kMemoSets % kMemoWays;
  for (size_t i = first; i < first + kMemoWays; ++i) {
    const Memo* memo = memos_[i].load();
    if (memo != nullptr && memo->version == version) continue;
    place = i;
    break;
  }
  if (const Memo* old = memos_[place].exchange(new Memo{version, request, answer})) {
    reclaimer_.Retire(old);
  }
  reclaimer_.Collect();
}

DispatchTable::Found DispatchTable::Lookup(const FunctionType& request) const {
  // A writer may change the table during the search. The last answer is used anyway, because its
  // target did accept the request a moment ago.
  constexpr int kMostSearches = 8;
  Reclaimer::Reader reading(reclaimer_);
  if (const Entry* exact = LookupExact(request)) return {exact->target, true};
  auto is_request = [&](const FunctionType& type) { return type == request; };
  for (int i = 1;; ++i) {
    uint64_t version = version_.load();
    if (const Memo* memo = LookupMemo(request.fingerprint(), is_request, version)) {
      return {memo->answer->target, false};
    }
    const Entry* answer = Search(request);
    bool is_settled = version % 2 == 0 && version_.load() == version;
    if (!is_settled && i < kMostSearches) continue;
    if (answer == nullptr) return {};
    if (answer->target->type == request) return {answer->target, true};
    if (is_settled) Remember(request, answer, version);
    return {answer->target, false};
  }
}

DispatchTable::Found DispatchTable::LookupKnown(uint64_t fingerprint, IsRequest is_request) const {
  Reclaimer::Reader reading(reclaimer_);
  if (const Entry* exact = LookupExact(fingerprint, is_request)) return {exact->target, true};
  const Memo* memo = LookupMemo(fingerprint, is_request, version_.load());
  return memo == nullptr ? Found() : Found{memo->answer->target, false};
}

// Answers from before a removal are no longer used. They hold types, which may hold long text.
void DispatchTable::ForgetAnswers() {
  for (auto& memo : memos_) {
    if (memo.load(std::memory_order_relaxed) == nullptr) continue;
    if (const Memo* old = memo.exchange(nullptr)) reclaimer_.Retire(old);
  }
}

void DispatchTable::Collect() {
  std::lock_guard lock(mu_);
  reclaimer_.Collect();
}

// Appends a target after all others.
void DispatchTable::Link(Target target) {
  const FunctionType& type = target->type;
  Group* group = LookupGroup(type.structure());
  if (group == nullptr) {
    group = new Group{type.structure()};
    groups_.Add(group);
  }
  auto* entry = new Entry{type.fingerprint(), next_order_++, std::move(target), group};
  entry->previous = group->last;
  (group->last == nullptr ? group->first : group->last->next).store(entry);
  group->last = entry;
  entries_.Add(entry);
  size_.fetch_add(1, std::memory_order_relaxed);
}

void DispatchTable::Unlink(Entry* entry) {
  Group* group = entry->group;
  Entry* next = entry->next.load();
  (entry->previous == nullptr ? group->first : entry->previous->next).store(next);
  (next == nullptr ? group->last : next->previous) = entry->previous;
  if (group->last == nullptr) {
    groups_.Remove(group);
    reclaimer_.Retire(group);
  }
  entries_.Remove(entry);
  reclaimer_.Retire(entry);
  size_.fetch_sub(1, std::memory_order_relaxed);
}

bool DispatchTable::Add(Target target) {
  Writing writing(*this);
  if (LookupExact(target->type) != nullptr) return false;
  Link(std::move(target));
  return true;
}

DispatchTable::Target DispatchTable::Replace(Target target) {
  Writing writing(*this);
  Entry* old = LookupExact(target->type);
  if (old == nullptr) {
    Link(std::move(target));
    return nullptr;
  }
  auto* entry = new Entry{old->hash, old->order, std::move(target), old->group};
  Entry* next = old->next.load();
  entry->next.store(next);
  entry->previous = old->previous;
  (next == nullptr ? entry->group->last : next->previous) = entry;
  (entry->previous == nullptr ? entry->group->first : entry->previous->next).store(entry);
  entries_.Replace(old, entry);
  reclaimer_.Retire(old);
  return old->target;
}

DispatchTable::Target DispatchTable::Remove(const FunctionType& type) {
  Writing writing(*this);
  Entry* entry = LookupExact(type);
  if (entry == nullptr) return nullptr;
  Target target = entry->target;
  Unlink(entry);
  ForgetAnswers();
  return target;
}

void DispatchTable::Clear() {
  Writing writing(*this);
  entries_.ForEach([&](Entry& entry) { reclaimer_.Retire(&entry); });
  groups_.ForEach([&](Group& group) { reclaimer_.Retire(&group); });
  entries_.Clear();
  groups_.Clear();
  ForgetAnswers();
  size_.store(0, std::memory_order_relaxed);
}

std::vector<DispatchTable::Target> DispatchTable::Targets() const {
  std::lock_guard lock(mu_);
  std::vector<const Entry*> entries;
  entries_.ForEach([&](const Entry& entry) { entries.push_back(&entry); });
  std::sort(entries.begin(), entries.end(),
            [](const Entry* a, const Entry* b) { return a->order < b->order; });
  std::vector<Target> targets;
  targets.reserve(entries.size());
  for (const Entry* entry : entries) targets.push_back(entry->target);
  return targets;
}

std::vector<DispatchTable::Target> DispatchTable::TargetsLike(const FunctionType& type) const {
  std::lock_guard lock(mu_);
  std::vector<Target> targets;
  const Group* group = LookupGroup(type.structure());
  if (group == nullptr) return targets;
  for (const Entry* entry = group->first.load(); entry != nullptr; entry = entry->next.load()) {
    targets.push_back(entry->target);
  }
  return targets;
}

DispatchTable::Target DispatchTable::LeastRecentlyUsed(const DispatchTarget* except) const {
  std::lock_guard lock(mu_);
  const Entry* least = nullptr;
  uint64_t when = UINT64_MAX;
  entries_.ForEach([&](const Entry& entry) {
    uint64_t used = entry.target->last_used.load(std::memory_order_relaxed);
    if (entry.target.get() == except || used >= when) return;
    least = &entry;
    when = used;
  });
  return least == nullptr ? nullptr : least->target;
}

}  // namespace signet
