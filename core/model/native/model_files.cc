#include "core/model/native/model_files.h"

#include <cctype>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include "core/model/model_name.h"
#include "core/model/native/limits.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

// Calls `visit` for each field of the message at `in`. Returns false if the bytes do not parse.
template <class Visit>
bool VisitFields(CodedInputStream& in, Visit visit) {
  while (uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      uint32_t size = 0;
      if (!in.ReadVarint32(&size)) return false;
      auto end = in.PushLimit(static_cast<int>(size));
      if (!visit(WireFormatLite::GetTagFieldNumber(tag))) return false;
      if (!in.Skip(in.BytesUntilLimit())) return false;
      in.PopLimit(end);
    } else if (!WireFormatLite::SkipField(&in, tag)) {
      return false;
    }
  }
  return in.ConsumedEntireMessage();
}

// Returns the number of functions and nodes together, or nothing if the bytes do not parse.
std::optional<int64_t> CountParts(std::string_view bytes) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  int64_t count = 0;
  bool whole = VisitFields(in, [&](int field) {
    if (field != v1::Model::kFunctionsFieldNumber) return true;
    ++count;
    return VisitFields(in, [&](int part) {
      if (part == v1::Function::kNodesFieldNumber) ++count;
      return true;
    });
  });
  return whole ? std::optional(count) : std::nullopt;
}

}  // namespace

StatusOr<bool> HasPlainFile(const fs::path& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::not_found) return false;
  if (fs::is_regular_file(path, error)) return true;
  return FailedPrecondition(path.filename().native(), ": expected a regular file");
}

StatusOr<std::string> ReadPlainFile(const fs::path& path, int64_t limit) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &info) != 0) {
    return FailedPrecondition("cannot open the file for reading");
  }
  if (!S_ISREG(info.st_mode)) return FailedPrecondition("expected a regular file");
  if (info.st_size > limit) {
    return FailedPrecondition(int64_t{info.st_size}, " bytes exceed the limit of ", limit);
  }
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::read(file.descriptor(), bytes.data() + done, bytes.size() - done);
    if (count <= 0) return FailedPrecondition("cannot read the whole file");
    done += static_cast<size_t>(count);
  }
  return bytes;
}

Status WriteFileAtomically(const fs::path& path, std::string_view bytes) {
  fs::path temporary = path;
  temporary += ".tmp";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code error;
  if (file.good()) {
    fs::rename(temporary, path, error);
    if (!error) return absl::OkStatus();
  }
  fs::remove(temporary, error);
  return FailedPrecondition(path.filename().native(), ": cannot write the file");
}

Status CheckNoNativeModel(const fs::path& folder) {
  for (const char* name : {kLanguageFile, kBinaryFile}) {
    SIGNET_ASSIGN_OR_RETURN(bool is_there, HasPlainFile(folder / name));
    if (!is_there) continue;
    return FailedPrecondition(PlaceOf(folder), ": contains a ", name,
                              "; to replace it, use --force");
  }
  return absl::OkStatus();
}

std::vector<std::string> NamesOf(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

StatusOr<MappedTensors> MapCaptureFile(const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(bool has_file, HasPlainFile(folder / kCapturesFile));
  if (!has_file) return MappedTensors();
  return MapSafetensors(folder / kCapturesFile);
}

StatusOr<v1::Model> ReadModelProto(const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(bool has_binary, HasPlainFile(folder / kBinaryFile));
  if (!has_binary) {
    return FailedPrecondition("expected a ", kLanguageFile, ", model.onnx, or ", kBinaryFile,
                              ", found none");
  }
  auto bytes = ReadPlainFile(folder / kBinaryFile, kMaxModelBytes);
  if (!bytes.ok()) return At(kBinaryFile, bytes.status());
  auto proto = ParseModelBinary(*bytes);
  if (!proto.ok()) return At(kBinaryFile, proto.status());
  return proto;
}

StatusOr<std::string> ReadDescriptorFile(const fs::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(bool has_file, HasPlainFile(folder / kDescriptorsFile));
  if (!has_file) return std::string();
  auto bytes = ReadPlainFile(folder / kDescriptorsFile, kMaxModelBytes);
  if (!bytes.ok()) return At(kDescriptorsFile, bytes.status());
  return bytes;
}

StatusOr<std::string> SerializeModel(const v1::Model& proto) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  if (!proto.SerializeToCodedStream(&out)) return FailedPrecondition("the model is too large");
  out.Trim();
  return bytes;
}

StatusOr<v1::Model> ParseModelBinary(std::string_view bytes) {
  auto count = CountParts(bytes);
  if (count && *count > kMaxFileParts) {
    return InvalidArgument(*count, " functions and nodes exceed the limit of ", kMaxFileParts);
  }
  v1::Model proto;
  if (!count || !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return InvalidArgument(
        "expected a serialized signet.v1.Model with text in UTF-8, found bytes that do not parse; "
        "the file may be truncated");
  }
  return proto;
}

std::string PlaceOf(const fs::path& folder) {
  fs::path plain = folder.lexically_normal();
  if (!plain.has_filename()) plain = plain.parent_path();
  fs::path place;
  const int parts = ParseVersion(plain.filename().native()) ? 2 : 1;
  for (int i = 0; i < parts && plain.has_filename(); ++i) {
    place = place.empty() ? plain.filename() : plain.filename() / place;
    plain = plain.parent_path();
  }
  return Printable(place.native());
}

}  // namespace signet
