// InferRequest, InferResponse: the messages of the Open Inference Protocol, version 2, in the form
// that gRPC and HTTP share (infer_wire.h, infer_json.h).
//
// Tensors of the protocol have the datatypes BOOL, INT8 to INT64, UINT8 to UINT64, FP16, BF16,
// FP32, FP64, and BYTES. A complex tensor is a tensor of floats with one more dimension of size 2.
// The raw form of a tensor is its elements, little-endian and row-major; of BYTES, each element
// follows its length as 4 bytes. Plain data, and stateless functions; thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"

namespace signet {

inline constexpr size_t kMaxIdBytes = 4096;  // of a request
// A parameter of a request in a stream: the client expects that the final response is marked, which
// it always is.
inline constexpr std::string_view kFinalResponseParameter = "triton_enable_empty_final_response";

// The parameters of a request that Signet uses. Others are ignored.
struct InferParameters {
  std::string function = {};                // empty: the default function of the model
  std::optional<uint64_t> timeout_us = {};  // for the call
  std::optional<uint64_t> priority = {};    // 1 is the highest
  bool binary_output = false;               // HTTP: raw outputs
};

// A part of a region of shared memory that a client has registered.
struct SharedMemoryPart {
  std::string region = {};
  uint64_t offset = 0;
  uint64_t size = 0;
};
// Returns a copy of the bytes of a part, whose size has been checked.
using SharedMemoryReader = std::function<StatusOr<Buffer>(const SharedMemoryPart&)>;

// An input of a request, for the sentences of errors, which clients compare.
struct InputPlace {
  std::string_view input = {};
  std::string_view model = {};
};

struct RequestedOutput {
  std::string name;
  std::optional<bool> is_binary = {};  // HTTP
  int64_t classes = 0;                 // above 0: the indices of the largest elements
  std::optional<SharedMemoryPart> shared_memory = {};  // where the client expects the raw form
};

struct InferRequest {
  std::string model = {};
  std::string version = {};
  std::string id = {};
  InferParameters parameters = {};
  std::vector<NamedTensor> inputs = {};
  std::vector<RequestedOutput> outputs = {};  // empty: all
};

struct InferOutput {
  NamedTensor tensor = {};
  bool is_binary = false;  // HTTP
  // The part that has the raw form of the tensor, which is then not in the response.
  std::optional<SharedMemoryPart> shared_memory = {};
};

struct InferResponse {
  std::string model = {};
  std::string version = {};
  std::string id = {};
  bool is_final_in_stream = false;  // the response states that no other one follows
  std::vector<InferOutput> outputs = {};
};

// Returns an error for a parameter of a request that the protocol reserves.
Status CheckParameterKey(std::string_view key);

// Returns `FP32`, or the datatype of the parts of a complex dtype.
std::string_view DatatypeOf(DType dtype);
std::optional<DType> LookupDatatype(std::string_view name);
// Returns the dimensions as the protocol states them: with the parts of complex numbers.
Dims InferDims(const Tensor& tensor);

// Returns the dtype, or an error that lists the datatypes.
StatusOr<DType> FindDatatype(std::string_view name);
// Checks a shape from outside before memory is allocated for it.
Status CheckInferShape(DType dtype, std::span<const int64_t> dims, const Limits& limits);

// Completes the parameters `shared_memory_...` of an input or output. Parameters without a region
// are dropped. INVALID_ARGUMENT without a size, or if the server permits no shared memory.
Status CheckSharedMemory(std::optional<SharedMemoryPart>& part, bool is_permitted);
// Does the same for an output. INVALID_ARGUMENT if it also requests another form.
Status CheckRequestedOutput(RequestedOutput& output, bool is_permitted);
// Reads a tensor of a request from shared memory.
StatusOr<Tensor> TensorFromSharedMemory(DType dtype, Shape shape, const SharedMemoryPart& part,
                                        const SharedMemoryReader& read, const InputPlace& place);

// Checks that the raw form has the size that the shape states. BYTES have no such size.
Status CheckRawSize(DType dtype, const Shape& shape, size_t size, const InputPlace& place);
// Converts the raw form, whose size has been checked. The result borrows `raw` if it is aligned.
StatusOr<Tensor> TensorFromRaw(DType dtype, Shape shape, Buffer raw, const InputPlace& place = {});
StatusOr<Buffer> RawOfTensor(const Tensor& tensor);
// Returns the number of bytes of the raw form.
size_t RawSizeOf(const Tensor& tensor);

// Returns the `classes` largest elements of each row of a tensor (of all elements, if it has at
// most one dimension), as texts `VALUE:INDEX`, the largest first.
StatusOr<Tensor> LargestElements(const Tensor& tensor, int64_t classes);

}  // namespace signet
