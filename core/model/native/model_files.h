// ReadModelProto: reads the files of a version directory and parses them to a message.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/formats/safetensors/safetensors.h"
#include "signet/status.h"
#include "signet/v1/model.pb.h"

namespace signet {

inline constexpr char kLanguageFile[] = "model.signet";  // core/model/language
inline constexpr char kBinaryFile[] = "model.pb";
inline constexpr char kCapturesFile[] = "captures.safetensors";
inline constexpr char kDescriptorsFile[] = "descriptors.pb";

// Returns true if `path` exists. Returns an error if it is not a regular file.
StatusOr<bool> HasPlainFile(const std::filesystem::path& path);

// Returns the bytes of a regular file. FAILED_PRECONDITION if it has more than `limit` bytes.
StatusOr<std::string> ReadPlainFile(const std::filesystem::path& path, int64_t limit);
// Writes a file under a temporary name, which is then renamed.
Status WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes);

// Returns FAILED_PRECONDITION if `folder` contains a native model, which may have been written by
// hand.
Status CheckNoNativeModel(const std::filesystem::path& folder);

// Reads model.pb. Rejects a file of more than kMaxModelBytes.
StatusOr<v1::Model> ReadModelProto(const std::filesystem::path& folder);
// Maps captures.safetensors. Empty if the file does not exist.
StatusOr<MappedTensors> MapCaptureFile(const std::filesystem::path& folder);
// Returns the names of `tensors`, in order.
std::vector<std::string> NamesOf(const NamedTensors& tensors);
// Returns the bytes of descriptors.pb, or an empty text if the file does not exist.
StatusOr<std::string> ReadDescriptorFile(const std::filesystem::path& folder);

// Returns the bytes of a model.pb. Equal messages have equal bytes.
StatusOr<std::string> SerializeModel(const v1::Model& proto);

// Parses a model.pb. Checks the number of nodes before it makes any.
StatusOr<v1::Model> ParseModelBinary(std::string_view bytes);

// Returns the name of a version folder in messages, which is its path in the folder of models:
// `recipes/3`, or `recipes` for the folder of a model without versions. Clients read these
// messages, so they do not show where a server keeps its models.
std::string PlaceOf(const std::filesystem::path& folder);

}  // namespace signet
