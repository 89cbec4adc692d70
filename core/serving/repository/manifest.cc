#include "core/serving/repository/manifest.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <vector>

#include <google/protobuf/util/json_util.h>
#include <openssl/evp.h>

#include "core/serving/repository/model_folders.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxManifestBytes = 16 << 20;
constexpr int kMostManifestFiles = 10'000;
constexpr size_t kBlockBytes = 1 << 20;

std::string QuotePath(const fs::path& path) { return Cat("`", Printable(path.native()), "`"); }

// Returns the sizes of the files that a manifest lists, by their paths relative to `folder`.
StatusOr<std::map<std::string, int64_t>> FilesIn(const fs::path& folder) {
  std::map<std::string, int64_t> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    fs::path path = it->path().lexically_relative(folder);
    if (path.filename().native().starts_with(".")) {
      it.disable_recursion_pending();
      continue;
    }
    if (path == kManifestFile || path == kSettingsFile) continue;
    std::error_code ignored;
    if (fs::is_directory(it->path(), ignored)) {
      if (!it->is_symlink(ignored)) continue;
      return At(QuotePath(path), FailedPrecondition("expected a directory, found a link to one"));
    }
    if (!fs::is_regular_file(it->path(), ignored)) {
      return At(QuotePath(path), FailedPrecondition("expected a regular file or a directory"));
    }
    if (files.size() >= kMostManifestFiles) {
      return FailedPrecondition("the number of files exceeds the limit of ", kMostManifestFiles);
    }
    files[path.generic_string()] = static_cast<int64_t>(fs::file_size(it->path(), ignored));
  }
  if (error) return FailedPrecondition("cannot read the directory: ", error.message());
  return files;
}

// Returns true if `text` is the path of a file below the directory.
bool IsInnerPath(const std::string& text) {
  fs::path path(text);
  if (text.empty() || path.is_absolute() || text.find('\0') != text.npos) return false;
  return std::all_of(path.begin(), path.end(), [](const fs::path& part) {
    return !part.empty() && !part.native().starts_with(".");
  });
}

StatusOr<std::string> ReadManifestFile(const fs::path& folder) {
  fs::path path = folder / kManifestFile;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return FailedPrecondition("expected a regular file");
  uintmax_t size = fs::file_size(path, error);
  if (error || size > kMaxManifestBytes) {
    return FailedPrecondition("the size exceeds the limit of ", kMaxManifestBytes, " bytes");
  }
  std::string text(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) {
    return FailedPrecondition("cannot read the whole file");
  }
  return text;
}

// Returns the manifest of `folder` if the folder contains exactly its files, with their sizes.
StatusOr<v1::Manifest> CheckSizes(const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(std::string text, ReadManifestFile(folder));
  SIGNET_ASSIGN_OR_RETURN(v1::Manifest manifest, ParseManifest(text));
  SIGNET_ASSIGN_OR_RETURN(auto found, FilesIn(folder));
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

Status CheckFiles(const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(v1::Manifest manifest, CheckSizes(folder));
  for (const v1::ManifestFile& file : manifest.files()) {
    auto sum = Sha256OfFile(folder / file.path());
    if (!sum.ok()) return At(QuotePath(file.path()), sum.status());
    if (*sum != file.sha256()) {
      return FailedPrecondition(QuotePath(file.path()), ": expected the SHA-256 checksum ",
                                Printable(file.sha256()), ", found ", *sum);
    }
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::string> Sha256OfFile(const fs::path& path) {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                  EVP_MD_CTX_free);
  std::ifstream file(path, std::ios::binary);
  if (!file) return FailedPrecondition("cannot open the file for reading");
  bool is_good = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> block(kBlockBytes);
  while (is_good && file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    auto count = static_cast<size_t>(file.gcount());
    is_good = !file.bad() && EVP_DigestUpdate(context.get(), block.data(), count) == 1;
  }
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

StatusOr<v1::Manifest> MakeManifest(const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(auto files, FilesIn(folder));
  v1::Manifest out;
  out.set_format_version(1);
  for (const auto& [path, size] : files) {
    v1::ManifestFile& file = *out.add_files();
    file.set_path(path);
    file.set_size(size);
    auto sum = Sha256OfFile(folder / path);
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

bool HasManifest(const fs::path& folder) {
  std::error_code error;
  return fs::symlink_status(folder / kManifestFile, error).type() != fs::file_type::not_found;
}

bool MatchesManifestSizes(const fs::path& folder) {
  return HasManifest(folder) && CheckSizes(folder).ok();
}

Status CheckManifest(const fs::path& folder) {
  if (!HasManifest(folder)) return absl::OkStatus();
  return At(kManifestFile, CheckFiles(folder));
}

}  // namespace signet
