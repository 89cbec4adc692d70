// LoadMilliseconds: the shortest time of loading a model version, with its files in the page cache.

#pragma once

#include <algorithm>
#include <filesystem>

#include "bench/measure.h"
#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"

namespace signet {

// Loads the version in `folder` once, and then `options.rounds` times. Returns the error of the
// first time.
inline StatusOr<double> LoadMilliseconds(const BenchOptions& options,
                                         const std::filesystem::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(auto first, LoadModel(folder, "m", 1, {}));
  double best = 0;
  for (int i = 0; i < options.rounds; ++i) {
    const double begin = WallNanoseconds();
    Keep(LoadModel(folder, "m", 1, {}));
    const double taken = WallNanoseconds() - begin;
    best = i == 0 ? taken : std::min(best, taken);
  }
  return best / 1e6;
}

}  // namespace signet
