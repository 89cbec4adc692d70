#include <algorithm>
#include <cstring>

#include <simdjson.h>

#include "core/formats/safetensors/safetensors.h"
#include "core/formats/safetensors/safetensors_dtype.h"

namespace signet {
namespace {

constexpr size_t kLengthBytes = 8;
// The same limit as in the reference implementation.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kMaxRank = 32;
constexpr char kMetadata[] = "__metadata__";

// One entry of the header.
struct Entry {
  std::string name;
  std::string dtype;
  Dims dims;
  uint64_t begin = 0;
  uint64_t end = 0;
};

StatusOr<Entry> ReadEntry(std::string_view name, simdjson::dom::element element) {
  Entry entry;
  entry.name = name;
  simdjson::dom::object fields;
  if (element.get(fields))
    return InvalidArgument(
        "expected an object with dtype, shape, and data_offsets, found another value");
  std::string_view dtype;
  if (fields["dtype"].get(dtype)) return InvalidArgument("missing text `dtype`");
  entry.dtype = dtype;
  simdjson::dom::array shape;
  if (fields["shape"].get(shape)) return InvalidArgument("missing list `shape`");
  for (simdjson::dom::element dim : shape) {
    int64_t size = 0;
    if (dim.get(size)) return InvalidArgument("`shape`: expected sizes that fit in int64");
    if (entry.dims.size() == kMaxRank)
      return InvalidArgument("`shape`: expected rank at most ", kMaxRank);
    entry.dims.push_back(size);
  }
  simdjson::dom::array offsets;
  bool has_offsets = !fields["data_offsets"].get(offsets) && offsets.size() == 2 &&
                     !offsets.at(0).get(entry.begin) && !offsets.at(1).get(entry.end);
  if (!has_offsets) return InvalidArgument("`data_offsets`: expected a list of begin and end");
  return entry;
}

StatusOr<std::vector<Entry>> ReadHeader(std::string_view header) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (auto error = parser.parse(header.data(), header.size()).get(root)) {
    return InvalidArgument("header: ", simdjson::error_message(error));
  }
  simdjson::dom::object object;
  if (root.get(object)) return InvalidArgument("header: expected a JSON object");
  std::vector<Entry> entries;
  for (auto [name, element] : object) {
    if (name == kMetadata) continue;
    auto entry = ReadEntry(name, element);
    if (!entry.ok()) return At(Cat("tensor `", Printable(name), "`"), entry.status());
    entries.push_back(*std::move(entry));
  }
  return entries;
}

StatusOr<Tensor> MakeEntry(const Entry& entry, const Buffer& content) {
  auto dtype = DTypeFromSafetensors(entry.dtype);
  if (!dtype) {
    return InvalidArgument("unsupported dtype `", Printable(entry.dtype),
                           "`; supported dtypes: ", ListSafetensorsDTypes());
  }
  SIGNET_RETURN_IF_ERROR(CheckShape(entry.dims, SizeOf(*dtype)));
  if (entry.begin > entry.end || entry.end > content.size()) {
    return InvalidArgument("data_offsets: expected offsets within ", content.size(),
                           " bytes of content, found ", entry.begin, " to ", entry.end);
  }
  Buffer data = content.Slice(entry.begin, entry.end - entry.begin);
  SIGNET_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Make(*dtype, Shape(std::span<const int64_t>(entry.dims)), std::move(data)));
  if (*dtype == DType::kBool) {
    auto bytes = tensor.data().bytes();
    if (std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; })) {
      return InvalidArgument("expected 0 or 1 for each `bool`, found another byte");
    }
  }
  return tensor;
}

// Checks that tensors follow one another from the first byte of the content to the last.
Status CheckLayout(std::vector<Entry> entries, size_t content) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != at) {
      return InvalidArgument("tensor `", Printable(entry.name), "`: expected to begin at byte ", at,
                             " of the content, where the previous tensor ends, found ",
                             entry.begin);
    }
    at = entry.end;
  }
  if (at != content) {
    return InvalidArgument("expected tensors to end at byte ", content,
                           ", the end of the content, found ", at);
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<NamedTensors> ParseSafetensors(std::span<const std::byte> bytes,
                                        std::shared_ptr<const void> owner) {
  uint64_t header_size = 0;
  if (bytes.size() < kLengthBytes) {
    return InvalidArgument("expected at least ", kLengthBytes,
                           " bytes of a safetensors file, found ", bytes.size());
  }
  std::memcpy(&header_size, bytes.data(), kLengthBytes);
  size_t remaining = bytes.size() - kLengthBytes;
  if (header_size > remaining || header_size > kMaxHeaderBytes) {
    return InvalidArgument("header: ", header_size, " bytes exceed the ", remaining,
                           " bytes that follow or the limit of ", kMaxHeaderBytes);
  }
  auto header = bytes.subspan(kLengthBytes, header_size);
  auto content = bytes.subspan(kLengthBytes + header_size);
  SIGNET_ASSIGN_OR_RETURN(
      std::vector<Entry> entries,
      ReadHeader({reinterpret_cast<const char*>(header.data()), header.size()}));
  SIGNET_RETURN_IF_ERROR(CheckLayout(entries, content.size()));
  Buffer whole = content.empty() ? Buffer() : Buffer::Borrow(content, std::move(owner));
  NamedTensors tensors;
  for (const Entry& entry : entries) {
    auto tensor = MakeEntry(entry, whole);
    if (!tensor.ok()) return At(Cat("tensor `", Printable(entry.name), "`"), tensor.status());
    tensors.emplace_back(entry.name, *std::move(tensor));
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  auto twice = std::adjacent_find(tensors.begin(), tensors.end(),
                                  [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != tensors.end()) {
    return InvalidArgument("duplicate tensor `", Printable(twice->first), "` in the header");
  }
  return tensors;
}

StatusOr<MappedTensors> MapSafetensors(const std::filesystem::path& path) {
  SIGNET_ASSIGN_OR_RETURN(auto file, MappedFile::Map(path));
  auto tensors = ParseSafetensors(file->bytes(), file);
  if (!tensors.ok()) return At(path.filename().string(), tensors.status());
  return MappedTensors{*std::move(tensors), std::move(file)};
}

}  // namespace signet
