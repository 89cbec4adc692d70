#include "server/security/watched_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <absl/cleanup/cleanup.h>

namespace signet {

WatchedFile::Stamp WatchedFile::StampNow() const {
  struct stat info = {};
  if (stat(path_.c_str(), &info) != 0) return {};
  return {static_cast<int64_t>(info.st_dev), static_cast<int64_t>(info.st_ino), info.st_size,
          info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

bool WatchedFile::HasChanged() const { return StampNow() != stamp_; }

StatusOr<std::string> WatchedFile::Read() {
  stamp_ = StampNow();  // before the content, so that a change during the read is found later
  auto fail = [this](const auto&... why) {
    return FailedPrecondition(flag_, ": cannot read `", Printable(path_.string()), "`: ", why...);
  };
  auto system_error = [&] { return fail(std::generic_category().message(errno)); };
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return system_error();
  absl::Cleanup closer = [file] { close(file); };
  struct stat info = {};
  if (fstat(file, &info) != 0) return system_error();
  if (!S_ISREG(info.st_mode)) return fail("expected a regular file");
  std::string text;
  char buffer[16384];
  while (true) {
    ssize_t count = read(file, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error();
    if (count == 0) return text;
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > kMaxBytes) return fail("expected at most ", kMaxBytes, " bytes");
  }
}

}  // namespace signet
