// Law: a request that is read has consistent tensors, of the types that the inputs have.

#include "core/formats/inference/generate_json.h"

namespace {

// The dtype of an input is the length of its name.
signet::StatusOr<std::optional<signet::GenerateInput>> FindInput(
    std::string_view name, const signet::GenerateValue& value) {
  constexpr signet::DType kDTypes[] = {signet::DType::kFloat32, signet::DType::kInt64,
                                       signet::DType::kBool,    signet::DType::kString,
                                       signet::DType::kFloat16, signet::DType::kUInt8};
  if (name.starts_with('j')) return signet::GenerateInput{.is_json = true};
  if (name.empty() || name.size() > std::size(kDTypes)) return std::nullopt;
  signet::GenerateInput out{.dtype = kDTypes[name.size() - 1]};
  out.dims = value.dims;
  if (out.dims.empty() && value.is_list) out.dims.push_back(value.num_elements);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  auto request = ParseGenerateJson(Buffer::Copy(body), FindInput, limits);
  if (!request.ok()) return 0;
  InferResponse response{.model = "m", .version = "1", .id = std::move(request->id)};
  for (NamedTensor& tensor : request->inputs) {
    SIGNET_CHECK(tensor.tensor.has_value());
    response.outputs.push_back({.tensor = std::move(tensor)});
  }
  SIGNET_CHECK(WriteGenerateJson(response, limits).ok());
  return 0;
}
