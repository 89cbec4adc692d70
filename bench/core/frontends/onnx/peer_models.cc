#include "bench/core/frontends/onnx/peer_models.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace signet {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

}  // namespace

StatusOr<PeerModels> FindPeerModels(const char* kind, const char* selection) {
  const std::string top = Variable("SIGNET_MODELS_DIR", "");
  if (top.empty()) return FailedPrecondition("SIGNET_MODELS_DIR is not set");
  const fs::path models = fs::path(top) / kind;
  const std::string library = Variable("SIGNET_ONNXRUNTIME", "");
  if (library.empty()) return FailedPrecondition("SIGNET_ONNXRUNTIME is not set");
  if (!fs::is_directory(models)) {
    return FailedPrecondition("folder ", models.native(), " not found");
  }
  PeerModels found;
  SIGNET_ASSIGN_OR_RETURN(found.peer, OnnxRuntime::Open(library));
  const std::string part = Variable(selection, "");
  for (const auto& entry : fs::directory_iterator(models)) {
    const std::string name = entry.path().filename().native();
    if (entry.is_directory() && name.find(part) != std::string::npos) {
      found.folders.push_back(entry.path());
    }
  }
  std::sort(found.folders.begin(), found.folders.end());
  return found;
}

double GeometricMean(const std::vector<double>& ratios) {
  double sum = 0;
  for (double ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

}  // namespace signet
