#include "core/serving/repository/manifest.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <google/protobuf/util/json_util.h>
#include <openssl/evp.h>

#include "core/serving/repository/model_folders.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxManifestBytes = 16 << 20;
constexpr size_t kMostManifestFiles = 10'000;

std::string QuotePath(const fs::path& path) { return Cat("`", Printable(path.native()), "`"); }

using FileSizes = std::map<std::string, int64_t>;

// Adds the sizes of the files below `folder` that a manifest lists, by their paths, which begin
// with `prefix`.
Status AddFiles(const FileSystem& files, const fs::path& folder, const fs::path& prefix,
                FileSizes& sizes) {
  const auto names = files.List(folder);
  if (!names.ok()) {
    return FailedPrecondition("cannot read the directory: ", MessageOf(names.status()));
  }
  for (const std::string& name : *names) {
    const fs::path path = prefix / name;
    if (name.starts_with(".") || path == kManifestFile || path == kSettingsFile) continue;
    const auto entry = files.Find(folder / name);
    if (entry && entry->is_folder()) {
      if (files.IsLink(folder / name)) {
        return At(QuotePath(path), FailedPrecondition("expected a directory, found a link to one"));
      }
      SIGNET_RETURN_IF_ERROR(AddFiles(files, folder / name, path, sizes));
      continue;
    }
    if (!entry || !entry->is_file()) {
      return At(QuotePath(path), FailedPrecondition("expected a regular file or a directory"));
    }
    if (sizes.size() >= kMostManifestFiles) {
      return FailedPrecondition("the number of files exceeds the limit of ", kMostManifestFiles);
    }
    sizes[path.generic_string()] = entry->size;
  }
  return absl::OkStatus();
}

// Returns the sizes of the files that a manifest lists, by their paths relative to `folder`.
StatusOr<FileSizes> FilesIn(const FileSystem& files, const fs::path& folder) {
  FileSizes sizes;
  SIGNET_RETURN_IF_ERROR(AddFiles(files, folder, "", sizes));
  return sizes;
}

// Returns true if `text` is the path of a file below the directory.
bool IsInnerPath(const std::string& text) {
  fs::path path(text);
  if (text.empty() || path.is_absolute() || text.find('\0') != text.npos) return false;
  return std::all_of(path.begin(), path.end(), [](const fs::path& part) {
    return !part.empty() && !part.native().starts_with(".");
  });
}

StatusOr<std::string> ReadManifestFile(const FileSystem& files, const fs::path& folder) {
  const fs::path path = folder / kManifestFile;
  const auto entry = files.Find(path);
  if (!entry || !entry->is_file()) return FailedPrecondition("expected a regular file");
  if (entry->size > kMaxManifestBytes) {
    return FailedPrecondition("the size exceeds the limit of ", kMaxManifestBytes, " bytes");
  }
  std::string text;
  const Status read = files.Read(path, [&](std::string_view block) { text += block; });
  if (!read.ok() || static_cast<int64_t>(text.size()) != entry->size) {
    return FailedPrecondition("cannot read the whole file");
  }
  return text;
}

// Returns the manifest of `folder` if the folder contains exactly its files, with their sizes.
StatusOr<v1::Manifest> CheckSizes(const FileSystem& files, const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(std::string text, ReadManifestFile(files, folder));
  SIGNET_ASSIGN_OR_RETURN(v1::Manifest manifest, ParseManifest(text));
  SIGNET_ASSIGN_OR_RETURN(auto found, FilesIn(files, folder));
  for (const v1::ManifestFile& file : manifest.files()) {
    auto entry = found.find(file.path());
    if (entry == found.end()) return FailedPrecondition(QuotePath(file.path()), ": file not found");
    if (entry->second != file.size()) {
      return FailedPrecondition(QuotePath(file.path()), ": expected ", file.size(),
                                " bytes, found ", entry->second);
    }
    found.erase(entry);
  }
  if (!found.empty()) {
    return FailedPrecondition("expected no other files, found ", QuotePath(found.begin()->first));
  }
  return manifest;
}

Status CheckFiles(const FileSystem& files, const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(v1::Manifest manifest, CheckSizes(files, folder));
  for (const v1::ManifestFile& file : manifest.files()) {
    auto sum = Sha256OfFile(files, folder / file.path());
    if (!sum.ok()) return At(QuotePath(file.path()), sum.status());
    if (*sum != file.sha256()) {
      return FailedPrecondition(QuotePath(file.path()), ": expected the SHA-256 checksum ",
                                Printable(file.sha256()), ", found ", *sum);
    }
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::string> Sha256OfFile(const FileSystem& files, const fs::path& path) {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                  EVP_MD_CTX_free);
  bool is_good = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  const Status read = files.Read(path, [&](std::string_view block) {
    is_good = is_good && EVP_DigestUpdate(context.get(), block.data(), block.size()) == 1;
  });
  if (!read.ok()) return FailedPrecondition(MessageOf(read));
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (!is_good || EVP_DigestFinal_ex(context.get(), digest, &length) != 1) {
    return FailedPrecondition("cannot compute the checksum of the whole file");
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < length; ++i) {
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

StatusOr<v1::Manifest> MakeManifest(const FileSystem& files, const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(const FileSizes sizes, FilesIn(files, folder));
  v1::Manifest out;
  out.set_format_version(1);
  for (const auto& [path, size] : sizes) {
    v1::ManifestFile& file = *out.add_files();
    file.set_path(path);
    file.set_size(size);
    auto sum = Sha256OfFile(files, folder / path);
    if (!sum.ok()) return At(QuotePath(path), sum.status());
    file.set_sha256(*std::move(sum));
  }
  return out;
}

StatusOr<std::string> ManifestToJson(const v1::Manifest& manifest) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string out;
  auto written = google::protobuf::util::MessageToJsonString(manifest, &out, options);
  if (!written.ok()) return Internal("cannot write the manifest");
  return out;
}

StatusOr<v1::Manifest> ParseManifest(std::string_view json) {
  v1::Manifest out;
  auto parsed = google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &out);
  if (!parsed.ok()) {
    return FailedPrecondition("expected JSON of the message signet.v1.Manifest: ",
                              Printable(parsed.message().ToString()));
  }
  if (out.format_version() != 1) {
    return FailedPrecondition("expected format version 1, found ", out.format_version());
  }
  for (const v1::ManifestFile& file : out.files()) {
    if (!IsInnerPath(file.path())) {
      return FailedPrecondition("expected the path of a file in the directory, found ",
                                QuotePath(file.path()));
    }
  }
  return out;
}

bool HasManifest(const FileSystem& files, const fs::path& folder) {
  return files.Exists(folder / kManifestFile);
}

bool MatchesManifestSizes(const FileSystem& files, const fs::path& folder) {
  return HasManifest(files, folder) && CheckSizes(files, folder).ok();
}

Status CheckManifest(const FileSystem& files, const fs::path& folder) {
  if (!HasManifest(files, folder)) return absl::OkStatus();
  return At(kManifestFile, CheckFiles(files, folder));
}

}  // namespace signet
