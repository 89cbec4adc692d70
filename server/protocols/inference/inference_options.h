// InferenceOptions: what the Open Inference Protocol needs to know about the server.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/protocols/inference/shared_memory.h"
#include "signet/status.h"

namespace signet {

struct InferenceOptions {
  std::string version;  // of the program
  // RepositoryModelLoad and RepositoryModelUnload are served to callers with the permission of
  // administration (--admin).
  bool may_change_models = false;
  std::function<Status()> check_ready;                           // Health::CheckServer
  std::function<Status()> check_stopping;                        // Health::CheckStopping
  std::shared_ptr<SharedMemoryRegions> shared_memory = nullptr;  // null: not permitted
};

// Registers a region. FAILED_PRECONDITION if the server permits no shared memory.
Status RegisterSharedMemory(const InferenceOptions& options, SharedMemoryRegions::Region region);
// Returns a region, or all regions if the name is empty.
StatusOr<std::vector<SharedMemoryRegions::Region>> SharedMemoryRegionsOf(
    const InferenceOptions& options, const std::string& name);

// CUDA shared memory is not supported, so that there are no regions: a client can list and
// unregister them, as tritonclient's programs do at their start.
Status FindCudaRegions(const std::string& name);
Status RegisterCudaRegion(const std::string& name);

}  // namespace signet
