#include "server/observability/log_destination.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <mutex>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <spdlog/async_logger.h>
#include <spdlog/common.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/syslog_sink.h>
#include <spdlog/sinks/systemd_sink.h>

#include "server/observability/background_thread.h"
#include "server/observability/descriptor_sink.h"

namespace signet {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kFlushTime(200);
constexpr milliseconds kFlushCheck(1);
constexpr std::chrono::seconds kOpenAgain(1);
constexpr char kName[] = "signet-server";
constexpr char kSyslogSocket[] = "/dev/log";
constexpr char kJournalSocket[] = "/run/systemd/journal/socket";
constexpr mode_t kFileMode = 0640;

using SinkPtr = std::shared_ptr<spdlog::sinks::sink>;

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

Status CannotWrite(const std::filesystem::path& path, int error) {
  return FailedPrecondition("cannot write `", Printable(path.string()),
                            "`: ", std::generic_category().message(error));
}

// Opens a pipe for reading, too: opening it does not wait for a reader then, and lines wait in the
// pipe until a reader comes.
StatusOr<SinkPtr> OpenDescriptor(const std::filesystem::path& path, bool is_pipe) {
  const int mode = is_pipe ? O_RDWR : O_WRONLY | O_APPEND;
  const int descriptor = open(path.c_str(), mode | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return CannotWrite(path, errno);
  return std::make_shared<DescriptorSink>(descriptor);
}

// Creates the file if it does not exist. Returns 0 or an error number.
int CreateFile(const std::filesystem::path& path) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, kFileMode);
  if (descriptor < 0) return errno;
  close(descriptor);
  return 0;
}

StatusOr<SinkPtr> OpenFile(const LogTarget& target) {
  struct stat info = {};
  const bool exists = stat(target.path.c_str(), &info) == 0;
  if (exists && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode))) {
    return OpenDescriptor(target.path, S_ISFIFO(info.st_mode));
  }
  if (int error = CreateFile(target.path); error != 0) return CannotWrite(target.path, error);
  const size_t max_bytes = target.max_bytes > 0 ? static_cast<size_t>(target.max_bytes)
                                                : std::numeric_limits<size_t>::max();
  spdlog::file_event_handlers handlers;
  handlers.before_open = [](const std::string& path) { CreateFile(path); };
  try {
    return std::make_shared<spdlog::sinks::rotating_file_sink_st>(
        target.path.string(), max_bytes, static_cast<size_t>(target.num_old_files),
        /*rotate_on_open=*/false, handlers);
  } catch (const spdlog::spdlog_ex&) {
    return CannotWrite(target.path, errno);
  }
}

StatusOr<SinkPtr> OpenStandard(int standard) {
  const int descriptor = fcntl(standard, F_DUPFD_CLOEXEC, 3);
  if (descriptor < 0) return FailedPrecondition("the standard streams are closed");
  return std::make_shared<DescriptorSink>(descriptor);
}

StatusOr<SinkPtr> OpenSink(const LogTarget& target) {
  switch (target.kind) {
    case LogTarget::Kind::kStandardError:
      return OpenStandard(STDERR_FILENO);
    case LogTarget::Kind::kStandardOutput:
      return OpenStandard(STDOUT_FILENO);
    case LogTarget::Kind::kFile:
      return OpenFile(target);
    case LogTarget::Kind::kSyslog:
      if (access(kSyslogSocket, W_OK) != 0) return CannotWrite(kSyslogSocket, errno);
      return std::make_shared<spdlog::sinks::syslog_sink_st>(kName, LOG_PID, LOG_DAEMON,
                                                             /*enable_formatting=*/true);
    case LogTarget::Kind::kJournal:
      if (access(kJournalSocket, W_OK) != 0) return CannotWrite(kJournalSocket, errno);
      return std::make_shared<spdlog::sinks::systemd_sink_st>(kName, /*enable_formatting=*/true);
  }
  return FailedPrecondition("this place is not known");
}

// Syslog and the journal add the time, and end the line.
std::unique_ptr<spdlog::formatter> MakeFormatter(LogTarget::Kind kind, std::string pattern) {
  const bool is_message = kind == LogTarget::Kind::kSyslog || kind == LogTarget::Kind::kJournal;
  return std::make_unique<spdlog::pattern_formatter>(
      std::move(pattern), spdlog::pattern_time_type::utc, is_message ? "" : "\n");
}

}  // namespace

// The sink of the logger: passes lines to the sink of the target, which can be replaced.
struct LogDestination::State final : spdlog::sinks::sink {
  State(LogTarget opened, Options used) : target(std::move(opened)), options(std::move(used)) {}

  StatusOr<SinkPtr> Open() const {
    SIGNET_ASSIGN_OR_RETURN(SinkPtr made, OpenSink(target));
    made->set_formatter(MakeFormatter(target.kind, options.pattern));
    return made;
  }

  // Starts the thread.
  void Start() {
    const BlockedSignals blocked;
    pool = std::make_shared<spdlog::details::thread_pool>(kMaxQueuedLines, /*threads_n=*/1);
    queue = pool.get();
    logger = std::make_shared<spdlog::async_logger>(
        kName, std::shared_ptr<spdlog::sinks::sink>(std::shared_ptr<void>(), this), pool,
        spdlog::async_overflow_policy::overrun_oldest);
    logger->set_level(spdlog::level::trace);
  }

  // --- on the thread ---

  void log(const spdlog::details::log_msg& message) override {
    LogLine(message);
    if (queue->queue_size() > 0) return;
    const uint64_t dropped = num_dropped();
    if (dropped > dropped_reported && is_open()) {
      const std::string line =
          options.dropped_line(dropped - std::exchange(dropped_reported, dropped));
      passed.fetch_add(1);
      LogLine({kName, spdlog::level::warn, line});
    }
    flush();
  }

  void flush() override {
    SinkPtr current = sink.load();
    if (current == nullptr) return;
    try {
      current->flush();
      Count(written);
    } catch (const std::exception&) {
      CloseAfterError();
    }
  }

  void LogLine(const spdlog::details::log_msg& message) {
    ++unflushed;
    SinkPtr current = sink.load();
    if (current == nullptr && steady_clock::now() >= open_again) {
      open_again = steady_clock::now() + kOpenAgain;
      if (auto opened = Open(); opened.ok()) sink.store(current = *std::move(opened));
    }
    if (current == nullptr) return Count(lost);
    try {
      current->log(message);
    } catch (const std::exception&) {
      CloseAfterError();
    }
  }

  // A file of spdlog cannot be used after an error.
  void CloseAfterError() {
    Count(lost);
    if (target.kind != LogTarget::Kind::kFile) return;
    sink.store(nullptr);
    open_again = steady_clock::now() + kOpenAgain;
  }

  // Adds the lines since the last flush to `counter`.
  void Count(std::atomic<uint64_t>& counter) { counter.fetch_add(std::exchange(unflushed, 0)); }

  // --- on every thread ---

  bool is_open() const { return sink.load() != nullptr; }
  uint64_t num_dropped() const { return lost.load() + queue->overrun_counter(); }
  bool is_idle() const { return written.load() + num_dropped() >= passed.load(); }

  void set_pattern(const std::string& /*pattern*/) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter> /*formatter*/) override {}

  const LogTarget target;
  const Options options;
  std::atomic<SinkPtr> sink;  // null after an error
  // Numbers of lines: all of them, those that were written, and those that could not be written.
  std::atomic<uint64_t> passed = 0;
  std::atomic<uint64_t> written = 0;
  std::atomic<uint64_t> lost = 0;
  uint64_t unflushed = 0;                 // lines since the last flush; used by the thread
  uint64_t dropped_reported = 0;          // used by the thread
  steady_clock::time_point open_again{};  // used by the thread
  std::shared_ptr<spdlog::details::thread_pool> pool;  // null when it has ended
  spdlog::details::thread_pool* queue = nullptr;       // the same; valid while its thread runs
  std::shared_ptr<spdlog::async_logger> logger;
};

namespace {

// The destinations of this process, for ReopenFiles.
struct Registry {
  std::mutex mu;
  std::vector<LogDestination*> destinations;  // guarded by mu
};

Registry& Destinations() {
  static auto* registry = new Registry;
  return *registry;
}

}  // namespace

StatusOr<std::unique_ptr<LogDestination>> LogDestination::Open(const LogTarget& target,
                                                               Options options) {
  auto state = std::make_shared<State>(target, std::move(options));
  SIGNET_ASSIGN_OR_RETURN(SinkPtr sink, state->Open());
  state->sink.store(std::move(sink));
  state->Start();
  return std::unique_ptr<LogDestination>(new LogDestination(std::move(state)));
}

LogDestination::LogDestination(std::shared_ptr<State> state) : state_(std::move(state)) {
  std::lock_guard lock(Destinations().mu);
  Destinations().destinations.push_back(this);
}

LogDestination::~LogDestination() {
  {
    std::lock_guard lock(Destinations().mu);
    std::erase(Destinations().destinations, this);
  }
  if (Flush(kFlushTime)) {
    state_->pool = nullptr;  // waits for the thread
    return;
  }
  if (auto* sink = dynamic_cast<DescriptorSink*>(state_->sink.load().get())) sink->Stop();
  new std::shared_ptr<State>(std::move(state_));  // the thread uses it until the process ends
}

void LogDestination::Write(LogLevel level, std::string_view line) {
  state_->passed.fetch_add(1);
  state_->logger->log(LevelOf(level), spdlog::string_view_t(line.data(), line.size()));
}

bool LogDestination::Flush(milliseconds time) {
  const auto end = steady_clock::now() + time;
  while (!state_->is_idle()) {
    if (steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kFlushCheck);
  }
  return true;
}

uint64_t LogDestination::num_dropped() const { return state_->num_dropped(); }

Status LogDestination::ReopenFiles() {
  Status first;
  std::lock_guard lock(Destinations().mu);
  for (LogDestination* destination : Destinations().destinations) {
    State& state = *destination->state_;
    if (state.target.kind != LogTarget::Kind::kFile) continue;
    auto sink = state.Open();
    if (sink.ok()) {
      state.sink.store(*std::move(sink));
    } else {
      first.Update(sink.status());
    }
  }
  return first;
}

}  // namespace signet
