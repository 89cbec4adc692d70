// OnnxCases: models with recorded inputs and outputs, in the layout of the standard's suites:
//
//   DIR/<name>/model.onnx, DIR/<name>/test_data_set_<k>/input_<i>.pb, output_<i>.pb
//
// A case is loaded as a model folder is, put on a server in this process, called over gRPC with
// each set of inputs, and what comes back is compared.

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
  kRefused,  // by the loader or a call, with a status that says why
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

  // Runs the model in `folder`, on all sets in it or on the given ones.
  OnnxOutcome Run(const std::filesystem::path& folder, const OnnxTolerance& tolerance,
                  std::vector<std::string> sets = {});

 private:
  struct Serving;
  std::unique_ptr<Serving> serving_;
};

// The inputs of `model` that are recorded in the folder `set`, those with initializers left out.
StatusOr<std::vector<Value>> ReadOnnxInputs(const std::filesystem::path& model,
                                            const std::filesystem::path& set);

// The operators in a model, with those of its subgraphs and functions.
std::vector<std::string> OperatorsIn(const std::filesystem::path& model);

}  // namespace signet
