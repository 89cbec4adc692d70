// Manifest: the sizes and checksums of the files of one version of a model, in manifest.json.
//
//   {"formatVersion": 1, "files": [
//     {"path": "model.signet", "size": "120", "sha256": "9f86d08..."}]}
//
// Whoever copies a version writes the manifest last. A version whose files match its manifest is
// complete. Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <string>

#include "core/serving/environment/file_system.h"
#include "signet/status.h"
#include "signet/v1/manifest.pb.h"

namespace signet {

inline constexpr char kManifestFile[] = "manifest.json";

// Returns the SHA-256 checksum of a regular file, in lower-case hexadecimal digits.
StatusOr<std::string> Sha256OfFile(const FileSystem& files, const std::filesystem::path& path);

// Returns the manifest of the files in `folder`, without entries that begin with a point, the
// manifest itself, and settings.textproto. FAILED_PRECONDITION for anything that is neither a
// regular file nor a directory.
StatusOr<v1::Manifest> MakeManifest(const FileSystem& files, const std::filesystem::path& folder);

// Returns the text of manifest.json.
StatusOr<std::string> ManifestToJson(const v1::Manifest& manifest);
// Parses the text of manifest.json. Rejects unknown fields and paths that leave the directory.
StatusOr<v1::Manifest> ParseManifest(std::string_view json);

// Returns true if `folder` contains a manifest.
bool HasManifest(const FileSystem& files, const std::filesystem::path& folder);
// Returns true if `folder` contains a manifest and exactly the files that it lists, with their
// sizes. Reads no other file.
bool MatchesManifestSizes(const FileSystem& files, const std::filesystem::path& folder);
// Checks that `folder` contains exactly the files of its manifest, first by their sizes and then by
// their checksums. OK if there is no manifest. FAILED_PRECONDITION states the first difference:
//   manifest.json: `captures.safetensors`: expected 4096 bytes, found 1024
Status CheckManifest(const FileSystem& files, const std::filesystem::path& folder);

}  // namespace signet
