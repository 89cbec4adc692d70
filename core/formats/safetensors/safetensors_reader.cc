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
    return InvalidArgument("not an object; takes dtype, shape and data_offsets");
  std::string_view dtype;
  if (fields["dtype"].get(dtype)) return InvalidArgument("no text called `dtype`");
  entry.dtype = dtype;
  simdjson::dom::array shape;
  if (fields["shape"].get(shape)) return InvalidArgument("no list called `shape`");
  for (simdjson::dom::element dim : shape) {
    int64_t size = 0;
    if (dim.get(size)) return InvalidArgument("`shape` takes sizes that fit an int64");
    if (entry.dims.size() == kMaxRank) return InvalidArgument("rank above ", kMaxRank);
    entry.dims.push_back(size);
  }
  simdjson::dom::array offsets;
  bool has_offsets = !fields["data_offsets"].get(offsets) && offsets.size() == 2 &&
                     !offsets.at(0).get(entry.begin) && !offsets.at(1).get(entry.end);
  if (!has_offsets) return InvalidArgument("no list called `data_offsets` of begin and end");
  return entry;
}

StatusOr<std::vector<Entry>> ReadHeader(std::string_view header) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (auto error = parser.parse(header.data(), header.size()).get(root)) {
    return InvalidArgument("header: ", simdjson::error_message(error));
  }
  simdjson::dom::object object;
  if (root.get(object)) return InvalidArgument("header: takes a JSON object");
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
    return InvalidArgument("dtype `", Printable(entry.dtype), "`; takes one of ",
                           ListSafetensorsDTypes());
  }
  SIGNET_RETURN_IF_ERROR(CheckShape(entry.dims, SizeOf(*dtype)));
  if (entry.begin > entry.end || entry.end > content.size()) {
    return InvalidArgument("data_offsets ", entry.begin, " to ", entry.end, "; there are ",
                           content.size(), " bytes of content");
  }
  Buffer data = content.Slice(entry.begin, entry.end - entry.begin);
  SIGNET_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Make(*dtype, Shape(std::span<const int64_t>(entry.dims)), std::move(data)));
  if (*dtype == DType::kBool) {
    auto bytes = tensor.data().bytes();
    if (std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; })) {
      return InvalidArgument("a `bool` that is neither 0 nor 1");
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
      return InvalidArgument("tensor `", Printable(entry.name), "`: begins at byte ", entry.begin,
                             " of the content; takes ", at, ", the end of the one before");
    }
    at = entry.end;
  }
  if (at != content) {
    return InvalidArgument("tensors end at byte ", at, " of the content; there are ", content);
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<NamedTensors> ParseSafetensors(std::span<const std::byte> bytes,
                                        std::shared_ptr<const void> owner) {
  uint64_t header_size = 0;
  if (bytes.size() < kLengthBytes) {
    return InvalidArgument(bytes.size(), " bytes; a safetensors file takes at least ",
                           kLengthBytes);
  }
  std::memcpy(&header_size, bytes.data(), kLengthBytes);
  size_t behind = bytes.size() - kLengthBytes;
  if (header_size > behind || header_size > kMaxHeaderBytes) {
    return InvalidArgument("header of ", header_size, " bytes; ", behind, " follow, and at most ",
                           kMaxHeaderBytes, " are taken");
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
    return InvalidArgument("tensor `", Printable(twice->first), "` twice in the header");
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
