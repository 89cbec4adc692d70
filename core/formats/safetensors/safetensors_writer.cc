#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "core/formats/json/json.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/formats/safetensors/safetensors_dtype.h"

namespace signet {
namespace {

// A file that appears under its name only when it is complete.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : path_(path),
        temporary_(path.string() + Cat(".", getpid(), ".new")),
        descriptor_(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (descriptor_ >= 0 && !is_kept_) unlink(temporary_.c_str());
  }

  Status Write(std::span<const std::byte> bytes) {
    if (descriptor_ < 0) return Failed();
    while (!bytes.empty()) {
      ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return Failed();
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return absl::OkStatus();
  }

  Status Keep() {
    if (fsync(descriptor_) != 0) return Failed();
    if (rename(temporary_.c_str(), path_.c_str()) != 0) return Failed();
    is_kept_ = true;
    return absl::OkStatus();
  }

 private:
  Status Failed() const {
    return FailedPrecondition(path_.filename().string(), ": ", std::strerror(errno));
  }

  const std::filesystem::path path_;
  const std::string temporary_;
  const int descriptor_;
  bool is_kept_ = false;
};

// Returns the header, and in `order` the tensors in the order of their data: the widest elements
// first, so that each tensor is aligned.
StatusOr<std::string> MakeHeader(std::vector<const NamedTensors::value_type*>& order) {
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return SizeOf(a->second.dtype()) > SizeOf(b->second.dtype());
  });
  std::string header = "{";
  size_t at = 0;
  for (const auto* entry : order) {
    const auto& [name, tensor] = *entry;
    std::string_view dtype = SafetensorsNameOf(tensor.dtype());
    if (dtype.empty()) {
      return InvalidArgument("tensor `", Printable(name), "`: unsupported type `", tensor.spec(),
                             "`; supported dtypes: ", ListSafetensorsDTypes());
    }
    if (header.size() > 1) header += ",";
    header += ValueToJson(Value::OfLiteral(Literal::String(name)));
    header += Cat(":{\"dtype\":\"", dtype, "\",\"shape\":[", Join(tensor.shape().dims(), ","),
                  "],\"data_offsets\":[", at, ",", at + tensor.num_bytes(), "]}");
    at += tensor.num_bytes();
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');  // aligns the content
  return header;
}

}  // namespace

Status WriteSafetensors(const std::filesystem::path& path, const NamedTensors& tensors) {
  std::vector<const NamedTensors::value_type*> order;
  for (const auto& entry : tensors) order.push_back(&entry);
  SIGNET_ASSIGN_OR_RETURN(std::string header, MakeHeader(order));
  uint64_t header_size = header.size();
  NewFile file(path);
  SIGNET_RETURN_IF_ERROR(file.Write(std::as_bytes(std::span(&header_size, 1))));
  SIGNET_RETURN_IF_ERROR(file.Write(std::as_bytes(std::span(header))));
  for (const auto* entry : order) {
    SIGNET_RETURN_IF_ERROR(file.Write(entry->second.data().bytes()));
  }
  return file.Keep();
}

}  // namespace signet
