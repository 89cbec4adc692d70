#include "core/frontends/onnx/import/onnx_tensor.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/base/checked_math.h"

namespace signet {
namespace {

using Proto = onnx::TensorProto;

constexpr int kMaxRank = 32;

// The elements of a repeated field, each made a T.
template <class T, class Field>
StatusOr<Tensor> FromField(DType dtype, const Shape& shape, const Field& field) {
  if (static_cast<int64_t>(field.size()) != shape.num_elements()) {
    return InvalidArgument("expected ", shape.num_elements(), " elements for shape `", shape,
                           "`, found ", field.size());
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  std::byte* out = tensor.data().mutable_data();
  for (auto element : field) {
    T narrow = static_cast<T>(element);
    std::memcpy(out, &narrow, sizeof narrow);
    out += sizeof narrow;
  }
  return tensor;
}

// Pairs of real and imaginary parts.
template <class T, class Field>
StatusOr<Tensor> FromPairs(DType dtype, const Shape& shape, const Field& field) {
  if (field.size() % 2 != 0 || field.size() / 2 != shape.num_elements()) {
    return InvalidArgument("expected ", 2 * shape.num_elements(), " parts for shape `", shape,
                           "`, found ", field.size());
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (!field.empty()) {
    std::memcpy(tensor.data().mutable_data(), field.data(),
                static_cast<size_t>(field.size()) * sizeof(T));
  }
  return tensor;
}

StatusOr<Tensor> FromFields(DType dtype, const Shape& shape, const Proto& proto) {
  switch (dtype) {
    case DType::kFloat32:
      return FromField<float>(dtype, shape, proto.float_data());
    case DType::kFloat64:
      return FromField<double>(dtype, shape, proto.double_data());
    case DType::kInt64:
      return FromField<int64_t>(dtype, shape, proto.int64_data());
    case DType::kUInt64:
      return FromField<uint64_t>(dtype, shape, proto.uint64_data());
    case DType::kUInt32:
      return FromField<uint32_t>(dtype, shape, proto.uint64_data());
    case DType::kInt32:
      return FromField<int32_t>(dtype, shape, proto.int32_data());
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
      return FromField<uint16_t>(dtype, shape, proto.int32_data());
    case DType::kInt8:
    case DType::kUInt8:
      return FromField<uint8_t>(dtype, shape, proto.int32_data());
    case DType::kBool:
      return FromField<bool>(dtype, shape, proto.int32_data());
    case DType::kComplex64:
      return FromPairs<float>(dtype, shape, proto.float_data());
    case DType::kComplex128:
      return FromPairs<double>(dtype, shape, proto.double_data());
    case DType::kString: {
      if (proto.string_data_size() != shape.num_elements()) {
        return InvalidArgument("expected ", shape.num_elements(), " strings for shape `", shape,
                               "`, found ", proto.string_data_size());
      }
      std::vector<std::string_view> strings(proto.string_data().begin(), proto.string_data().end());
      return Tensor::Strings(shape, strings);
    }
  }
  __builtin_unreachable();
}

StatusOr<CapturedValue> FromBytes(DType dtype, const Shape& shape, const Buffer& bytes) {
  if (dtype == DType::kString)
    return InvalidArgument("expected strings in string_data, found raw_data");
  auto is_no_bool = [](std::byte b) { return b > std::byte{1}; };
  auto elements = bytes.bytes();
  if (dtype == DType::kBool && std::any_of(elements.begin(), elements.end(), is_no_bool)) {
    return InvalidArgument("a `bool` that is neither 0 nor 1");
  }
  return CapturedValue::OfBytes(dtype, shape, bytes);
}

StatusOr<size_t> SizeFrom(const std::string& text, std::string_view key) {
  size_t size = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error == std::errc() && end == text.data() + text.size()) return size;
  return InvalidArgument("external data: ", key, ": expected a number, found `", Printable(text),
                         "`");
}

// What a tensor with external data says of it.
struct Place {
  std::string location;
  size_t offset = 0;
  std::optional<size_t> length = {};  // else: to the end of the file
};

StatusOr<Buffer> ExternalBytes(const Proto& proto, size_t needed, ExternalFiles& files) {
  Place place;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() == "offset") {
      SIGNET_ASSIGN_OR_RETURN(place.offset, SizeFrom(entry.value(), "offset"));
    }
    if (entry.key() == "length") {
      SIGNET_ASSIGN_OR_RETURN(place.length, SizeFrom(entry.value(), "length"));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(auto file, files.Map(place.location));
  auto bytes = file->bytes();
  if (place.offset > bytes.size()) {
    return InvalidArgument("external data begins at byte ", place.offset, " of ", bytes.size());
  }
  // Writers pad the length; what the shape needs is what counts.
  size_t length = place.length.value_or(needed);
  if (length > bytes.size() - place.offset) {
    return InvalidArgument("external data of ", length, " bytes at byte ", place.offset, "; ",
                           bytes.size() - place.offset, " are left");
  }
  auto piece = bytes.subspan(place.offset, std::min(length, needed));
  return piece.empty() ? Buffer() : Buffer::Borrow(piece, file);
}

StatusOr<Shape> ShapeFrom(const google::protobuf::RepeatedField<int64_t>& dims, DType dtype) {
  if (dims.size() > kMaxRank) return InvalidArgument("rank ", dims.size(), " above ", kMaxRank);
  Dims sizes(dims.begin(), dims.end());
  SIGNET_RETURN_IF_ERROR(CheckShape(sizes, std::max<size_t>(SizeOf(dtype), 1)));
  return Shape(std::span<const int64_t>(sizes));
}

// Elements narrower than a byte are packed, the first in the lowest bits.
StatusOr<Tensor> FromPacked(const NarrowType& type, const Shape& shape,
                            std::span<const std::byte> bytes) {
  const auto each = static_cast<size_t>(8 / type.bits);
  const auto count = static_cast<size_t>(shape.num_elements());
  const size_t needed = count / each + (count % each != 0);
  if (bytes.size() != needed) {
    return InvalidArgument("expected ", needed, " bytes for ", count, " elements of ", type.bits,
                           " bits, found ", bytes.size());
  }
  // What each code stands for, as it is held.
  const size_t size = SizeOf(type.held_in);
  const int num_codes = 1 << type.bits;
  const MinifloatFormat* format = LookupMinifloat(type.format);
  std::vector<std::byte> held(static_cast<size_t>(num_codes) * size);
  for (int code = 0; code < num_codes; ++code) {
    std::byte* out = held.data() + static_cast<size_t>(code) * size;
    if (type.held_in == DType::kFloat32) {
      float value = format->Decode(static_cast<uint8_t>(code));
      std::memcpy(out, &value, size);
    } else if (type.held_in == DType::kFloat16) {
      Float16 value = ToFloat16(format->Decode(static_cast<uint8_t>(code)));
      std::memcpy(out, &value, size);
    } else {
      bool is_negative = type.held_in == DType::kInt8 && code >= num_codes / 2;
      *out = static_cast<std::byte>(is_negative ? code - num_codes : code);
    }
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(type.held_in, shape));
  std::byte* out = tensor.data().mutable_data();
  for (size_t i = 0; i < count; ++i, out += size) {
    auto code =
        std::to_integer<size_t>(bytes[i / each] >> (i % each * static_cast<size_t>(type.bits))) &
        static_cast<size_t>(num_codes - 1);
    std::memcpy(out, held.data() + code * size, size);
  }
  return tensor;
}

StatusOr<CapturedValue> ConvertNarrow(const NarrowType& type, const Proto& proto,
                                      ExternalFiles& files) {
  SIGNET_ASSIGN_OR_RETURN(Shape shape, ShapeFrom(proto.dims(), type.held_in));
  if (proto.data_location() == Proto::EXTERNAL) {
    auto elements = static_cast<size_t>(shape.num_elements());
    size_t bits = static_cast<size_t>(type.bits);
    SIGNET_ASSIGN_OR_RETURN(Buffer bytes, ExternalBytes(proto, (elements * bits + 7) / 8, files));
    return FromPacked(type, shape, bytes.bytes());
  }
  if (proto.has_raw_data())
    return FromPacked(type, shape, std::as_bytes(std::span(proto.raw_data())));
  std::vector<std::byte> bytes;
  for (int32_t byte : proto.int32_data()) bytes.push_back(static_cast<std::byte>(byte));
  return FromPacked(type, shape, bytes);
}

StatusOr<CapturedValue> Convert(const Proto& proto, ExternalFiles& files) {
  if (const NarrowType* narrow = LookupNarrowType(proto.data_type())) {
    return ConvertNarrow(*narrow, proto, files);
  }
  auto dtype = DTypeFromOnnx(proto.data_type());
  if (!dtype) {
    return Unimplemented("unsupported ONNX type ", proto.data_type(),
                         "; supported: bool, integers of 2 to 64 bits, floats of 4 to 64 bits, "
                         "complex numbers, and strings");
  }
  SIGNET_ASSIGN_OR_RETURN(Shape shape, ShapeFrom(proto.dims(), *dtype));
  if (proto.data_location() == Proto::EXTERNAL) {
    size_t needed = static_cast<size_t>(shape.num_elements()) * SizeOf(*dtype);
    SIGNET_ASSIGN_OR_RETURN(Buffer bytes, ExternalBytes(proto, needed, files));
    return FromBytes(*dtype, shape, bytes);
  }
  if (proto.has_raw_data()) return FromBytes(*dtype, shape, Buffer::Copy(proto.raw_data()));
  return FromFields(*dtype, shape, proto);
}

}  // namespace

StatusOr<CapturedValue> CaptureFromOnnx(const Proto& proto, ExternalFiles& files) {
  auto tensor = Convert(proto, files);
  if (tensor.ok()) return tensor;
  return At(Cat("tensor `", Printable(proto.name()), "`"), tensor.status());
}

StatusOr<Tensor> TensorFromOnnx(const Proto& proto, ExternalFiles& files) {
  SIGNET_ASSIGN_OR_RETURN(CapturedValue captured, CaptureFromOnnx(proto, files));
  SIGNET_ASSIGN_OR_RETURN(Value value, captured.Get());
  return value.tensor();
}

StatusOr<CapturedValue> CaptureFromOnnx(const onnx::SparseTensorProto& proto,
                                        ExternalFiles& files) {
  SIGNET_ASSIGN_OR_RETURN(Tensor values, TensorFromOnnx(proto.values(), files));
  SIGNET_ASSIGN_OR_RETURN(Tensor indices, TensorFromOnnx(proto.indices(), files));
  SIGNET_ASSIGN_OR_RETURN(Shape shape, ShapeFrom(proto.dims(), values.dtype()));
  int64_t count = values.num_elements();
  bool is_flat = indices.rank() == 1;
  if (values.rank() != 1 || values.is_string() || indices.dtype() != DType::kInt64 ||
      indices.num_elements() != (is_flat ? count : count * shape.rank())) {
    return InvalidArgument("a sparse tensor with values `", values.spec(), "` and indices `",
                           indices.spec(), "` of shape `", shape, "`");
  }
  SIGNET_RETURN_IF_ERROR(
      files.TakeMemory(static_cast<size_t>(shape.num_elements()) * SizeOf(values.dtype())));
  SIGNET_ASSIGN_OR_RETURN(Tensor dense, Tensor::Allocate(values.dtype(), shape));
  size_t size = SizeOf(values.dtype());
  std::byte* out = dense.data().mutable_data();
  if (!dense.data().empty()) std::memset(out, 0, dense.data().size());
  const int64_t* at = indices.elements<int64_t>().data();
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    if (is_flat) {
      offset = *at++;
    } else {
      for (int64_t dim : shape.dims()) {
        if (*at < 0 || *at >= dim) return InvalidArgument("index ", *at, " of ", dim, " elements");
        offset = offset * dim + *at++;
      }
    }
    if (offset < 0 || offset >= shape.num_elements()) {
      return InvalidArgument("index ", offset, " of ", shape.num_elements(), " elements");
    }
    std::memcpy(out + static_cast<size_t>(offset) * size,
                values.data().data() + static_cast<size_t>(i) * size, size);
  }
  return dense;
}

}  // namespace signet
