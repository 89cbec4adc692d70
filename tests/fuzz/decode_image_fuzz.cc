// Fuzz target: decode_image takes any bytes as an image. The first byte chooses the pixel format.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/kernels/catalog.h"
#include "core/ops/catalog.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

// Milliseconds of estimated work, so that no input takes long.
constexpr int64_t kMostChecks = 200;

void Decode(uint8_t choice, std::span<const uint8_t> bytes) {
  const OpDef& op = **BuiltinOps().Find("decode_image");
  constexpr std::string_view kFormats[] = {"rgb", "bgr", "grayscale"};
  const Attributes attributes({{"pixel_format", AttributeOf(kFormats[choice % 3])}});
  const Tensor image = Tensor::Of<uint8_t>({static_cast<int64_t>(bytes.size())}, bytes);
  const std::vector<TypeSpec> types = {image.spec()};
  const OpCall call{.op = op, .inputs = types, .attributes = attributes};
  const auto outputs = op.infer(call);
  auto kernel = LookupKernel(op.name)({.call = call, .outputs = *outputs});
  KernelRunner runner({&image, 1}, *outputs);
  runner.StopAt(kMostChecks);
  const Status status = (*kernel)->Run(runner);
  // The image, or an error of the caller, of a limit, or of a variant that is not supported.
  const bool is_known = status.ok() || absl::IsInvalidArgument(status) ||
                        absl::IsResourceExhausted(status) || absl::IsUnimplemented(status) ||
                        absl::IsCancelled(status);
  if (!is_known) std::abort();
}

}  // namespace
}  // namespace signet

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) signet::Decode(data[0], std::span(data + 1, size - 1));
  return 0;
}
