// PublishModel: copies a version of a model into a directory of models, without a server.
//
//   auto published = PublishModel("build/recipes", "/srv/models", {.name = "recipes"});
//
// 1. The version is checked as `signet check` does.
// 2. It is copied to a hidden directory next to the models. A manifest with sizes and checksums is
//    written last, and the copy is verified.
// 3. The copy is renamed, so that a server sees the whole version or nothing.
// 4. If the same files are published already, nothing is copied.
// 5. If the settings next to a frozen graph name its inputs or outputs, and the settings of the
//    published model do not, the names are written to settings in the directory of the version.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "signet/status.h"

namespace signet {

struct PublishOptions {
  std::string name = {};                // empty: the name of the source directory
  std::optional<int64_t> version = {};  // absent: the newest version plus 1
};

struct PublishedModel {
  std::string name;
  int64_t version = 0;
  size_t files = 0;
  int64_t bytes = 0;
  bool was_published = false;  // the same files were there already
};

// Publishes `source`, a version directory or a file that ends in .onnx, in `models`. Returns
// NOT_FOUND if one of them does not exist, ALREADY_EXISTS if the version has other files, and the
// first error of the check.
StatusOr<PublishedModel> PublishModel(const std::filesystem::path& source,
                                      const std::filesystem::path& models,
                                      const PublishOptions& options);

}  // namespace signet
