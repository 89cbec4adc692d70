#include "core/formats/tensorflow/tensor_proto.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <absl/functional/function_ref.h>

#include "core/base/checked_math.h"
#include "core/formats/signet_wire/wire_tensor.h"
#include "core/formats/tensorflow/proto_pieces.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/values/varint_element.h"

namespace signet::tf {
namespace {

using ::tensorflow::TensorProto;
using wire::Extent;
using wire::WireCursor;
using wire::WireSource;
using wire::WireTag;
using wire::WireType;

// How a dtype is stored in its *_val field.
enum class Storage : uint8_t { kFixed, kVarint, kString };

struct ValueField {
  int number = 0;
  Storage storage = Storage::kFixed;
  size_t width = 0;  // kFixed: bytes per number
};

ValueField FieldOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {TensorProto::kFloatValFieldNumber, Storage::kFixed, 4};
    case DType::kFloat64:
      return {TensorProto::kDoubleValFieldNumber, Storage::kFixed, 8};
    case DType::kComplex64:
      return {TensorProto::kScomplexValFieldNumber, Storage::kFixed, 4};
    case DType::kComplex128:
      return {TensorProto::kDcomplexValFieldNumber, Storage::kFixed, 8};
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kUInt8:
    case DType::kUInt16:
      return {TensorProto::kIntValFieldNumber, Storage::kVarint};
    case DType::kInt64:
      return {TensorProto::kInt64ValFieldNumber, Storage::kVarint};
    case DType::kBool:
      return {TensorProto::kBoolValFieldNumber, Storage::kVarint};
    case DType::kFloat16:
    case DType::kBFloat16:
      return {TensorProto::kHalfValFieldNumber, Storage::kVarint};
    case DType::kUInt32:
      return {TensorProto::kUint32ValFieldNumber, Storage::kVarint};
    case DType::kUInt64:
      return {TensorProto::kUint64ValFieldNumber, Storage::kVarint};
    case DType::kString:
      return {TensorProto::kStringValFieldNumber, Storage::kString};
  }
  __builtin_unreachable();
}

// Receives the numbers of a field, as varints on the wire, until it returns an error or false.
using OnNumber = absl::FunctionRef<StatusOr<bool>(uint64_t number)>;

// The parts of a message that need no dtype.
struct Head {
  int64_t dtype = 0;
  Dims dims = {};
  bool unknown_rank = false;
  size_t content_bytes = 0;
};

// A message on the wire.
class WireMessage {
 public:
  using String = Extent;

  WireMessage(WireSource& source, WireCursor begin) : source_(source), begin_(begin) {}

  Allowance& allowance() { return source_.allowance(); }

  StatusOr<Head> ReadHead() {
    Head head;
    WireCursor cursor = begin_;
    while (uint32_t tag = cursor.NextTag()) {
      switch (tag) {
        case WireTag(TensorProto::kDtypeFieldNumber, WireType::kVarint):
          head.dtype = static_cast<int32_t>(cursor.Varint());
          break;
        case WireTag(TensorProto::kTensorShapeFieldNumber, WireType::kBytes):
          SIGNET_RETURN_IF_ERROR(ReadShape(cursor.Enter(), head));
          break;
        case WireTag(TensorProto::kTensorContentFieldNumber, WireType::kBytes):
          content_ = cursor.Bytes();
          break;
        default:
          cursor.Skip(tag);
      }
    }
    SIGNET_RETURN_IF_ERROR(source_.status());
    head.content_bytes = content_.size;
    return head;
  }

  StatusOr<Buffer> TakeContent(size_t alignment) { return source_.Take(content_, alignment); }

  // Returns the numbers if they are all in one field, without a copy if they are aligned.
  StatusOr<Buffer> TakeFixed(const ValueField& field, size_t bytes, size_t alignment) {
    Extent only;
    size_t count = 0;
    SIGNET_RETURN_IF_ERROR(ForEachField(field.number, [&](uint32_t tag, WireCursor& cursor) {
      ++count;
      if (!IsPacked(tag)) return cursor.Skip(tag);
      only = cursor.Bytes();
    }));
    if (count != 1 || only.size != bytes) return Buffer();
    return source_.Take(only, alignment);
  }

  // Copies up to `room` bytes of numbers, and returns the number of bytes.
  StatusOr<size_t> CopyFixed(const ValueField& field, std::byte* out, size_t room) {
    size_t filled = 0;
    size_t broken = 0;
    SIGNET_RETURN_IF_ERROR(ForEachField(field.number, [&](uint32_t tag, WireCursor& cursor) {
      if (IsPacked(tag)) {
        Extent extent = cursor.Bytes();
        if (extent.size % field.width != 0) broken = extent.size;
        extent.size = std::min(extent.size, room - filled);
        source_.Copy(extent, out + filled);
        filled += extent.size;
        return;
      }
      const bool fits = tag == WireTag(field.number, WidthType(field.width));
      if (!fits) return cursor.Skip(tag);
      const uint64_t bits = field.width == 4 ? cursor.Fixed32() : cursor.Fixed64();
      if (room - filled < field.width) return;
      std::memcpy(out + filled, &bits, field.width);
      filled += field.width;
    }));
    if (broken == 0) return filled;
    return InvalidArgument("expected packed numbers of ", field.width, " bytes, found ", broken,
                           " bytes");
  }

  Status ForEachVarint(const ValueField& field, OnNumber on_number) {
    Status status;
    bool goes_on = true;
    auto give = [&](uint64_t number) {
      if (!goes_on || !source_.ok()) return;
      auto next = on_number(number);
      if (!next.ok()) status = next.status();
      goes_on = next.ok() && *next;
    };
    SIGNET_RETURN_IF_ERROR(ForEachField(field.number, [&](uint32_t tag, WireCursor& cursor) {
      if (tag == WireTag(field.number, WireType::kVarint)) return give(cursor.Varint());
      if (!IsPacked(tag)) return cursor.Skip(tag);
      WireCursor packed = cursor.Enter();
      while (goes_on && !packed.AtEnd()) give(packed.Varint());
    }));
    return status;
  }

  Status ForEachString(absl::FunctionRef<void(const Extent& text)> on_string) {
    return ForEachField(TensorProto::kStringValFieldNumber, [&](uint32_t tag, WireCursor& cursor) {
      if (!IsPacked(tag)) return cursor.Skip(tag);
      on_string(cursor.Bytes());
    });
  }
  static size_t SizeOf(const Extent& text) { return text.size; }
  void Copy(const Extent& text, std::byte* out) const { source_.Copy(text, out); }

 private:
  static bool IsPacked(uint32_t tag) {
    return (tag & 7) == static_cast<uint32_t>(WireType::kBytes);
  }
  static WireType WidthType(size_t width) {
    return width == 4 ? WireType::kFixed32 : WireType::kFixed64;
  }

  // Calls `on_field(tag, cursor)` for each field with this number. It consumes the field.
  Status ForEachField(int number,
                      absl::FunctionRef<void(uint32_t tag, WireCursor& cursor)> on_field) {
    WireCursor cursor = begin_;
    while (uint32_t tag = cursor.NextTag()) {
      if (tag >> 3 == static_cast<uint32_t>(number)) {
        on_field(tag, cursor);
      } else {
        cursor.Skip(tag);
      }
    }
    return source_.status();
  }

  Status ReadShape(WireCursor cursor, Head& head) {
    using Shape = ::tensorflow::TensorShapeProto;
    while (uint32_t tag = cursor.NextTag()) {
      if (tag == WireTag(Shape::kUnknownRankFieldNumber, WireType::kVarint)) {
        head.unknown_rank = cursor.Varint() != 0;
      } else if (tag == WireTag(Shape::kDimFieldNumber, WireType::kBytes)) {
        SIGNET_RETURN_IF_ERROR(allowance().CheckRank(head.dims.size() + 1));
        int64_t size = 0;
        WireCursor dim = cursor.Enter();
        while (uint32_t inner = dim.NextTag()) {
          if (inner == WireTag(Shape::Dim::kSizeFieldNumber, WireType::kVarint)) {
            size = dim.Int64();
          } else {
            dim.Skip(inner);
          }
        }
        head.dims.push_back(size);
      } else {
        cursor.Skip(tag);
      }
    }
    return source_.status();
  }

  WireSource& source_;
  const WireCursor begin_;
  Extent content_;
};

// A message that protobuf has parsed.
class ParsedMessage {
 public:
  using String = std::string_view;

  ParsedMessage(const TensorProto& proto, Allowance& allowance)
      : proto_(proto), allowance_(allowance) {}

  Allowance& allowance() { return allowance_; }

  StatusOr<Head> ReadHead() {
    Head head{.dtype = static_cast<int>(proto_.dtype()),
              .unknown_rank = proto_.tensor_shape().unknown_rank(),
              .content_bytes = proto_.tensor_content().size()};
    const auto& dims = proto_.tensor_shape().dim();
    SIGNET_RETURN_IF_ERROR(allowance_.CheckRank(static_cast<size_t>(dims.size())));
    for (const auto& dim : dims) head.dims.push_back(dim.size());
    return head;
  }

  StatusOr<Buffer> TakeContent(size_t /*alignment*/) {
    const std::string& content = proto_.tensor_content();
    return TakeCopy(std::as_bytes(std::span(content)));
  }

  static StatusOr<Buffer> TakeFixed(const ValueField&, size_t, size_t) { return Buffer(); }

  StatusOr<size_t> CopyFixed(const ValueField& field, std::byte* out, size_t room) const {
    switch (field.number) {
      case TensorProto::kFloatValFieldNumber:
        return CopyNumbers(proto_.float_val(), out, room);
      case TensorProto::kDoubleValFieldNumber:
        return CopyNumbers(proto_.double_val(), out, room);
      case TensorProto::kScomplexValFieldNumber:
        return CopyNumbers(proto_.scomplex_val(), out, room);
      default:
        return CopyNumbers(proto_.dcomplex_val(), out, room);
    }
  }

  Status ForEachVarint(const ValueField& field, OnNumber on_number) const {
    switch (field.number) {
      case TensorProto::kIntValFieldNumber:
        return Visit(proto_.int_val(), on_number);
      case TensorProto::kInt64ValFieldNumber:
        return Visit(proto_.int64_val(), on_number);
      case TensorProto::kBoolValFieldNumber:
        return Visit(proto_.bool_val(), on_number);
      case TensorProto::kHalfValFieldNumber:
        return Visit(proto_.half_val(), on_number);
      case TensorProto::kUint32ValFieldNumber:
        return Visit(proto_.uint32_val(), on_number);
      default:
        return Visit(proto_.uint64_val(), on_number);
    }
  }

  Status ForEachString(absl::FunctionRef<void(std::string_view text)> on_string) const {
    for (const std::string& text : proto_.string_val()) on_string(text);
    return absl::OkStatus();
  }
  static size_t SizeOf(std::string_view text) { return text.size(); }
  static void Copy(std::string_view text, std::byte* out) {
    if (!text.empty()) std::memcpy(out, text.data(), text.size());
  }

 private:
  StatusOr<Buffer> TakeCopy(std::span<const std::byte> bytes) {
    SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(bytes.size()));
    SIGNET_ASSIGN_OR_RETURN(Buffer copy, Buffer::Allocate(bytes.size()));
    if (!bytes.empty()) std::memcpy(copy.mutable_data(), bytes.data(), bytes.size());
    return copy;
  }
  template <class Numbers>
  static size_t CopyNumbers(const Numbers& numbers, std::byte* out, size_t room) {
    const size_t bytes = static_cast<size_t>(numbers.size()) * sizeof(*numbers.data());
    const size_t copied = std::min(bytes, room);
    if (copied > 0) std::memcpy(out, numbers.data(), copied);
    return copied;
  }
  template <class Numbers>
  static Status Visit(const Numbers& numbers, OnNumber on_number) {
    for (auto number : numbers) {
      SIGNET_ASSIGN_OR_RETURN(bool goes_on,
                              on_number(static_cast<uint64_t>(static_cast<int64_t>(number))));
      if (!goes_on) break;
    }
    return absl::OkStatus();
  }

  const TensorProto& proto_;
  Allowance& allowance_;
};

// Repeats the last `width` bytes before `filled` until the end.
void RepeatLast(std::byte* data, size_t filled, size_t size, size_t width) {
  const std::byte* last = data + filled - width;
  for (; filled < size; filled += width) std::memcpy(data + filled, last, width);
}

template <class Message>
StatusOr<Tensor> MakeFixed(Message& message, DType dtype, Shape shape) {
  const ValueField field = FieldOf(dtype);
  const size_t width = signet::SizeOf(dtype);
  const size_t bytes = static_cast<size_t>(shape.num_elements()) * width;
  SIGNET_ASSIGN_OR_RETURN(Buffer whole, message.TakeFixed(field, bytes, field.width));
  if (!whole.empty()) return Tensor::Trusted(dtype, std::move(shape), std::move(whole));
  SIGNET_RETURN_IF_ERROR(message.allowance().TakeBytes(bytes));
  SIGNET_ASSIGN_OR_RETURN(Buffer data, Buffer::Allocate(bytes));
  SIGNET_ASSIGN_OR_RETURN(size_t filled, message.CopyFixed(field, data.mutable_data(), bytes));
  filled -= filled % width;  // half of a complex number
  if (filled == 0) {
    if (bytes > 0) std::memset(data.mutable_data(), 0, bytes);
  } else {
    RepeatLast(data.mutable_data(), filled, bytes, width);
  }
  return Tensor::Trusted(dtype, std::move(shape), std::move(data));
}

template <class Message>
StatusOr<Tensor> MakeVarints(Message& message, DType dtype, Shape shape) {
  const ValueField field = FieldOf(dtype);
  const auto elements = static_cast<size_t>(shape.num_elements());
  const size_t width = signet::SizeOf(dtype);
  SIGNET_RETURN_IF_ERROR(message.allowance().TakeBytes(elements * width));
  SIGNET_ASSIGN_OR_RETURN(Buffer data, Buffer::Allocate(elements * width));
  size_t filled = 0;
  SIGNET_RETURN_IF_ERROR(VisitDType(dtype, [&]<class T>(TypeTag<T>) -> Status {
    if constexpr (VarintElement<T>) {
      T* out = reinterpret_cast<T*>(data.mutable_data());
      Status read = message.ForEachVarint(field, [&](uint64_t number) -> StatusOr<bool> {
        if (filled == elements) return false;
        const std::optional<T> element = ElementOfVarint<T>(number);
        if (!element) {
          return InvalidArgument("element ", filled, ": expected a `", NameOf(dtype), "`, found ",
                                 static_cast<int32_t>(number));
        }
        out[filled++] = *element;
        return true;
      });
      if (!read.ok()) return read;
      std::fill(out + filled, out + elements, filled > 0 ? out[filled - 1] : T());
    }
    return absl::OkStatus();
  }));
  return Tensor::Trusted(dtype, std::move(shape), std::move(data));
}

template <class Message>
StatusOr<Tensor> MakeStrings(Message& message, Shape shape) {
  const int64_t elements = shape.num_elements();
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t last = 0;
  SIGNET_RETURN_IF_ERROR(message.ForEachString([&](const typename Message::String& text) {
    if (count == elements) return;
    last = static_cast<int64_t>(message.SizeOf(text));
    bytes += last;
    ++count;
  }));
  auto repeated = CheckedMultiply(elements - count, last);
  auto total = repeated ? CheckedAdd(bytes, *repeated) : std::nullopt;
  const size_t offset_bytes = (static_cast<size_t>(elements) + 1) * sizeof(int64_t);
  SIGNET_RETURN_IF_ERROR(message.allowance().TakeBytes(total ? static_cast<size_t>(*total)
                                                             : std::numeric_limits<size_t>::max()));
  SIGNET_RETURN_IF_ERROR(message.allowance().TakeBytes(offset_bytes));
  SIGNET_ASSIGN_OR_RETURN(Buffer offsets, Buffer::Allocate(offset_bytes));
  SIGNET_ASSIGN_OR_RETURN(Buffer text, Buffer::Allocate(static_cast<size_t>(*total)));
  auto* ends = reinterpret_cast<int64_t*>(offsets.mutable_data());
  *ends++ = 0;
  std::byte* out = text.mutable_data();
  int64_t filled = 0;
  int64_t copied = 0;
  SIGNET_RETURN_IF_ERROR(message.ForEachString([&](const typename Message::String& string) {
    if (copied == count) return;
    message.Copy(string, out + filled);
    filled += static_cast<int64_t>(message.SizeOf(string));
    *ends++ = filled;
    ++copied;
  }));
  for (; copied < elements; ++copied) {
    if (last > 0) std::memcpy(out + filled, out + filled - last, static_cast<size_t>(last));
    filled += last;
    *ends++ = filled;
  }
  return Tensor::Trusted(DType::kString, std::move(shape), std::move(offsets), std::move(text));
}

// Splits the lengths of strings from their bytes.
StatusOr<Tensor> SplitStrings(const Buffer& content, Shape shape, Allowance& allowance) {
  const auto elements = static_cast<size_t>(shape.num_elements());
  if (elements > content.size()) {
    return InvalidArgument("tensor_content: expected the lengths of ", elements, " strings, found ",
                           content.size(), " bytes");
  }
  const size_t offset_bytes = (elements + 1) * sizeof(int64_t);
  SIGNET_RETURN_IF_ERROR(allowance.TakeBytes(offset_bytes));
  SIGNET_ASSIGN_OR_RETURN(Buffer offsets, Buffer::Allocate(offset_bytes));
  auto* ends = reinterpret_cast<int64_t*>(offsets.mutable_data());
  *ends++ = 0;
  size_t at = 0;
  uint64_t total = 0;
  for (size_t i = 0; i < elements; ++i) {
    uint64_t length = 0;
    bool is_complete = false;
    for (int shift = 0; shift < 64 && at < content.size() && !is_complete; shift += 7) {
      const auto byte = static_cast<uint64_t>(content.data()[at++]);
      length |= (byte & 0x7f) << shift;
      is_complete = byte < 0x80;
    }
    if (!is_complete || length > content.size() - total) {
      return InvalidArgument("tensor_content: element ", i, ": expected a length of at most ",
                             content.size() - total, " bytes, found ",
                             is_complete ? Cat(length) : std::string("an incomplete number"));
    }
    total += length;
    *ends++ = static_cast<int64_t>(total);
  }
  if (total != content.size() - at) {
    return InvalidArgument("tensor_content: expected ", total, " bytes after the lengths of ",
                           elements, " strings, found ", content.size() - at);
  }
  return Tensor::Trusted(DType::kString, std::move(shape), std::move(offsets),
                         content.Slice(at, total));
}

template <class Message>
StatusOr<Tensor> MakeFromContent(Message& message, DType dtype, Shape shape, size_t content_bytes) {
  if (dtype == DType::kString) {
    SIGNET_ASSIGN_OR_RETURN(Buffer content, message.TakeContent(1));
    return SplitStrings(content, std::move(shape), message.allowance());
  }
  const size_t expected = static_cast<size_t>(shape.num_elements()) * signet::SizeOf(dtype);
  if (content_bytes != expected) {
    return InvalidArgument("tensor_content: expected ", expected, " bytes for `", NameOf(dtype),
                           shape, "`, found ", content_bytes);
  }
  SIGNET_ASSIGN_OR_RETURN(Buffer data,
                          message.TakeContent(std::min<size_t>(signet::SizeOf(dtype), 8)));
  if (dtype == DType::kBool) SIGNET_RETURN_IF_ERROR(wire::CheckBools(data));
  return Tensor::Trusted(dtype, std::move(shape), std::move(data));
}

template <class Message>
StatusOr<Tensor> Make(Message message, StatusOr<DType> (*dtype_of)(int64_t)) {
  SIGNET_ASSIGN_OR_RETURN(Head head, message.ReadHead());
  SIGNET_ASSIGN_OR_RETURN(DType dtype, dtype_of(head.dtype));
  if (head.unknown_rank) return InvalidArgument("tensor_shape: expected a known rank");
  const size_t width = dtype == DType::kString ? sizeof(int64_t) : signet::SizeOf(dtype);
  SIGNET_RETURN_IF_ERROR(At("tensor_shape", CheckShape(head.dims, width)));
  Shape shape{std::span<const int64_t>(head.dims)};
  SIGNET_RETURN_IF_ERROR(message.allowance().CheckElements(shape.num_elements()));
  if (head.content_bytes > 0) {
    return MakeFromContent(message, dtype, std::move(shape), head.content_bytes);
  }
  switch (FieldOf(dtype).storage) {
    case Storage::kFixed:
      return MakeFixed(message, dtype, std::move(shape));
    case Storage::kVarint:
      return MakeVarints(message, dtype, std::move(shape));
    case Storage::kString:
      return MakeStrings(message, std::move(shape));
  }
  __builtin_unreachable();
}

// --- writing ------------------------------------------------------------------------------------

std::string WrittenShape(const Shape& shape) {
  using Proto = ::tensorflow::TensorShapeProto;
  std::string dims;
  for (int64_t size : shape.dims()) {
    std::string dim;
    if (size != 0)
      AppendVarintField(dim, Proto::Dim::kSizeFieldNumber, static_cast<uint64_t>(size));
    AppendBytesField(dims, Proto::kDimFieldNumber, dim);
  }
  return dims;
}

// Returns the elements as varints.
Buffer WrittenVarints(const Tensor& tensor) {
  std::string out;
  VisitDType(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      for (T element : tensor.elements<T>()) {
        AppendVarint(out, static_cast<uint64_t>(static_cast<int64_t>(element)));
      }
    } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      for (T element : tensor.elements<T>()) AppendVarint(out, element.bits);
    }
  });
  return BufferOf(std::move(out));
}

Buffer WrittenStrings(const Tensor& tensor) {
  std::string out;
  out.reserve(tensor.bytes().size() + static_cast<size_t>(tensor.num_elements()) * 3);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    AppendBytesField(out, TensorProto::kStringValFieldNumber, tensor.string_at(i));
  }
  return BufferOf(std::move(out));
}

}  // namespace

StatusOr<Tensor> ReadTensorProto(WireSource& source, WireCursor cursor) {
  return Make(WireMessage(source, cursor), DTypeFromNumber);
}

StatusOr<Tensor> TensorFromProto(const TensorProto& proto, Allowance& allowance) {
  return Make(ParsedMessage(proto, allowance), DTypeFromNumber);
}

StatusOr<Tensor> ConstantFromProto(const TensorProto& proto, Allowance& allowance) {
  return Make(ParsedMessage(proto, allowance), StoredDTypeFromNumber);
}

wire::Pieces WriteTensorProto(const Tensor& tensor) {
  const ValueField field = FieldOf(tensor.dtype());
  std::string head;
  AppendVarintField(head, TensorProto::kDtypeFieldNumber,
                    static_cast<uint64_t>(DataTypeOf(tensor.dtype())));
  AppendBytesField(head, TensorProto::kTensorShapeFieldNumber, WrittenShape(tensor.shape()));
  if (tensor.num_elements() == 0) return {BufferOf(std::move(head))};
  if (field.storage == Storage::kString) {
    return {BufferOf(std::move(head)), WrittenStrings(tensor)};
  }
  // A bool is a varint of one byte.
  const bool is_borrowed = field.storage == Storage::kFixed || tensor.dtype() == DType::kBool;
  Buffer values = is_borrowed ? tensor.data() : WrittenVarints(tensor);
  if (!values.is_owned()) values = BufferOf(std::string(values.text()));
  AppendBytesHead(head, field.number, values.size());
  return {BufferOf(std::move(head)), std::move(values)};
}

TensorProto TensorToProto(const Tensor& tensor) {
  std::string bytes;
  for (const Buffer& piece : WriteTensorProto(tensor)) bytes.append(piece.text());
  TensorProto proto;
  SIGNET_CHECK(proto.ParseFromString(bytes));
  return proto;
}

}  // namespace signet::tf
