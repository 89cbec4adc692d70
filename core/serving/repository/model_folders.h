// ModelFolders: finds the versions of models under a root folder: `name/version/`, or `name/`
// itself as version 1 where it has a model.onnx and no folder `1`.
//
// A door: only plain names count, and nothing outside the root is ever opened: links that lead out,
// and anything in a version folder that is neither file nor folder, are refused. Stateless.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_name.h"
#include "signet/status.h"

namespace signet {

struct VersionFolder {
  std::string name;
  int64_t version = 0;
  std::filesystem::path folder;
  Status status;  // not OK: why it is not to be opened
};

struct ModelFolders {
  std::vector<VersionFolder> versions;  // by name, then ascending
  std::vector<std::string> skipped;     // entries that are no models or versions, and why; sorted
  // Folders that are one level too deep or too high, and the folder to pass instead; sorted.
  //   `models/recipes` looks like one model: it contains version folders such as `3`; pass the
  //   folder that contains it, `models`
  std::vector<std::string> misplaced;
};

// NOT_FOUND when `root` is no folder. Entries that start with a point, and files beside the models,
// are passed over in silence, unless they are files of a model. A root that is itself a model or a
// version of one has no versions; `misplaced` says so.
StatusOr<ModelFolders> FindModelFolders(const std::filesystem::path& root);

}  // namespace signet
