// ModelFiles: the files of a version folder: which form a model has, and its bytes made a message.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "signet/status.h"
#include "signet/v1/model.pb.h"

namespace signet {

inline constexpr char kTextFile[] = "model.textproto";
inline constexpr char kBinaryFile[] = "model.pb";
inline constexpr char kCapturesFile[] = "captures.safetensors";
inline constexpr char kDescriptorsFile[] = "descriptors.pb";

// Whether `path` is there. Refuses what is no plain file: a folder, a pipe, a device, a loose link.
StatusOr<bool> HasPlainFile(const std::filesystem::path& path);

// Reads model.textproto or model.pb; refuses a folder with both or neither, and more than
// kMaxModelBytes.
StatusOr<v1::Model> ReadModelProto(const std::filesystem::path& folder);
// The bytes of descriptors.pb; none where there is no such file.
StatusOr<std::string> ReadDescriptorFile(const std::filesystem::path& folder);

// Refusals point at a line and column.
StatusOr<v1::Model> ParseModelText(std::string_view text);
// Counts nodes before any is made.
StatusOr<v1::Model> ParseModelBinary(std::string_view bytes);

// Returns the name of a version folder in messages, which is its path in the folder of models:
// `recipes/3`, or `recipes` for the folder of a model without versions. Clients read these
// messages, so they do not show where a server keeps its models.
std::string PlaceOf(const std::filesystem::path& folder);

}  // namespace signet
