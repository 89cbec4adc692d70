#include "server/protocols/inference/shared_memory.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace signet {
namespace {

constexpr size_t kMaxRegions = 1024;
constexpr size_t kMaxNameBytes = 256;

// Returns the size of an open object.
uint64_t SizeOfObject(int file) {
  struct stat facts = {};
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return 0;
  return static_cast<uint64_t>(facts.st_size);
}

Status Shrunk(const std::string& name) {
  return InvalidArgument("shared memory region '", Printable(name),
                         "' is larger than its memory object, which has been truncated");
}

// Calls `transfer(position)` until `size` bytes are read or written.
template <class Transfer>
Status TransferAll(const std::string& name, size_t size, Transfer transfer) {
  for (size_t done = 0; done < size;) {
    const ssize_t bytes = transfer(done);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return Shrunk(name);
    done += static_cast<size_t>(bytes);
  }
  return absl::OkStatus();
}

}  // namespace

struct SharedMemoryRegions::Opened {
  Opened(Region described, int opened) : region(std::move(described)), file(opened) {}
  ~Opened() { close(file); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  const Region region;
  const int file;
};

SharedMemoryRegions::SharedMemoryRegions() = default;
SharedMemoryRegions::~SharedMemoryRegions() = default;

Status SharedMemoryRegions::Register(Region region) {
  if (region.name.empty() || region.name.size() > kMaxNameBytes) {
    return InvalidArgument("shared memory region: expected a name of 1 to ", kMaxNameBytes,
                           " bytes, found ", region.name.size());
  }
  auto invalid = [&](std::string_view why) {
    return InvalidArgument("failed to register shared memory region '", Printable(region.name),
                           "': invalid args; ", why);
  };
  auto exists = [&] {
    return AlreadyExists("shared memory region '", Printable(region.name), "' already in manager");
  };
  {
    std::lock_guard lock(mu_);
    if (regions_.contains(region.name)) return exists();
  }
  std::string_view object = region.key;
  if (object.starts_with('/')) object.remove_prefix(1);
  const bool is_name = !object.empty() && object.size() <= kMaxNameBytes && object != "." &&
                       object != ".." && object.find('/') == object.npos &&
                       object.find('\0') == object.npos;
  if (!is_name) return invalid("the key is not a name such as `/in`");
  if (region.size == 0) return invalid("the region has no bytes");
  const int file = shm_open(Cat("/", object).c_str(), O_RDWR | O_CLOEXEC, 0);
  if (file < 0) {
    return InvalidArgument("Unable to open shared memory region: '", Printable(region.key), "'");
  }
  auto opened = std::make_shared<const Opened>(region, file);
  const uint64_t size = SizeOfObject(file);
  if (region.offset > size || region.size > size - region.offset) {
    return invalid("the memory object is smaller than the region");
  }
  std::lock_guard lock(mu_);
  if (regions_.size() >= kMaxRegions) {
    return ResourceExhausted("expected at most ", kMaxRegions, " regions of shared memory");
  }
  return regions_.emplace(region.name, std::move(opened)).second ? absl::OkStatus() : exists();
}

void SharedMemoryRegions::Unregister(const std::string& name) {
  std::map<std::string, std::shared_ptr<const Opened>> removed;  // closed without the lock
  std::lock_guard lock(mu_);
  if (name.empty()) {
    removed.swap(regions_);
  } else if (auto node = regions_.extract(name)) {
    removed.insert(std::move(node));
  }
}

StatusOr<std::vector<SharedMemoryRegions::Region>> SharedMemoryRegions::Find(
    const std::string& name) const {
  std::vector<Region> out;
  std::lock_guard lock(mu_);
  for (const auto& [known, opened] : regions_) {
    if (name.empty() || name == known) out.push_back(opened->region);
  }
  if (name.empty() || !out.empty()) return out;
  return NotFound("Unable to find system shared memory region: '", Printable(name), "'");
}

bool SharedMemoryRegions::empty() const {
  std::lock_guard lock(mu_);
  return regions_.empty();
}

StatusOr<std::shared_ptr<const SharedMemoryRegions::Opened>> SharedMemoryRegions::FindPart(
    const SharedMemoryPart& part) const {
  std::shared_ptr<const Opened> opened;
  {
    std::lock_guard lock(mu_);
    auto found = regions_.find(part.region);
    if (found != regions_.end()) opened = found->second;
  }
  if (opened == nullptr) {
    return NotFound("Unable to find shared memory region: '", Printable(part.region), "'");
  }
  const uint64_t size = opened->region.size;
  if (part.offset >= size) {
    return InvalidArgument("Invalid offset for shared memory region: '", Printable(part.region),
                           "'; expected an offset below ", size, ", found ", part.offset);
  }
  if (part.size > UINT64_MAX - part.offset) {
    return InvalidArgument("Integer overflow detected: byte_size ", part.size, " + offset ",
                           part.offset, " for shared memory region: '", Printable(part.region),
                           "'");
  }
  if (part.size > size - part.offset) {
    return InvalidArgument("Invalid offset + byte size for shared memory region: '",
                           Printable(part.region), "'; the region has ", size, " bytes");
  }
  return opened;
}

StatusOr<Buffer> SharedMemoryRegions::Read(const SharedMemoryPart& part) const {
  SIGNET_ASSIGN_OR_RETURN(std::shared_ptr<const Opened> opened, FindPart(part));
  SIGNET_ASSIGN_OR_RETURN(Buffer out, Buffer::Allocate(part.size));
  const uint64_t from = opened->region.offset + part.offset;
  SIGNET_RETURN_IF_ERROR(TransferAll(part.region, part.size, [&](size_t at) {
    return pread(opened->file, out.mutable_data() + at, part.size - at,
                 static_cast<off_t>(from + at));
  }));
  return out;
}

Status SharedMemoryRegions::Write(const SharedMemoryPart& part, const Buffer& bytes) const {
  SIGNET_ASSIGN_OR_RETURN(std::shared_ptr<const Opened> opened, FindPart(part));
  const uint64_t to = opened->region.offset + part.offset;
  // A write after the end would make the object larger.
  if (SizeOfObject(opened->file) < to + bytes.size()) return Shrunk(part.region);
  return TransferAll(part.region, bytes.size(), [&](size_t at) {
    return pwrite(opened->file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(to + at));
  });
}

}  // namespace signet
