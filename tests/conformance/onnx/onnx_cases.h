// OnnxRunner: runs models with recorded inputs and outputs, in the layout of the suites of the
// standard:
//
//   DIR/<name>/model.onnx, DIR/<name>/test_data_set_<k>/input_<i>.pb, output_<i>.pb
//
// A case is loaded like a model directory, served in this process, and called over gRPC with each
// set of inputs. The results are compared with the recorded outputs.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "signet/status.h"
#include "signet/value.h"

namespace signet {

struct OnnxTolerance {
  double relative = 1e-3;
  double absolute = 1e-5;
};

enum class OnnxVerdict : uint8_t {
  kPass,
  kRejected,  // the loader or a call returned an error
  kDiffers,
};

struct OnnxOutcome {
  OnnxVerdict verdict = OnnxVerdict::kPass;
  std::string why = {};
};

class OnnxRunner {
 public:
  OnnxRunner();
  ~OnnxRunner();

  // Runs the model in `folder` with all its sets of inputs, or with `sets`.
  OnnxOutcome Run(const std::filesystem::path& folder, const OnnxTolerance& tolerance,
                  std::vector<std::string> sets = {});

 private:
  struct Serving;
  std::unique_ptr<Serving> serving_;
};

// Returns the inputs of `model` that are recorded in the directory `set`, without inputs with
// initializers.
StatusOr<std::vector<Value>> ReadOnnxInputs(const std::filesystem::path& model,
                                            const std::filesystem::path& set);

// Returns the operators in a model, including its subgraphs and functions.
std::vector<std::string> OperatorsIn(const std::filesystem::path& model);

}  // namespace signet
