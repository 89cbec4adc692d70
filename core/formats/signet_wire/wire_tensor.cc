#include "core/formats/signet_wire/wire_tensor.h"

#include <algorithm>
#include <optional>

#include "core/formats/signet_wire/wire_type_reader.h"

namespace signet::wire {
namespace {

using enum WireType;
constexpr uint32_t kStringsTag = WireTag(v1::Tensor::kStringsFieldNumber, kBytes);

// The fields of a Tensor: their positions and sizes.
struct TensorFields {
  uint64_t dtype = 0;
  Dims dims;
  Extent data;
  Extent offsets;
  std::optional<WireCursor> first_string;  // at its length
  size_t num_strings = 0;
  size_t string_bytes = 0;
};

StatusOr<TensorFields> ReadFields(WireSource& source, WireCursor cursor) {
  TensorFields fields;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::Tensor::kDtypeFieldNumber, kVarint):
        fields.dtype = cursor.Varint();
        break;
      case WireTag(v1::Tensor::kShapeFieldNumber, kVarint):
      case WireTag(v1::Tensor::kShapeFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadDims(source, tag, cursor, fields.dims));
        break;
      case WireTag(v1::Tensor::kDataFieldNumber, kBytes):
        fields.data = cursor.Bytes();
        break;
      case kStringsTag:
        if (!fields.first_string) fields.first_string = cursor;
        ++fields.num_strings;
        fields.string_bytes += cursor.Bytes().size;
        break;
      case WireTag(v1::Tensor::kStringOffsetsFieldNumber, kBytes):
        fields.offsets = cursor.Bytes();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  return fields;
}

// Joins strings that are separate in the message.
StatusOr<Tensor> JoinStrings(WireSource& source, const TensorFields& fields, Shape shape) {
  size_t n = fields.num_strings;
  SIGNET_RETURN_IF_ERROR(
      source.allowance().TakeBytes((n + 1) * sizeof(int64_t) + fields.string_bytes));
  SIGNET_ASSIGN_OR_RETURN(Buffer offsets, Buffer::Allocate((n + 1) * sizeof(int64_t)));
  SIGNET_ASSIGN_OR_RETURN(Buffer text, Buffer::Allocate(fields.string_bytes));
  auto* offset = reinterpret_cast<int64_t*>(offsets.mutable_data());
  size_t filled = 0;
  WireCursor cursor = *fields.first_string;
  uint32_t tag = kStringsTag;
  *offset++ = 0;
  for (size_t left = n; left > 0; tag = cursor.NextTag()) {
    if (tag != kStringsTag) {
      cursor.Skip(tag);
      continue;
    }
    Extent extent = cursor.Bytes();
    source.Copy(extent, text.mutable_data() + filled);
    filled += extent.size;
    *offset++ = static_cast<int64_t>(filled);
    if (--left == 0) break;
  }
  return Tensor::Trusted(DType::kString, std::move(shape), std::move(offsets), std::move(text));
}

StatusOr<Tensor> MakeStrings(WireSource& source, const TensorFields& fields, Shape shape) {
  auto n = static_cast<size_t>(shape.num_elements());
  bool in_two_pieces = fields.offsets.size > 0 || fields.data.size > 0;
  if (in_two_pieces && fields.num_strings > 0) {
    return InvalidArgument(
        "`strings` and `string_offsets` with `data` are mutually exclusive, found ",
        fields.num_strings, " strings and the other form");
  }
  if (in_two_pieces || n == 0) {
    if (fields.num_strings > 0) {
      return InvalidArgument("expected 0 strings for `string", shape, "`, found ",
                             fields.num_strings);
    }
    if (n > 0 && fields.offsets.size != (n + 1) * sizeof(int64_t)) {
      return InvalidArgument("expected ", (n + 1) * sizeof(int64_t),
                             " bytes of string_offsets for `string", shape, "`, found ",
                             fields.offsets.size);
    }
    SIGNET_ASSIGN_OR_RETURN(Buffer offsets, source.Take(fields.offsets, alignof(int64_t)));
    SIGNET_ASSIGN_OR_RETURN(Buffer text, source.Take(fields.data, 1));
    return Tensor::MakeString(std::move(shape), std::move(offsets), std::move(text));
  }
  if (fields.num_strings != n) {
    return InvalidArgument("expected ", n, " strings for `string", shape, "`, found ",
                           fields.num_strings);
  }
  return JoinStrings(source, fields, std::move(shape));
}

}  // namespace

Status CheckBools(const Buffer& data) {
  auto bytes = data.bytes();
  std::byte seen{};
  for (std::byte byte : bytes) seen |= byte;
  if (static_cast<unsigned>(seen) <= 1) return absl::OkStatus();
  auto bad = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  return InvalidArgument("element ", bad - bytes.begin(), ": expected 0 or 1 for `bool`, found ",
                         static_cast<unsigned>(*bad));
}

StatusOr<Tensor> ReadTensor(WireSource& source, WireCursor cursor) {
  SIGNET_ASSIGN_OR_RETURN(TensorFields fields, ReadFields(source, cursor));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, DTypeFromNumber(fields.dtype));
  bool is_string = dtype == DType::kString;
  SIGNET_RETURN_IF_ERROR(CheckShape(fields.dims, is_string ? sizeof(int64_t) : SizeOf(dtype)));
  Shape shape{std::span<const int64_t>(fields.dims)};
  int64_t elements = shape.num_elements();
  SIGNET_RETURN_IF_ERROR(source.allowance().CheckElements(elements));
  if (is_string) return MakeStrings(source, fields, std::move(shape));
  if (fields.num_strings > 0 || fields.offsets.size > 0) {
    return InvalidArgument("expected data for a tensor of `", NameOf(dtype), "`, found strings");
  }
  size_t expected = static_cast<size_t>(elements) * SizeOf(dtype);
  if (fields.data.size != expected) {
    return InvalidArgument("expected ", expected, " bytes of content for `", NameOf(dtype), shape,
                           "`, found ", fields.data.size);
  }
  // Complex numbers have the alignment of their parts.
  size_t alignment = std::min<size_t>(SizeOf(dtype), 8);
  SIGNET_ASSIGN_OR_RETURN(Buffer data, source.Take(fields.data, alignment));
  if (dtype == DType::kBool) SIGNET_RETURN_IF_ERROR(CheckBools(data));
  return Tensor::Trusted(dtype, std::move(shape), std::move(data));
}

}  // namespace signet::wire
