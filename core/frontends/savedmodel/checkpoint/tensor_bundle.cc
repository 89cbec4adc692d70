#include "core/frontends/savedmodel/checkpoint/tensor_bundle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/base/checked_math.h"
#include "core/base/crc32c.h"
#include "core/formats/tensorflow/graph_tensor.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/checkpoint/sorted_table.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxShards = 99'999;
constexpr size_t kMaxCheckedBytes = size_t{1} << 30;
constexpr size_t kMaxAssembledBytes = size_t{4} << 30;  // of a tensor that is stored in slices
constexpr int kMaxSlices = 100'000;

std::string FiveDigits(int number) {
  std::string digits = std::to_string(number);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

void AppendText(std::string_view text, std::string& out) {
  for (char c : text) {
    out.push_back(c);
    if (c == '\0') out.push_back('\xff');
    if (c == '\xff') out.push_back('\0');
  }
  out.append({'\0', '\1'});
}

// Appends a number of at least 0: the number of its bytes, then the bytes, the highest first.
void AppendCount(uint64_t number, std::string& out) {
  std::string bytes;
  for (; number > 0; number >>= 8) bytes.insert(bytes.begin(), static_cast<char>(number & 0xff));
  out.push_back(static_cast<char>(bytes.size()));
  out += bytes;
}

// Appends a number with a sign: L bytes, the highest first, whose leading L bits state L.
void AppendSigned(int64_t number, std::string& out) {
  const uint64_t magnitude = static_cast<uint64_t>(number < 0 ? ~number : number);
  size_t length = 1;
  while (length < 10 && 7 * length - 1 < 64 && (magnitude >> (7 * length - 1)) != 0) ++length;
  std::array<uint8_t, 10> bytes;
  bytes.fill(number < 0 ? 0xff : 0);
  for (size_t i = 0; i < 8; ++i) {
    bytes[9 - i] = static_cast<uint8_t>(static_cast<uint64_t>(number) >> (8 * i));
  }
  uint8_t* first = bytes.data() + (10 - length);
  for (size_t bit = 0; bit < length; ++bit) {
    first[bit / 8] = static_cast<uint8_t>(first[bit / 8] ^ (0x80 >> (bit % 8)));
  }
  out.append(reinterpret_cast<const char*>(first), length);
}

// A part of a tensor with all sizes known.
struct Box {
  Dims starts;
  Dims sizes;
};

StatusOr<Box> BoxOf(const TensorBundle::Ranges& ranges, const Shape& shape) {
  if (ranges.size() != static_cast<size_t>(shape.rank())) {
    return InvalidArgument("expected one range per dimension of `", shape, "`, found ",
                           ranges.size());
  }
  Box box;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto& range = ranges[static_cast<size_t>(axis)];
    const int64_t size = range.size == -1 ? shape.dim(axis) - range.start : range.size;
    if (range.start < 0 || size < 0 || range.start > shape.dim(axis) ||
        size > shape.dim(axis) - range.start) {
      return InvalidArgument("expected ranges within `", shape, "`, found ", size, " from ",
                             range.start, " in dimension ", axis);
    }
    box.starts.push_back(range.start);
    box.sizes.push_back(size);
  }
  return box;
}

// Copies between a box of a tensor and a dense part of its shape.
void CopyBox(const Box& box, const Shape& whole, size_t element, const std::byte* from,
             std::byte* to, bool into_whole) {
  const int rank = whole.rank();
  int64_t count = 1;
  for (int64_t size : box.sizes) count *= size;
  if (count == 0) return;
  const size_t run = (rank == 0 ? 1 : static_cast<size_t>(box.sizes.back())) * element;
  Dims at(box.starts.begin(), box.starts.end());
  std::byte* part = into_whole ? const_cast<std::byte*>(from) : to;
  for (;;) {
    int64_t offset = 0;
    for (int axis = 0; axis < rank; ++axis) {
      offset = offset * whole.dim(axis) + at[static_cast<size_t>(axis)];
    }
    const size_t place = static_cast<size_t>(offset) * element;
    if (into_whole) {
      std::memcpy(to + place, part, run);
    } else {
      std::memcpy(part, from + place, run);
    }
    part += run;
    int axis = rank - 2;
    for (; axis >= 0; --axis) {
      const auto i = static_cast<size_t>(axis);
      if (++at[i] < box.starts[i] + box.sizes[i]) break;
      at[i] = box.starts[i];
    }
    if (axis < 0) return;
  }
}

bool Overlap(const Box& a, const Box& b) {
  for (size_t i = 0; i < a.sizes.size(); ++i) {
    if (a.starts[i] + a.sizes[i] <= b.starts[i] || b.starts[i] + b.sizes[i] <= a.starts[i]) {
      return false;
    }
  }
  return true;
}

TensorBundle::Ranges RangesOf(const tensorflow::TensorSliceProto& slice) {
  TensorBundle::Ranges ranges;
  for (const auto& extent : slice.extent()) {
    const bool has_length =
        extent.has_length_case() == tensorflow::TensorSliceProto::Extent::kLength;
    ranges.push_back({extent.start(), has_length ? extent.length() : -1});
  }
  return ranges;
}

}  // namespace

std::string SliceKey(const std::string& name, const TensorBundle::Ranges& ranges) {
  std::string out;
  AppendCount(0, out);
  AppendText(name, out);
  AppendCount(ranges.size(), out);
  for (const auto& range : ranges) {
    AppendSigned(range.start, out);
    AppendSigned(range.size, out);
  }
  return out;
}

StatusOr<TensorBundle> TensorBundle::Open(const fs::path& folder) {
  std::error_code error;
  const fs::path index = folder / "variables.index";
  if (!fs::exists(index, error)) {
    if (fs::exists(folder / "variables", error)) {
      return Unimplemented("unsupported format of checkpoints V1; save the model again");
    }
    return NotFound("variables/variables.index not found");
  }
  TensorBundle out;
  out.folder_ = folder;
  SIGNET_ASSIGN_OR_RETURN(auto file, MappedFile::Map(index));
  SIGNET_ASSIGN_OR_RETURN(auto table, ReadSortedTable(file->bytes()));
  if (table.empty() || !table[0].first.empty()) {
    return InvalidArgument("expected a header as the first entry");
  }
  tensorflow::BundleHeaderProto header;
  if (!header.ParseFromString(table[0].second)) {
    return InvalidArgument("header: expected a BundleHeaderProto, found bytes that do not parse");
  }
  if (header.endianness() != tensorflow::BundleHeaderProto::LITTLE) {
    return Unimplemented("unsupported endianness ", static_cast<int>(header.endianness()),
                         "; supported: LITTLE");
  }
  if (header.version().min_consumer() > 1) {
    return Unimplemented("unsupported version ", header.version().min_consumer(),
                         "; supported versions: 0, 1");
  }
  if (header.num_shards() < 1 || header.num_shards() > kMaxShards) {
    return InvalidArgument("expected 1 to ", kMaxShards, " files, found ", header.num_shards());
  }
  out.num_shards_ = header.num_shards();
  for (size_t i = 1; i < table.size(); ++i) {
    auto& entry = out.entries_[table[i].first];
    if (!entry.ParseFromString(table[i].second)) {
      return InvalidArgument("entry `", Printable(table[i].first),
                             "`: expected a BundleEntryProto, found bytes that do not parse");
    }
  }
  return out;
}

const tensorflow::BundleEntryProto* TensorBundle::Lookup(const std::string& key) const {
  auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<std::string> TensorBundle::Keys() const {
  std::vector<std::string> out;
  for (const auto& [key, entry] : entries_) out.push_back(key);
  return out;
}

std::vector<std::shared_ptr<const MappedFile>> TensorBundle::files() const {
  std::vector<std::shared_ptr<const MappedFile>> out;
  for (const auto& [shard, file] : shards_) out.push_back(file);
  return out;
}

StatusOr<Buffer> TensorBundle::BytesOf(const tensorflow::BundleEntryProto& entry) {
  const int shard = entry.shard_id();
  if (shard < 0 || shard >= num_shards_) {
    return InvalidArgument("expected a file number less than ", num_shards_, ", found ", shard);
  }
  std::shared_ptr<const MappedFile>& file = shards_[shard];
  const std::string name =
      Cat("variables.data-", FiveDigits(shard), "-of-", FiveDigits(num_shards_));
  if (file == nullptr) {
    auto mapped = MappedFile::Map(folder_ / name);
    if (!mapped.ok()) return At(name, mapped.status());
    file = *std::move(mapped);
  }
  const auto size = static_cast<int64_t>(file->bytes().size());
  if (entry.offset() < 0 || entry.size() < 0 || entry.offset() > size ||
      entry.size() > size - entry.offset()) {
    return InvalidArgument("bytes ", entry.offset(), " to ", entry.offset(), " + ", entry.size(),
                           " of ", name, "; the file has ", size, " bytes");
  }
  return Buffer::Borrow(
      file->bytes().subspan(static_cast<size_t>(entry.offset()), static_cast<size_t>(entry.size())),
      file);
}

StatusOr<CapturedValue> TensorBundle::Read(const std::string& key, const Ranges& ranges) {
  const std::string place = Cat("entry `", Printable(key), "`");
  const auto* entry = Lookup(key);
  if (entry == nullptr) return NotFound(place, " not found in variables/variables.index");
  auto value = entry->slices_size() > 0 ? ReadSlices(key, *entry) : ReadEntry(key, *entry);
  if (!value.ok()) return At(place, value.status());
  if (ranges.empty()) return value;
  SIGNET_ASSIGN_OR_RETURN(Value whole, value->Get());
  const Tensor& tensor = whole.tensor();
  if (tensor.is_string()) return Unimplemented(place, ": unsupported part of a string tensor");
  auto box = BoxOf(ranges, tensor.shape());
  if (!box.ok()) return At(place, box.status());
  SIGNET_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(tensor.dtype(), Shape(box->sizes)));
  CopyBox(*box, tensor.shape(), SizeOf(tensor.dtype()), tensor.data().data(),
          part.data().mutable_data(), false);
  return CapturedValue(std::move(part));
}

StatusOr<CapturedValue> TensorBundle::ReadEntry(const std::string&,
                                                const tensorflow::BundleEntryProto& entry) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, tf::StoredDTypeFromNumber(entry.dtype()));
  SIGNET_ASSIGN_OR_RETURN(Shape shape, ShapeFromGraph(entry.shape(), dtype));
  SIGNET_ASSIGN_OR_RETURN(Buffer bytes, BytesOf(entry));
  if (dtype == DType::kString) return ReadStrings(shape, std::move(bytes), entry.crc32c());
  const size_t size = static_cast<size_t>(shape.num_elements()) * SizeOf(dtype);
  if (bytes.size() != size) {
    return InvalidArgument("expected ", size, " bytes for `", TensorType(dtype, shape), "`, found ",
                           bytes.size());
  }
  if (num_bytes_checked_ + size <= kMaxCheckedBytes) {
    num_bytes_checked_ += size;
    if (MaskCrc32c(Crc32c(bytes.bytes())) != entry.crc32c()) {
      return DataLoss("the bytes do not have the crc32c that is stored for them");
    }
  }
  return CapturedValue::OfBytes(dtype, std::move(shape), std::move(bytes));
}

StatusOr<CapturedValue> TensorBundle::ReadStrings(const Shape& shape, Buffer bytes,
                                                  uint32_t crc) const {
  const auto count = static_cast<size_t>(shape.num_elements());
  if (count > bytes.size()) {
    return InvalidArgument(count, " strings require at least as many bytes, found ", bytes.size());
  }
  std::string_view rest = bytes.text();
  std::vector<uint64_t> lengths;
  uint32_t found = 0;
  uint64_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t length = 0;
    for (int shift = 0;; shift += 7) {
      if (rest.empty() || shift > 63) return InvalidArgument("truncated lengths of strings");
      const auto byte = static_cast<uint8_t>(rest.front());
      rest.remove_prefix(1);
      length |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (length > rest.size() || total > rest.size() - length) {
      return InvalidArgument("truncated strings");
    }
    total += length;
    lengths.push_back(length);
    const size_t width = length > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t);
    found = Crc32c(std::as_bytes(std::span(&length, 1)).first(width), found);
  }
  if (rest.size() != total + sizeof(uint32_t)) {
    return InvalidArgument("expected ", total + sizeof(uint32_t),
                           " bytes after the lengths of the strings, found ", rest.size());
  }
  uint32_t stored;
  std::memcpy(&stored, rest.data(), sizeof stored);
  if (MaskCrc32c(found) != stored) {
    return DataLoss("the lengths do not have the crc32c that is stored for them");
  }
  if (MaskCrc32c(Crc32c(std::as_bytes(std::span(rest)), found)) != crc) {
    return DataLoss("the bytes do not have the crc32c that is stored for them");
  }
  rest.remove_prefix(sizeof(uint32_t));
  std::vector<std::string_view> elements;
  for (uint64_t length : lengths) {
    elements.push_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return CapturedValue(Tensor::Strings(shape, elements));
}

StatusOr<CapturedValue> TensorBundle::ReadSlices(const std::string& key,
                                                 const tensorflow::BundleEntryProto& entry) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, tf::StoredDTypeFromNumber(entry.dtype()));
  if (dtype == DType::kString) return Unimplemented("unsupported slices of a string tensor");
  SIGNET_ASSIGN_OR_RETURN(Shape shape, ShapeFromGraph(entry.shape(), dtype));
  if (entry.slices_size() > kMaxSlices) {
    return ResourceExhausted("more than ", kMaxSlices, " slices");
  }
  std::vector<Box> boxes;
  std::vector<CapturedValue> parts;
  int64_t covered = 0;
  for (const auto& slice : entry.slices()) {
    const Ranges ranges = RangesOf(slice);
    SIGNET_ASSIGN_OR_RETURN(Box box, BoxOf(ranges, shape));
    const auto* part = Lookup(SliceKey(key, ranges));
    if (part == nullptr) return NotFound("slice ", boxes.size(), " not found");
    if (part->slices_size() > 0 || part->dtype() != entry.dtype()) {
      return InvalidArgument("slice ", boxes.size(), ": expected elements of `", InfoOf(dtype).name,
                             "`");
    }
    SIGNET_ASSIGN_OR_RETURN(CapturedValue value, ReadEntry(key, *part));
    if (value.spec() != TensorType(dtype, PartialShape(Shape(box.sizes)))) {
      return InvalidArgument("slice ", boxes.size(), ": expected `",
                             TensorType(dtype, PartialShape(Shape(box.sizes))), "`, found `",
                             value.spec(), "`");
    }
    covered += Shape(box.sizes).num_elements();
    boxes.push_back(std::move(box));
    parts.push_back(std::move(value));
  }
  if (covered != shape.num_elements()) {
    return InvalidArgument("slices have ", covered, " elements, but the tensor has ",
                           shape.num_elements());
  }
  // Slices that do not overlap and have as many elements as the tensor cover it. They are sorted
  // along dimension 0, so that only slices with a common range there are compared.
  std::vector<const Box*> sorted;
  for (const Box& box : boxes) {
    if (Shape(box.sizes).num_elements() > 0) sorted.push_back(&box);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Box* a, const Box* b) {
    return std::lexicographical_compare(a->starts.begin(), a->starts.end(), b->starts.begin(),
                                        b->starts.end());
  });
  int64_t comparisons = 0;
  for (size_t i = 0; i < sorted.size() && shape.rank() > 0; ++i) {
    for (size_t j = i + 1; j < sorted.size(); ++j) {
      if (sorted[j]->starts[0] >= sorted[i]->starts[0] + sorted[i]->sizes[0]) break;
      if (++comparisons > 10'000'000) return ResourceExhausted("too many slices side by side");
      if (Overlap(*sorted[i], *sorted[j])) return InvalidArgument("slices overlap");
    }
  }
  const size_t size = static_cast<size_t>(shape.num_elements()) * SizeOf(dtype);
  if (size > kMaxAssembledBytes) {
    return ResourceExhausted("slices of ", size, " bytes exceed the limit of ", kMaxAssembledBytes);
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor whole, Tensor::Allocate(dtype, shape));
  for (size_t i = 0; i < boxes.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(Value part, parts[i].Get());
    CopyBox(boxes[i], shape, SizeOf(dtype), part.tensor().data().data(),
            whole.data().mutable_data(), true);
  }
  return CapturedValue(std::move(whole));
}

}  // namespace signet
