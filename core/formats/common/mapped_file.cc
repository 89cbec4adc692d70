#include "core/formats/common/mapped_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace signet {
namespace {

struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
};

std::string LastError() { return std::strerror(errno); }

constexpr size_t kMostCopiedBytes = size_t{64} << 10;

// The mappings that the signal handler knows. The handler does not lock: the flag of a slot is set
// last and cleared first.
struct Slot {
  std::atomic<std::atomic<bool>*> is_damaged{nullptr};  // null: free
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
};
constexpr size_t kMostMappings = 4096;
std::array<Slot, kMostMappings> slots;  // NOLINT: the handler can only use globals
std::mutex slots_mu;                    // held to fill and clear slots
struct sigaction previous_action;       // NOLINT: as above

void OnBusError(int signal, siginfo_t* info, void* context) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (Slot& slot : slots) {
    std::atomic<bool>* is_damaged = slot.is_damaged.load();
    if (is_damaged == nullptr || address < slot.begin.load() || address >= slot.end.load()) {
      continue;
    }
    auto page_size = static_cast<uintptr_t>(getpagesize());
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address comes from the signal.
    auto* page = reinterpret_cast<void*>(address / page_size * page_size);
    void* zeros = mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    is_damaged->store(true);
    return;
  }
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL);  // the instruction faults again and ends the process
  }
}

void InstallHandler() {
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous_action);
}

bool FillSlot(std::span<const std::byte> bytes, std::atomic<bool>& is_damaged) {
  static std::once_flag installed;
  std::call_once(installed, InstallHandler);
  std::lock_guard lock(slots_mu);
  for (Slot& slot : slots) {
    if (slot.is_damaged.load() != nullptr) continue;
    auto begin = reinterpret_cast<uintptr_t>(bytes.data());
    slot.begin.store(begin);
    slot.end.store(begin + bytes.size());
    slot.is_damaged.store(&is_damaged);
    return true;
  }
  return false;
}

void EmptySlot(const std::atomic<bool>& is_damaged) {
  std::lock_guard lock(slots_mu);
  for (Slot& slot : slots) {
    if (slot.is_damaged.load() == &is_damaged) slot.is_damaged.store(nullptr);
  }
}

}  // namespace

StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Map(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  // Opening a FIFO would block until there is a writer; it is rejected below.
  File file = {open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.descriptor < 0) return NotFound(name, ": ", LastError());
  struct stat status = {};
  if (fstat(file.descriptor, &status) != 0) return NotFound(name, ": ", LastError());
  if (!S_ISREG(status.st_mode)) return InvalidArgument(name, ": expected a regular file");
  std::shared_ptr<MappedFile> mapped(new MappedFile);
  constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
  mapped->identity_ = {status.st_dev, status.st_ino,
                       status.st_mtim.tv_sec * kNanosecondsPerSecond + status.st_mtim.tv_nsec};
  auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return mapped;
  if (size <= kMostCopiedBytes) return Copy(file.descriptor, size, name, std::move(mapped));
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor, 0);
  if (address == MAP_FAILED) {
    return ResourceExhausted(name, ": ", size, " bytes to map: ", LastError());
  }
  mapped->bytes_ = {static_cast<const std::byte*>(address), size};
  if (!FillSlot(mapped->bytes_, mapped->is_damaged_)) {
    return ResourceExhausted(name, ": ", kMostMappings, " files are mapped, which is the limit");
  }
  return mapped;
}

StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Copy(int descriptor, size_t size,
                                                             const std::string& name,
                                                             std::shared_ptr<MappedFile> out) {
  void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return ResourceExhausted(name, ": ", size, " bytes: ", LastError());
  out->bytes_ = {static_cast<const std::byte*>(address), size};
  out->is_copy_ = true;
  size_t done = 0;
  while (done < size) {
    ssize_t count = read(descriptor, static_cast<std::byte*>(address) + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return NotFound(name, ": cannot read the whole file");
    done += static_cast<size_t>(count);
  }
  mprotect(address, size, PROT_READ);
  // A repository that was cloned without Git LFS has short texts in place of large files.
  constexpr std::string_view kPointer = "version https://git-lfs.github.com/spec/";
  if (std::string_view(static_cast<const char*>(address), size).starts_with(kPointer)) {
    return FailedPrecondition(name,
                              ": expected the content of the file, found a pointer of Git "
                              "LFS; `git lfs pull` downloads the file");
  }
  return out;
}

void MappedFile::Release() const {
  if (bytes_.empty() || is_copy_) return;
  madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  if (!is_copy_) EmptySlot(is_damaged_);
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace signet
