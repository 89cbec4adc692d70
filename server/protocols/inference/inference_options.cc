#include "server/protocols/inference/inference_options.h"

#include <utility>

namespace signet {

Status RegisterSharedMemory(const InferenceOptions& options, SharedMemoryRegions::Region region) {
  if (options.shared_memory != nullptr) return options.shared_memory->Register(std::move(region));
  return FailedPrecondition(
      "system shared memory is not enabled; start the server with --shared_memory");
}

StatusOr<std::vector<SharedMemoryRegions::Region>> SharedMemoryRegionsOf(
    const InferenceOptions& options, const std::string& name) {
  if (options.shared_memory != nullptr) return options.shared_memory->Find(name);
  return std::vector<SharedMemoryRegions::Region>();
}

}  // namespace signet
