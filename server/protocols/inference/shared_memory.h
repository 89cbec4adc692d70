// SharedMemoryRegions: the regions of POSIX shared memory from which the server reads inputs, and
// to which it writes outputs (the extension "system shared memory" of Triton, --shared_memory).
//
//   regions.Register({.name = "in", .key = "/in", .size = 4096});
//   regions.Read({.region = "in", .offset = 128, .size = 64});
//
// The rules:
//   1. A client makes the memory object `key` and registers a part of it under a name. All clients
//      share the names.
//   2. The server does not map the objects. It reads and writes them with pread and pwrite, so that
//      an object that is truncated at the same time causes an error and no signal, and the inputs
//      of a call do not change while it runs.
//   3. An unregistered region stays open until its last read or write has ended.
//
// The sentences of errors are the sentences that clients of Triton expect. Thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/formats/inference/infer_message.h"
#include "signet/buffer.h"
#include "signet/status.h"

namespace signet {

class SharedMemoryRegions {
 public:
  struct Region {
    std::string name;
    std::string key;      // of the memory object, such as `/in`
    uint64_t offset = 0;  // of the region in the object
    uint64_t size = 0;
  };

  SharedMemoryRegions();
  ~SharedMemoryRegions();

  // ALREADY_EXISTS if the name is in use, INVALID_ARGUMENT if the object does not exist or is
  // smaller than the region, RESOURCE_EXHAUSTED beyond 1024 regions.
  Status Register(Region region);
  // Removes a region, or all regions if the name is empty. It is not an error if there is none.
  void Unregister(const std::string& name);
  // Returns a region, or all regions if the name is empty, in the order of their names.
  StatusOr<std::vector<Region>> Find(const std::string& name) const;
  bool empty() const;

  // Returns a copy of a part of a region.
  StatusOr<Buffer> Read(const SharedMemoryPart& part) const;
  // Copies `bytes` to the beginning of a part of a region.
  Status Write(const SharedMemoryPart& part, const Buffer& bytes) const;

 private:
  struct Opened;

  StatusOr<std::shared_ptr<const Opened>> FindPart(const SharedMemoryPart& part) const;

  mutable std::mutex mu_;
  std::map<std::string, std::shared_ptr<const Opened>> regions_;  // guarded by mu_
};

}  // namespace signet
