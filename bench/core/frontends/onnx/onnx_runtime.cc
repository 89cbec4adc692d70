#include "bench/core/frontends/onnx/onnx_runtime.h"

#include <dlfcn.h>
#include <utility>

namespace signet {

// The C API is a table of functions. Most of them return a status, which is null for success.
struct OnnxRuntimeCalls {
  // Indices of functions in the table.
  enum Place : size_t {
    kGetErrorMessage = 2,
    kCreateEnv = 3,
    kCreateSession = 7,
    kRun = 9,
    kCreateSessionOptions = 10,
    kSetGraphOptimizationLevel = 23,
    kSetIntraOpNumThreads = 24,
    kGetInputCount = 30,
    kGetOutputCount = 31,
    kGetInputTypeInfo = 33,
    kGetInputName = 36,
    kGetOutputName = 37,
    kCreateTensor = 48,
    kCreateTensorWithData = 49,
    kFillStringTensor = 52,
    kCastTypeInfoToTensorInfo = 55,
    kGetDimensionsCount = 61,
    kGetDimensions = 62,
    kCreateCpuMemoryInfo = 69,
    kAllocatorFree = 76,
    kGetDefaultAllocator = 78,
    kReleaseEnv = 92,
    kReleaseStatus = 93,
    kReleaseMemoryInfo = 94,
    kReleaseSession = 95,
    kReleaseValue = 96,
    kReleaseTypeInfo = 98,
    kReleaseSessionOptions = 100,
  };

  template <class... Arguments>
  Status Call(Place place, Arguments... arguments) const {
    void* status = reinterpret_cast<void* (*)(Arguments...)>(table[place])(arguments...);
    if (status == nullptr) return absl::OkStatus();
    std::string why =
        reinterpret_cast<const char* (*)(const void*)>(table[kGetErrorMessage])(status);
    Release(kReleaseStatus, status);
    return InvalidArgument("ONNX Runtime: ", why);
  }
  void Release(Place place, void* object) const {
    if (object != nullptr) reinterpret_cast<void (*)(void*)>(table[place])(object);
  }

  void* const* table = nullptr;
  void* env = nullptr;
  void* memory = nullptr;     // memory of the processor, for tensors
  void* allocator = nullptr;  // the allocator of the library, for names
};

namespace {

using Calls = OnnxRuntimeCalls;

// Returns the element type of ONNX Runtime, which is a TensorProto.DataType.
int ElementType(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 1;
    case DType::kUInt8:
      return 2;
    case DType::kInt8:
      return 3;
    case DType::kUInt16:
      return 4;
    case DType::kInt16:
      return 5;
    case DType::kInt32:
      return 6;
    case DType::kInt64:
      return 7;
    case DType::kString:
      return 8;
    case DType::kBool:
      return 9;
    case DType::kFloat16:
      return 10;
    case DType::kFloat64:
      return 11;
    case DType::kUInt32:
      return 12;
    case DType::kUInt64:
      return 13;
    case DType::kComplex64:
      return 14;
    case DType::kComplex128:
      return 15;
    case DType::kBFloat16:
      return 16;
  }
  __builtin_unreachable();
}

StatusOr<std::vector<std::string>> ReadNamesOf(const Calls& calls, void* session,
                                               Calls::Place count, Calls::Place name_of) {
  size_t n = 0;
  SIGNET_RETURN_IF_ERROR(calls.Call(count, session, &n));
  std::vector<std::string> names;
  for (size_t i = 0; i < n; ++i) {
    char* name = nullptr;
    SIGNET_RETURN_IF_ERROR(calls.Call(name_of, session, i, calls.allocator, &name));
    names.emplace_back(name);
    SIGNET_RETURN_IF_ERROR(calls.Call(Calls::kAllocatorFree, calls.allocator, name));
  }
  return names;
}

}  // namespace

OnnxSession::~OnnxSession() {
  for (void* value : values_) calls_.Release(Calls::kReleaseValue, value);
  calls_.Release(Calls::kReleaseSession, session_);
}

Status OnnxSession::ReadNames() {
  SIGNET_ASSIGN_OR_RETURN(
      inputs_, ReadNamesOf(calls_, session_, Calls::kGetInputCount, Calls::kGetInputName));
  SIGNET_ASSIGN_OR_RETURN(
      outputs_, ReadNamesOf(calls_, session_, Calls::kGetOutputCount, Calls::kGetOutputName));
  for (const std::string& name : inputs_) input_names_.push_back(name.c_str());
  for (const std::string& name : outputs_) output_names_.push_back(name.c_str());
  values_.assign(inputs_.size(), nullptr);
  results_.assign(outputs_.size(), nullptr);
  return absl::OkStatus();
}

StatusOr<std::vector<int64_t>> OnnxSession::DimsOf(size_t i) const {
  void* type = nullptr;
  SIGNET_RETURN_IF_ERROR(calls_.Call(Calls::kGetInputTypeInfo, session_, i, &type));
  const void* tensor = nullptr;  // owned by the type
  size_t rank = 0;
  std::vector<int64_t> dims;
  Status status = calls_.Call(Calls::kCastTypeInfoToTensorInfo, type, &tensor);
  if (status.ok() && tensor != nullptr) {
    status = calls_.Call(Calls::kGetDimensionsCount, tensor, &rank);
    dims.resize(rank);
    if (status.ok()) status = calls_.Call(Calls::kGetDimensions, tensor, dims.data(), rank);
  }
  calls_.Release(Calls::kReleaseTypeInfo, type);
  SIGNET_RETURN_IF_ERROR(status);
  return dims;
}

Status OnnxSession::Give(size_t i, const Tensor& tensor) {
  calls_.Release(Calls::kReleaseValue, values_[i]);
  values_[i] = nullptr;
  std::vector<int64_t> dims(tensor.shape().dims().begin(), tensor.shape().dims().end());
  int type = ElementType(tensor.dtype());
  if (!tensor.is_string()) {
    void* data = const_cast<std::byte*>(tensor.data().data());  // inputs are only read
    return calls_.Call(Calls::kCreateTensorWithData, calls_.memory, data, tensor.data().size(),
                       dims.data(), dims.size(), type, &values_[i]);
  }
  std::vector<std::string> strings;
  for (int64_t k = 0; k < tensor.num_elements(); ++k) strings.emplace_back(tensor.string_at(k));
  std::vector<const char*> pointers;
  for (const std::string& string : strings) pointers.push_back(string.c_str());
  SIGNET_RETURN_IF_ERROR(calls_.Call(Calls::kCreateTensor, calls_.allocator, dims.data(),
                                     dims.size(), type, &values_[i]));
  return calls_.Call(Calls::kFillStringTensor, values_[i], pointers.data(), pointers.size());
}

Status OnnxSession::Run() {
  const void* options = nullptr;
  Status status =
      calls_.Call(Calls::kRun, session_, options, input_names_.data(), values_.data(),
                  inputs_.size(), output_names_.data(), outputs_.size(), results_.data());
  for (void*& result : results_)
    calls_.Release(Calls::kReleaseValue, std::exchange(result, nullptr));
  return status;
}

StatusOr<std::unique_ptr<OnnxRuntime>> OnnxRuntime::Open(const std::filesystem::path& path) {
  struct Base {
    const void* (*get_api)(uint32_t version);
    const char* (*get_version)();
  };
  constexpr uint32_t kVersion = 16;
  constexpr int kWarnings = 3;  // log level: errors only
  // Never closed, because it has threads.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return FailedPrecondition(dlerror());
  auto get_base = reinterpret_cast<const Base* (*)()>(dlsym(library, "OrtGetApiBase"));
  if (get_base == nullptr)
    return FailedPrecondition(
        path.native(), ": expected a library of ONNX Runtime, which exports `OrtGetApiBase`");
  std::unique_ptr<OnnxRuntime> runtime(new OnnxRuntime);
  runtime->version_ = get_base()->get_version();
  runtime->calls_ = std::make_unique<Calls>();
  Calls& calls = *runtime->calls_;
  calls.table = static_cast<void* const*>(get_base()->get_api(kVersion));
  if (calls.table == nullptr) {
    return FailedPrecondition("ONNX Runtime ", runtime->version_, " does not support version ",
                              kVersion, " of its API");
  }
  SIGNET_RETURN_IF_ERROR(calls.Call(Calls::kCreateEnv, kWarnings, "bench", &calls.env));
  SIGNET_RETURN_IF_ERROR(calls.Call(Calls::kCreateCpuMemoryInfo, 0, 0, &calls.memory));
  SIGNET_RETURN_IF_ERROR(calls.Call(Calls::kGetDefaultAllocator, &calls.allocator));
  return runtime;
}

OnnxRuntime::~OnnxRuntime() {
  calls_->Release(Calls::kReleaseMemoryInfo, calls_->memory);
  calls_->Release(Calls::kReleaseEnv, calls_->env);
}

StatusOr<std::unique_ptr<OnnxSession>> OnnxRuntime::Load(const std::filesystem::path& model,
                                                         int threads) const {
  constexpr int kAllOptimizations = 99;
  void* options = nullptr;
  void* session = nullptr;
  SIGNET_RETURN_IF_ERROR(calls_->Call(Calls::kCreateSessionOptions, &options));
  Status status = calls_->Call(Calls::kSetGraphOptimizationLevel, options, kAllOptimizations);
  if (status.ok()) status = calls_->Call(Calls::kSetIntraOpNumThreads, options, threads);
  if (status.ok()) {
    status = calls_->Call(Calls::kCreateSession, calls_->env, model.c_str(), options, &session);
  }
  calls_->Release(Calls::kReleaseSessionOptions, options);
  SIGNET_RETURN_IF_ERROR(status);
  auto made = std::make_unique<OnnxSession>(*calls_, session);
  SIGNET_RETURN_IF_ERROR(made->ReadNames());
  return made;
}

}  // namespace signet
