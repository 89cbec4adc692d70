// SavedModelRunner: runs SavedModels with recorded inputs and outputs:
//
//   DIR/<name>/cases.json    {"model": "1", "cases": [{"signature", "dir", "inputs", "outputs"}],
//                             "rtol", "atol", "sequence"}
//   DIR/<name>/<dir>/input_<key>.pb, output_<key>.pb    onnx.TensorProto
//
// A model is loaded like a model directory, served in this process, and called over gRPC, and again
// after it is written in the native form.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/model/loaded_model.h"
#include "signet/status.h"

namespace signet {

struct SavedModelOutcome {
  int passed = 0;
  int failed = 0;
  // Cases that are not served, with the reason.
  std::vector<std::string> not_imported = {};
  std::vector<std::string> failures = {};
};

// A recorded call: a function of a loaded model, and its arguments.
struct RecordedCall {
  std::string function;
  CallArguments arguments;
};
// Returns the recorded calls of the model in `folder` whose inputs can be read.
std::vector<RecordedCall> ReadRecordedCalls(const std::filesystem::path& folder,
                                            const LoadedModel& model);

class SavedModelRunner {
 public:
  SavedModelRunner();
  ~SavedModelRunner();

  // Runs all cases of the model in `folder`.
  SavedModelOutcome Run(const std::filesystem::path& folder);

 private:
  struct Serving;
  std::unique_ptr<Serving> serving_;
};

}  // namespace signet
