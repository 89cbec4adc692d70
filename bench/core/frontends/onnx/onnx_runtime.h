// OnnxRuntime: runs ONNX models with a libonnxruntime.so in this process, for comparison.
//
//   auto runtime = OnnxRuntime::Open(path);
//   auto session = (*runtime)->Load("model.onnx", 2);
//   (*session)->Give(0, tensor);
//   (*session)->Run();
//
// The required functions of its C API are declared here by their positions in its table of
// functions, which do not change from version to version. Not thread-safe.

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "signet/status.h"
#include "signet/tensor.h"

namespace signet {

struct OnnxRuntimeCalls;

class OnnxSession {
 public:
  OnnxSession(const OnnxRuntimeCalls& calls, void* session) : calls_(calls), session_(session) {}
  ~OnnxSession();
  OnnxSession(const OnnxSession&) = delete;
  OnnxSession& operator=(const OnnxSession&) = delete;

  Status ReadNames();
  size_t num_inputs() const { return inputs_.size(); }
  // Returns the sizes of input `i`, -1 for open ones. Empty if it is not a tensor.
  StatusOr<std::vector<int64_t>> DimsOf(size_t i) const;
  // Sets input `i` of later runs. `tensor` must outlive them.
  Status Give(size_t i, const Tensor& tensor);
  // Runs the model and drops its results.
  Status Run();

 private:
  const OnnxRuntimeCalls& calls_;
  void* session_;
  std::vector<std::string> inputs_, outputs_;
  std::vector<const char*> input_names_, output_names_;
  std::vector<void*> values_;  // one per input
  std::vector<void*> results_;
};

class OnnxRuntime {
 public:
  // Opens the library at `path`, of version 1.
  static StatusOr<std::unique_ptr<OnnxRuntime>> Open(const std::filesystem::path& path);
  ~OnnxRuntime();

  const std::string& version() const { return version_; }
  // Loads a model with all graph optimizations, for `threads` threads.
  StatusOr<std::unique_ptr<OnnxSession>> Load(const std::filesystem::path& model,
                                              int threads) const;

 private:
  OnnxRuntime() = default;

  std::string version_;
  std::unique_ptr<OnnxRuntimeCalls> calls_;
};

}  // namespace signet
