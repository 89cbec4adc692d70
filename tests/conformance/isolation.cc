#include "tests/conformance/isolation.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signet/cat.h"

namespace signet::vectors {
namespace {

constexpr unsigned kMaxSeconds = 120;  // of one case
constexpr rlim_t kMaxBytes = rlim_t{3} << 30;

// Sanitizers reserve more address space than any limit that would be of use.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

void SetLimits() {
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  rlimit memory{kMaxBytes, kMaxBytes};
  if (kLimitsMemory) setrlimit(RLIMIT_AS, &memory);
}

void WriteAll(int file, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    ssize_t written = write(file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    at += written;
    size -= static_cast<size_t>(written);
  }
}

bool ReadAll(int file, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    ssize_t count = read(file, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

std::string RunOne(const std::function<std::string(size_t)>& run, size_t i) {
  try {
    return run(i);
  } catch (const std::exception& thrown) {
    return Cat("threw: ", std::string_view(thrown.what()));
  }
}

// Runs the cases from `first` on; does not return.
[[noreturn]] void RunChild(size_t first, size_t count,
                           const std::function<std::string(size_t)>& run, int results) {
  SetLimits();
  for (size_t i = first; i < count; ++i) {
    alarm(kMaxSeconds);
    std::string text = RunOne(run, i);
    uint64_t size = text.size();
    WriteAll(results, &size, sizeof size);
    WriteAll(results, text.data(), text.size());
  }
  _exit(0);
}

std::string EndOf(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return Cat("ended its process by signal ", WTERMSIG(status));
  return Cat("ended its process with exit code ", WEXITSTATUS(status));
}

}  // namespace

std::vector<IsolatedResult> RunIsolated(size_t count,
                                        const std::function<std::string(size_t)>& run) {
  std::vector<IsolatedResult> results;
  while (results.size() < count) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::fflush(nullptr);
    pid_t child = fork();
    if (child < 0) throw std::runtime_error("no child process");
    if (child == 0) {
      close(ends[0]);
      RunChild(results.size(), count, run, ends[1]);
    }
    close(ends[1]);
    uint64_t size = 0;
    while (results.size() < count && ReadAll(ends[0], &size, sizeof size)) {
      std::string text(size, '\0');
      if (!ReadAll(ends[0], text.data(), size)) break;
      results.push_back({true, std::move(text)});
    }
    close(ends[0]);
    std::string end = EndOf(child);
    if (results.size() < count) results.push_back({false, std::move(end)});
  }
  return results;
}

}  // namespace signet::vectors
