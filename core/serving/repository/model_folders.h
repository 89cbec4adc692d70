// FindModelFolders: finds the versions of models below a root directory: `name/version/`, or
// `name/` itself as version 1 if it contains a file of a model, such as model.signet or model.onnx,
// and no directory `1`.
// The directory of a SavedModel may have leading zeros: `00000123/` is version 123.
//
// The root may be a link, and so may its entries: the operator decides where they lead. Below an
// entry, links that leave both the root and the target of the entry are rejected, and so is
// anything in a version directory that is neither a regular file nor a directory. Only names that
// IsModelName accepts are found. Stateless.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_name.h"
#include "core/serving/environment/file_system.h"
#include "signet/status.h"

namespace signet {

struct VersionFolder {
  std::string name;
  int64_t version = 0;
  std::filesystem::path folder;
  Status status;  // not OK if the version must not be opened, with the reason
};

struct ModelFolders {
  std::vector<VersionFolder> versions;  // sorted by name, then by version
  std::vector<std::string> skipped;     // entries that are not models, and why; sorted
  // Folders that are one level too deep or too high, and the folder to pass instead; sorted.
  //   `models/recipes` looks like one model: it contains version folders such as `3`; pass the
  //   folder that contains it, `models`
  std::vector<std::string> misplaced;
};

// Returns the version that the name of a directory states. The directory of a SavedModel may have
// leading zeros, as TensorFlow Serving permits: `00000123` is version 123.
std::optional<int64_t> VersionOfFolder(const FileSystem& files,
                                       const std::filesystem::path& folder);

// Returns NOT_FOUND if `root` is not a directory. Ignores entries that begin with a point, and
// files next to the models, except for files of a model. If the root is itself a model or a version
// of a model, no versions are found, and `misplaced` states it.
StatusOr<ModelFolders> FindModelFolders(const FileSystem& files, const std::filesystem::path& root);

// Returns why `root` is not a directory of models but a model or a version of one; empty if it may
// be one. Returns NOT_FOUND if it is not a directory.
StatusOr<std::vector<std::string>> FindMisplacedRoot(const FileSystem& files,
                                                     const std::filesystem::path& root);

// Does the same as FindModelFolders for the entry `name` of `root` only. `root` is canonical.
ModelFolders FindModelFolder(const FileSystem& files, const std::filesystem::path& root,
                             const std::string& name);

// Finds the versions of one model whose directory may have any name: `folder/version/`, or
// `folder` itself as version 1. Returns NOT_FOUND if `folder` is not a directory.
StatusOr<ModelFolders> FindVersionFolders(const FileSystem& files,
                                          const std::filesystem::path& folder,
                                          const std::string& name);

}  // namespace signet
