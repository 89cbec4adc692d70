// PeerModels: ONNX Runtime, and models of other projects that a benchmark runs in both programs.
//
//   SIGNET_ASSIGN_OR_RETURN(PeerModels models, FindPeerModels("onnx", "SIGNET_ONNX_CASES"));
//   for (const auto& folder : models.folders) .. models.peer->Load(folder / "model.onnx", threads)

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/core/frontends/onnx/onnx_runtime.h"

namespace signet {

struct PeerModels {
  std::unique_ptr<OnnxRuntime> peer;
  std::vector<std::filesystem::path> folders;  // one for each model, sorted
};

// Opens the library SIGNET_ONNXRUNTIME, and lists the folders in `kind` of SIGNET_MODELS_DIR. If
// the environment variable `selection` is set, only the models whose names contain its value are
// listed. Returns FAILED_PRECONDITION if something is not there.
StatusOr<PeerModels> FindPeerModels(const char* kind, const char* selection);

// Returns the geometric mean. `ratios` must not be empty.
double GeometricMean(const std::vector<double>& ratios);

}  // namespace signet
