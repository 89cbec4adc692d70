#include "core/serving/admission/call_queues.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "signet/cat.h"

namespace signet {
namespace {

using std::chrono::milliseconds;

constexpr double kShare = 1.0 / 16;      // of the time, for a lower priority that waits
constexpr double kLeastOwed = 1e6;       // nanoseconds, before a lower priority is first
constexpr double kMostOwed = 10e6;       // nanoseconds
constexpr double kNewestRunShare = 0.1;  // the share of the last run in the average of a model
constexpr size_t kMaxIdleModels = 1024;  // without settings, that are remembered
constexpr milliseconds kLeastRetry(10);
constexpr milliseconds kMostRetry(30'000);
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

size_t IndexOf(Priority priority) { return static_cast<size_t>(priority); }
size_t IndexOf(Lane lane) { return static_cast<size_t>(lane); }

double Nanos(std::chrono::nanoseconds time) { return static_cast<double>(time.count()); }

}  // namespace

// A task in a queue.
struct CallQueues::Item {
  Task task;
  Queue* queue;
  Clock::time_point arrival;
  double expected_ns;
  std::list<Item>::iterator place;
};

// The tasks of one model and priority.
struct CallQueues::Queue {
  Model* model = nullptr;
  Priority priority = Priority::kNormal;
  uint64_t id = 0;  // decides between queues with equal time
  std::list<Item> items;
  double time = 0;  // nanoseconds of threads, divided by the weight
  bool is_ready = false;
  double ready_time = 0;  // `time` in the set `ready_`
};

struct CallQueues::Model {
  std::string name;
  bool is_configured = false;
  Priority highest = Priority::kNormal;
  double weight = 1;
  int64_t max_running = kNoLimit;
  int64_t max_calls = kNoLimit;
  int64_t max_bytes = kNoLimit;
  std::array<Queue, kNumPriorities> queues;
  int64_t running = 0;
  int64_t queued_calls = 0;
  int64_t queued_bytes = 0;
  double run_ns = 0;  // moving average

  bool adapts() const { return max_running == kNoLimit; }
  bool is_idle() const { return running == 0 && queued_calls == 0; }
};

struct CallQueues::LaneState {
  LaneState(int threads, int64_t most) : limit(threads, most) {}
  ConcurrencyLimit limit;
  int64_t running = 0;
  int64_t queued = 0;
  int64_t adaptive = 0;    // tasks that wait or run, of models without a fixed limit
  double expected_ns = 0;  // of the tasks that wait
};

CallQueues::CallQueues(Options options, AdmissionStats& stats)
    : options_(options), stats_(stats), sweep_models_at_(kMaxIdleModels) {
  for (auto& lane : lanes_) {
    lane = std::make_unique<LaneState>(options_.threads, options_.max_calls + options_.threads);
  }
  Publish();
}

CallQueues::~CallQueues() = default;

CallQueues::Model& CallQueues::ModelOf(std::string_view name) {
  auto found = models_.find(name);
  if (found != models_.end()) return *found->second;
  if (models_.size() >= sweep_models_at_) {
    std::erase_if(models_, [](const auto& entry) {
      return !entry.second->is_configured && entry.second->is_idle();
    });
    sweep_models_at_ = std::max(kMaxIdleModels, 2 * models_.size());
  }
  auto model = std::make_unique<Model>();
  model->name = std::string(name);
  for (size_t i = 0; i < kNumPriorities; ++i) {
    Queue& queue = model->queues[i];
    queue.model = model.get();
    queue.priority = static_cast<Priority>(i);
    queue.id = next_id_++;
  }
  return *models_.emplace(model->name, std::move(model)).first->second;
}

CallQueues::LaneState& CallQueues::LaneStateOf(Priority priority) {
  return *lanes_[IndexOf(LaneOf(priority))];
}

const CallQueues::LaneState& CallQueues::LaneStateOf(Priority priority) const {
  return *lanes_[IndexOf(LaneOf(priority))];
}

void CallQueues::Configure(std::string_view name, const v1::Scheduling& scheduling) {
  const bool is_default = IsDefault(scheduling);
  if (is_default && !models_.contains(name)) return;
  Model& model = ModelOf(name);
  model.is_configured = !is_default;
  model.highest = PriorityOf(scheduling);
  model.weight = scheduling.weight() > 0 ? scheduling.weight() : 1;
  auto limit_of = [](int64_t setting) { return setting > 0 ? setting : kNoLimit; };
  // The tasks that wait count in the limit of the lane if the limit of the model is not fixed.
  const bool adapted = model.adapts();
  model.max_running = limit_of(scheduling.max_concurrent_calls());
  model.max_calls = limit_of(scheduling.max_queued_calls());
  model.max_bytes = limit_of(scheduling.max_queued_bytes());
  if (adapted != model.adapts()) {
    const int64_t sign = model.adapts() ? 1 : -1;
    for (const Queue& queue : model.queues) {
      LaneStateOf(queue.priority).adaptive += sign * static_cast<int64_t>(queue.items.size());
    }
  }
  SortAll(model);
}

Priority CallQueues::HighestPriority(std::string_view model) const {
  auto found = models_.find(model);
  return found == models_.end() ? Priority::kNormal : found->second->highest;
}

bool CallQueues::MayBypass(std::string_view model) const {
  auto found = models_.find(model);
  return found == models_.end() || found->second->adapts();
}

CallQueues::Nanoseconds CallQueues::ExpectedWait(Lane lane) const {
  return Nanoseconds(static_cast<int64_t>(lanes_[IndexOf(lane)]->expected_ns / options_.threads));
}

Status CallQueues::Full(std::string_view reason, Lane lane, std::string_view what, int64_t limit,
                        std::string_view setting) const {
  auto wait = std::chrono::duration_cast<milliseconds>(ExpectedWait(lane));
  wait = std::clamp(wait, kLeastRetry, kMostRetry);
  std::string_view subject =
      reason == "QUEUE_FULL" ? "the queue is full" : "the server is overloaded";
  return WithRetryAfter(
      wait, WithReason(reason, ResourceExhausted(subject, ": ", limit, " ", what, " (", setting,
                                                 "); try again in ", wait.count(), " ms")));
}

// A limit of bytes admits one task of any size.
bool CallQueues::Exceeds(const Task& task, int64_t queued, int64_t limit) {
  return queued > 0 && static_cast<int64_t>(task.bytes) > limit - queued;
}

bool CallQueues::IsFull(const Model& model, const Task& task) {
  return model.queued_calls >= model.max_calls ||
         Exceeds(task, model.queued_bytes, model.max_bytes);
}

Status CallQueues::CheckRoom(const Task& task, const Model& model, size_t elsewhere) const {
  const Lane lane = LaneOf(task.priority);
  const LaneState& state = *lanes_[IndexOf(lane)];
  if (IsFull(model, task)) {
    const bool by_calls = model.queued_calls >= model.max_calls;
    return Full("QUEUE_FULL", lane,
                Cat(by_calls ? "calls" : "bytes of calls", " of model `", Printable(model.name),
                    by_calls ? "` wait" : "` may wait"),
                by_calls ? model.max_calls : model.max_bytes,
                by_calls ? "scheduling.max_queued_calls" : "scheduling.max_queued_bytes");
  }
  if (queued_calls_ + static_cast<int64_t>(elsewhere) >= options_.max_calls) {
    return Full("QUEUE_FULL", lane, "calls wait for a thread", options_.max_calls,
                "--max_queued_calls");
  }
  if (Exceeds(task, queued_bytes_, options_.max_bytes)) {
    return Full("QUEUE_FULL", lane, "bytes of calls may wait for a thread", options_.max_bytes,
                "--max_queued_bytes");
  }
  if (model.adapts() && state.adaptive >= state.limit.value()) {
    return Full("OVERLOADED", lane, "calls wait or run", state.limit.value(),
                "the limit adapts to the waiting time");
  }
  return absl::OkStatus();
}

CallQueues::Item* CallQueues::FindVictim(const Task& task, const Model& model,
                                         const Status& full) const {
  const bool is_overload = ReasonOf(full) == "OVERLOADED";
  const bool only_model = !is_overload && IsFull(model, task);
  // Tasks that do not count in the limit of the lane make no room there.
  auto helps = [&](const Queue& queue) {
    if (is_overload)
      return queue.model->adapts() && LaneOf(queue.priority) == LaneOf(task.priority);
    return !only_model || queue.model == &model;
  };
  auto newest_of = [](Queue& queue) -> Item* {
    for (auto item = queue.items.rbegin(); item != queue.items.rend(); ++item) {
      if (!item->task.continues) return &*item;
    }
    return nullptr;
  };
  auto length_of = [](const Queue& queue) {
    return static_cast<double>(queue.items.size()) / queue.model->weight;
  };
  // Lower priorities first, and then the same priority.
  for (size_t i = kNumPriorities; i-- > IndexOf(task.priority);) {
    const bool is_lower = i > IndexOf(task.priority);
    // A task of the same priority must leave its model with at least as many tasks as the new one.
    double longest = is_lower ? 0 : length_of(model.queues[i]) + 1 / model.weight;
    Item* victim = nullptr;
    for (Queue* queue : filled_[i]) {
      if (!helps(*queue) || (queue->model == &model && !is_lower)) continue;
      if (length_of(*queue) <= longest) continue;
      if (Item* newest = newest_of(*queue)) {
        victim = newest;
        longest = length_of(*queue);
      }
    }
    if (victim != nullptr) return victim;
  }
  return nullptr;
}

Status CallQueues::Add(Task& task, Clock::time_point now, size_t elsewhere,
                       std::vector<RejectedTask>& displaced) {
  if (task.cancelled != nullptr && task.cancelled->load(std::memory_order_relaxed)) {
    return Cancelled("the call was cancelled");
  }
  if (task.deadline && *task.deadline <= now) {
    return DeadlineExceeded("the deadline of the call passed before it started");
  }
  Model& model = ModelOf(task.model);
  LaneState& lane = LaneStateOf(task.priority);
  const bool starts_at_once = lane.running < options_.threads &&
                              NextQueue(LaneOf(task.priority)) == nullptr &&
                              model.running < model.max_running;
  while (!task.continues && !starts_at_once) {
    Status room = CheckRoom(task, model, elsewhere);
    if (room.ok()) break;
    const bool overloaded = ReasonOf(room) == "OVERLOADED";
    // Calls that wait elsewhere cannot be displaced.
    const bool is_hopeless = static_cast<int64_t>(elsewhere) >= options_.max_calls;
    Item* victim = is_hopeless ? nullptr : FindVictim(task, model, room);
    (overloaded ? stats_.rejected_overloaded : stats_.rejected_queue_full)
        .fetch_add(1, std::memory_order_relaxed);
    lane.limit.OnRejection();
    if (victim == nullptr) return room;
    stats_.displaced.fetch_add(1, std::memory_order_relaxed);
    displaced.push_back({Remove(*victim), std::move(room)});
  }

  Queue& queue = model.queues[IndexOf(task.priority)];
  if (queue.items.empty()) {
    queue.time = std::max(queue.time, time_[IndexOf(task.priority)]);
    filled_[IndexOf(task.priority)].insert(&queue);
  }
  const bool is_first = task.continues;
  const size_t bytes = task.bytes;
  auto place = queue.items.insert(is_first ? queue.items.begin() : queue.items.end(),
                                  Item{std::move(task), &queue, now, model.run_ns, {}});
  place->place = place;
  if (place->task.deadline) deadlines_.emplace(*place->task.deadline, &*place);
  if (place->task.cancelled != nullptr) by_call_.emplace(place->task.cancelled, &*place);
  ++queued_calls_;
  ++model.queued_calls;
  ++lane.queued;
  if (model.adapts()) ++lane.adaptive;
  queued_bytes_ += static_cast<int64_t>(bytes);
  model.queued_bytes += static_cast<int64_t>(bytes);
  lane.expected_ns += place->expected_ns;
  lane.limit.OnArrival(lane.adaptive);
  Sort(queue);
  Publish();
  return absl::OkStatus();
}

Task CallQueues::Remove(Item& item) {
  Queue& queue = *item.queue;
  Model& model = *queue.model;
  LaneState& lane = LaneStateOf(queue.priority);
  Task task = std::move(item.task);
  if (task.deadline) deadlines_.erase({*task.deadline, &item});
  if (task.cancelled != nullptr) {
    auto [first, last] = by_call_.equal_range(task.cancelled);
    by_call_.erase(std::find_if(first, last, [&](const auto& e) { return e.second == &item; }));
  }
  --queued_calls_;
  --model.queued_calls;
  --lane.queued;
  if (model.adapts()) --lane.adaptive;
  queued_bytes_ -= static_cast<int64_t>(task.bytes);
  model.queued_bytes -= static_cast<int64_t>(task.bytes);
  lane.expected_ns = lane.queued == 0 ? 0 : lane.expected_ns - item.expected_ns;
  queue.items.erase(std::list<Item>::iterator(item.place));
  if (queue.items.empty()) filled_[IndexOf(queue.priority)].erase(&queue);
  Sort(queue);
  Publish();
  return task;
}

void CallQueues::Sort(Queue& queue) {
  auto& ready = ready_[IndexOf(queue.priority)];
  if (queue.is_ready) ready.erase({queue.ready_time, queue.id, &queue});
  queue.is_ready = !queue.items.empty() && queue.model->running < queue.model->max_running;
  queue.ready_time = queue.time;
  if (queue.is_ready) ready.emplace(queue.time, queue.id, &queue);
}

void CallQueues::SortAll(Model& model) {
  for (Queue& queue : model.queues) Sort(queue);
}

CallQueues::Queue* CallQueues::NextQueue(Lane lane) const {
  Queue* next = nullptr;
  for (size_t i = 0; i < kNumPriorities; ++i) {
    if (LaneOf(static_cast<Priority>(i)) != lane || ready_[i].empty()) continue;
    Queue* first = std::get<Queue*>(*ready_[i].begin());
    // A task that is longer than the share would delay higher priorities that arrive meanwhile.
    const double needed = std::clamp(first->model->run_ns, kLeastOwed, kMostOwed);
    if (next == nullptr || owed_ns_[i] >= needed) next = first;
  }
  return next;
}

std::unique_ptr<CallQueues::Started> CallQueues::Start(Lane lane, Clock::time_point now) {
  LaneState& state = *lanes_[IndexOf(lane)];
  if (state.running >= options_.threads) return nullptr;
  Queue* queue = NextQueue(lane);
  if (queue == nullptr) return nullptr;
  Model& model = *queue->model;
  const size_t priority = IndexOf(queue->priority);
  // A lower priority that goes before a higher one uses its share.
  bool is_owed = false;
  for (size_t i = 0; i < priority; ++i) {
    is_owed |= LaneOf(static_cast<Priority>(i)) == lane && !ready_[i].empty();
  }
  const Clock::time_point arrival = queue->items.front().arrival;
  auto started = std::unique_ptr<Started>(new Started(Remove(queue->items.front()), *queue));
  started->start_ = now;
  started->expected_ns_ = model.run_ns;
  started->is_owed_ = is_owed;
  if (is_owed) owed_ns_[priority] -= started->expected_ns_;
  time_[priority] = std::max(time_[priority], queue->time);
  queue->time += started->expected_ns_ / model.weight;
  ++model.running;
  ++state.running;
  started->is_adaptive_ = model.adapts();
  if (started->is_adaptive_) ++state.adaptive;
  SortAll(model);
  state.limit.OnStart(now - arrival, now);
  stats_.started.fetch_add(1, std::memory_order_relaxed);
  stats_.waited_ns.fetch_add(static_cast<uint64_t>((now - arrival) / Nanoseconds(1)),
                             std::memory_order_relaxed);
  Publish();
  return started;
}

void CallQueues::Finish(std::unique_ptr<Started> started, Clock::time_point now) {
  Queue& queue = *started->queue_;
  Model& model = *queue.model;
  LaneState& state = LaneStateOf(queue.priority);
  const double ran = Nanos(now - started->start_);
  const double more = ran - started->expected_ns_;
  queue.time += more / model.weight;
  model.run_ns = model.run_ns == 0 ? ran : model.run_ns + kNewestRunShare * (ran - model.run_ns);
  --model.running;
  --state.running;
  if (started->is_adaptive_) --state.adaptive;
  state.limit.OnFinish(now - started->start_);

  const size_t priority = IndexOf(queue.priority);
  if (started->is_owed_) owed_ns_[priority] -= more;
  for (size_t i = priority + 1; i < kNumPriorities; ++i) {
    if (LaneOf(static_cast<Priority>(i)) != LaneOf(queue.priority)) continue;
    if (filled_[i].empty()) {
      owed_ns_[i] = std::min(owed_ns_[i], 0.0);
    } else {
      owed_ns_[i] = std::min(owed_ns_[i] + ran * kShare, kMostOwed);
    }
  }
  SortAll(model);
  Publish();
}

Status CallQueues::Expired() {
  return DeadlineExceeded("the deadline of the call passed while it waited for a thread");
}

void CallQueues::Expire(Clock::time_point now, std::vector<RejectedTask>& expired) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    stats_.expired.fetch_add(1, std::memory_order_relaxed);
    expired.push_back({Remove(*deadlines_.begin()->second), Expired()});
  }
}

void CallQueues::Cancel(const std::atomic<bool>* call, Clock::time_point now,
                        std::vector<RejectedTask>& cancelled) {
  for (auto found = by_call_.find(call); found != by_call_.end(); found = by_call_.find(call)) {
    Task task = Remove(*found->second);
    // gRPC cancels a call at its deadline.
    const bool is_expired = task.deadline && *task.deadline <= now;
    (is_expired ? stats_.expired : stats_.cancelled).fetch_add(1, std::memory_order_relaxed);
    cancelled.push_back(
        {std::move(task), is_expired ? Expired() : Cancelled("the call was cancelled")});
  }
}

std::optional<CallQueues::Clock::time_point> CallQueues::FirstDeadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void CallQueues::Publish() {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  stats_.queued_calls.store(queued_calls_, kRelaxed);
  stats_.queued_bytes.store(queued_bytes_, kRelaxed);
  stats_.running.store(lanes_[0]->running + lanes_[1]->running, kRelaxed);
  stats_.limit.store(lanes_[0]->limit.value(), kRelaxed);
  stats_.low_limit.store(lanes_[1]->limit.value(), kRelaxed);
}

}  // namespace signet
