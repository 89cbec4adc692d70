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
  return SharedMemoryRegions().Find(name);
}

Status FindCudaRegions(const std::string& name) {
  if (name.empty()) return absl::OkStatus();
  return NotFound("Unable to find cuda shared memory region: '", Printable(name), "'");
}

Status RegisterCudaRegion(const std::string& name) {
  return InvalidArgument("failed to register CUDA shared memory region: '", Printable(name),
                         "', GPUs not supported");
}

}  // namespace signet
