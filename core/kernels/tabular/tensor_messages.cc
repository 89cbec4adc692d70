// The kernels of serialized tensorflow.TensorProto messages.
//
// Parsers of untrusted input. A message is read twice: first its dtype and shape, and then its
// elements. Sizes are checked before memory is allocated, because one element may stand for any
// number of elements.

#include <cstring>
#include <optional>
#include <vector>

#include "core/base/checked_math.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/tabular/example_fields.h"
#include "core/kernels/tabular/tabular_kernels.h"
#include "core/values/varint_element.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;
using Dims = std::vector<int64_t>;

// The numbers of the fields of TensorProto that do not depend on the dtype.
enum TensorField : int { kDTypeField = 1, kShapeField = 2, kContentField = 4, kStringField = 8 };

// The number of a dtype in messages, and the field with the elements.
struct DTypeFields {
  int dtype;
  int values;
};

DTypeFields FieldsOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {1, 5};
    case DType::kFloat64:
      return {2, 6};
    case DType::kInt32:
      return {3, 7};
    case DType::kUInt8:
      return {4, 7};
    case DType::kInt16:
      return {5, 7};
    case DType::kInt8:
      return {6, 7};
    case DType::kString:
      return {7, kStringField};
    case DType::kComplex64:
      return {8, 9};
    case DType::kInt64:
      return {9, 10};
    case DType::kBool:
      return {10, 11};
    case DType::kBFloat16:
      return {14, 13};
    case DType::kUInt16:
      return {17, 7};
    case DType::kComplex128:
      return {18, 12};
    case DType::kFloat16:
      return {19, 13};
    case DType::kUInt32:
      return {22, 16};
    case DType::kUInt64:
      return {23, 17};
  }
  __builtin_unreachable();
}

// Labels an error of a message, and not the error with which a call ends.
Status MessageError(Status status) {
  return absl::IsInvalidArgument(status) ? WithConstraint("C3", std::move(status)) : status;
}

Status NoMessage() {
  return InvalidArgument(
      "expected a serialized tensorflow.TensorProto, found bytes that do not parse");
}

// --- reading ------------------------------------------------------------------------------------

// What the elements of a message are read with.
struct Head {
  std::string_view message;
  std::string_view content = {};
  Dims dims = {};
  int64_t count = 0;  // of elements
};

Status ReadShape(std::string_view bytes, Dims& dims) {
  ProtoFields shape(bytes);
  while (shape.Next()) {
    if (shape.number() == 3 && shape.is_varint() && shape.varint() != 0) {
      return InvalidArgument("tensor_shape: expected a known rank");
    }
    if (shape.number() != 2 || !shape.is_bytes()) continue;
    if (dims.size() == size_t{kMaxOutputRank}) {
      return InvalidArgument("tensor_shape: expected at most ", kMaxOutputRank, " dimensions");
    }
    int64_t size = 0;
    ProtoFields dim(shape.bytes());
    while (dim.Next()) {
      if (dim.number() == 1 && dim.is_varint()) size = static_cast<int64_t>(dim.varint());
    }
    if (dim.failed()) return NoMessage();
    dims.push_back(size);
  }
  return shape.failed() ? NoMessage() : absl::OkStatus();
}

StatusOr<Head> ReadHead(std::string_view message, DType dtype) {
  Head head{.message = message};
  int64_t number = 0;
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() == kDTypeField && fields.is_varint()) {
      number = static_cast<int64_t>(fields.varint());
    } else if (fields.number() == kShapeField && fields.is_bytes()) {
      SIGNET_RETURN_IF_ERROR(ReadShape(fields.bytes(), head.dims));
    } else if (fields.number() == kContentField && fields.is_bytes()) {
      head.content = fields.bytes();
    }
  }
  if (fields.failed()) return NoMessage();
  if (number != FieldsOf(dtype).dtype) {
    return InvalidArgument("expected a tensor of `", NameOf(dtype), "` (dtype ",
                           FieldsOf(dtype).dtype, "), found dtype ", number);
  }
  SIGNET_RETURN_IF_ERROR(At("tensor_shape", CheckOutputSize(head.dims)));
  head.count = *CheckedProduct(head.dims);
  return head;
}

// Returns true if the numbers of the field of the dtype are varints.
bool IsVarintField(DType dtype) {
  return dtype == DType::kBool || IsInteger(dtype) || dtype == DType::kFloat16 ||
         dtype == DType::kBFloat16;
}

// Calls visit(number) for each number of the field `field`, of `width` bytes or a varint if `width`
// is 0, until it returns false. Returns false if the bytes are not numbers.
template <class Visit>
bool VisitNumbers(std::string_view message, int field, size_t width, Visit visit) {
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() != field) continue;
    std::string_view bytes = fields.bytes();
    if (fields.is_varint()) {
      if (width == 0 && !visit(fields.varint())) return true;
      continue;
    }
    const bool is_packed = fields.is_bytes();
    if (!is_packed && bytes.size() != width) continue;
    if (width > 0 && bytes.size() % width != 0) return false;
    while (!bytes.empty()) {
      uint64_t number = 0;
      if (width == 0) {
        if (!ProtoFields::TakeVarintOf(bytes, number)) return false;
      } else {
        std::memcpy(&number, bytes.data(), width);
        bytes.remove_prefix(width);
      }
      if (!visit(number)) return true;
    }
  }
  return true;
}

// Writes the elements of a message to `out`, which has room for `head.count` elements.
Status ReadNumbers(StopPoll& poll, const Head& head, DType dtype, std::byte* out) {
  const size_t width = SizeOf(dtype);
  const size_t size = static_cast<size_t>(head.count) * width;
  if (size == 0) return absl::OkStatus();
  if (!head.content.empty()) {
    if (head.content.size() != size) {
      return InvalidArgument("tensor_content: expected ", size, " bytes, found ",
                             head.content.size());
    }
    for (size_t i = 0; dtype == DType::kBool && i < size; ++i) {
      if (static_cast<uint8_t>(head.content[i]) > 1) {
        return InvalidArgument("tensor_content: expected bools that are 0 or 1");
      }
    }
    const auto* from = reinterpret_cast<const std::byte*>(head.content.data());
    return CopyBytes(poll, out, from, size) ? absl::OkStatus() : poll.context().CheckStop();
  }
  const int field = FieldsOf(dtype).values;
  size_t filled = 0;  // bytes
  bool fits = true;
  bool parses = true;
  if (IsVarintField(dtype)) {
    VisitDType(dtype, [&]<class T>(TypeTag<T>) {
      if constexpr (VarintElement<T>) {
        parses = VisitNumbers(head.message, field, 0, [&](uint64_t number) {
          if (filled == size || poll.Stops(3)) return false;
          const std::optional<T> element = ElementOfVarint<T>(number);
          fits = element.has_value();
          if (!fits) return false;
          std::memcpy(out + filled, &*element, width);
          filled += width;
          return true;
        });
      }
    });
  } else {
    const size_t part = IsComplex(dtype) ? width / 2 : width;
    parses = VisitNumbers(head.message, field, part, [&](uint64_t number) {
      if (filled == size || poll.Stops(3)) return false;
      std::memcpy(out + filled, &number, part);
      filled += part;
      return true;
    });
    filled -= filled % width;  // half of a complex number
  }
  if (!parses) return NoMessage();
  if (!fits) return InvalidArgument("expected numbers that `", NameOf(dtype), "` can hold");
  if (filled == 0) {
    std::memset(out, 0, width);
    filled = width;
  }
  // Repeats the last element, twice as many bytes at a time.
  const size_t start = filled - width;
  while (filled < size) {
    const size_t count = std::min(filled - start, size - filled);
    if (!CopyBytes(poll, out + filled, out + start, count)) break;
    filled += count;
  }
  return poll.context().stopped() ? poll.context().CheckStop() : absl::OkStatus();
}

// Calls visit(text) for each string of a message, until it returns false. The last one may have to
// be repeated.
template <class Visit>
Status VisitStrings(const Head& head, Visit visit) {
  if (head.content.empty()) {
    ProtoFields fields(head.message);
    for (int64_t i = 0; i < head.count && fields.Next();) {
      if (fields.number() != kStringField || !fields.is_bytes()) continue;
      if (!visit(fields.bytes())) break;
      ++i;
    }
    return absl::OkStatus();
  }
  // The lengths of all strings, and then their bytes.
  std::string_view rest = head.content;
  std::string_view lengths = head.content;
  uint64_t total = 0;
  for (int64_t i = 0; i < head.count; ++i) {
    uint64_t length;
    if (!ProtoFields::TakeVarintOf(rest, length) || length > head.content.size() - total) {
      return InvalidArgument("tensor_content: expected the lengths of ", head.count, " strings");
    }
    total += length;
  }
  if (rest.size() != total) {
    return InvalidArgument("tensor_content: expected ", total, " bytes after the lengths of ",
                           head.count, " strings, found ", rest.size());
  }
  for (int64_t i = 0; i < head.count; ++i) {
    uint64_t length = 0;
    ProtoFields::TakeVarintOf(lengths, length);
    if (!visit(rest.substr(0, length))) break;
    rest.remove_prefix(length);
  }
  return absl::OkStatus();
}

// Adds the number of bytes of all strings of a message to `size`, at most kMaxOutputText + 1.
Status CountText(StopPoll& poll, const Head& head, int64_t& size) {
  int64_t seen = 0;
  int64_t last = 0;
  SIGNET_RETURN_IF_ERROR(VisitStrings(head, [&](std::string_view text) {
    ++seen;
    last = static_cast<int64_t>(text.size());
    size = std::min(size + last, kMaxOutputText + 1);
    return !poll.Stops(4);
  }));
  if (poll.context().stopped()) return poll.context().CheckStop();
  const auto repeated = CheckedMultiply(head.count - seen, last);
  size = std::min(size + std::min(repeated.value_or(kMaxOutputText), kMaxOutputText),
                  kMaxOutputText + 1);
  return absl::OkStatus();
}

// Writes the strings of a message: the end of each to `ends`, and their bytes after the first `at`
// bytes of `text`, which has `size` bytes.
Status ReadStrings(StopPoll& poll, const Head& head, int64_t*& ends, std::byte* text, int64_t size,
                   int64_t& at) {
  int64_t left = head.count;
  std::string_view last;
  auto write = [&](std::string_view string) {
    last = string;
    if (poll.Stops(4) || static_cast<int64_t>(string.size()) > size - at) return false;
    if (!string.empty()) std::memcpy(text + at, string.data(), string.size());
    at += static_cast<int64_t>(string.size());
    *ends++ = at;
    --left;
    return true;
  };
  SIGNET_RETURN_IF_ERROR(VisitStrings(head, write));
  while (left > 0 && write(last)) {
  }
  return poll.context().stopped() ? poll.context().CheckStop() : absl::OkStatus();
}

// Writes the elements of messages, one after another, to output 0 of the shape `shape`.
Status ReadElements(KernelContext& context, StopPoll& poll, std::span<const Head> heads,
                    DType dtype, const Shape& shape) {
  if (dtype != DType::kString) {
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, shape));
    std::byte* out = made->data().mutable_data();
    for (const Head& head : heads) {
      SIGNET_RETURN_IF_ERROR(ReadNumbers(poll, head, dtype, out));
      out += static_cast<size_t>(head.count) * SizeOf(dtype);
    }
    return absl::OkStatus();
  }
  int64_t size = 0;
  for (const Head& head : heads) SIGNET_RETURN_IF_ERROR(CountText(poll, head, size));
  if (size > kMaxOutputText) return TooMuchText();
  SIGNET_ASSIGN_OR_RETURN(Tensor * made,
                          context.AllocateStrings(0, shape, static_cast<size_t>(size)));
  auto* ends = made->mutable_elements<int64_t>();
  auto* text = const_cast<std::byte*>(made->bytes().data());
  int64_t at = 0;
  *ends++ = 0;
  for (const Head& head : heads) {
    SIGNET_RETURN_IF_ERROR(ReadStrings(poll, head, ends, text, size, at));
  }
  return absl::OkStatus();
}

MadeKernel MakeParseTensor(const KernelRequest& request) {
  const DType dtype = DTypeIn(request.outputs[0]);
  return MakeKernel([dtype](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() != 0) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a scalar, found shape `", x.shape(), "`"));
    }
    StopPoll poll(context);
    auto head = ReadHead(x.string_at(0), dtype);
    if (!head.ok()) return MessageError(head.status());
    const Shape shape{std::span<const int64_t>(head->dims)};
    return MessageError(ReadElements(context, poll, {&*head, 1}, dtype, shape));
  });
}

// Reads the dtypes and shapes of messages, and adds up the first dimension in `dims`.
StatusOr<std::vector<Head>> ReadHeads(KernelContext& context, StopPoll& poll, DType dtype,
                                      size_t rank, Dims& dims) {
  const Tensor& x = context.input(0);
  SIGNET_RETURN_IF_ERROR(
      context.CountBytes(static_cast<size_t>(x.num_elements()) * (sizeof(Head) + 8 * rank)));
  std::vector<Head> heads;
  heads.reserve(static_cast<size_t>(x.num_elements()));
  for (int64_t row = 0; row < x.num_elements(); ++row) {
    const std::string_view message = x.string_at(row);
    SIGNET_RETURN_IF_ERROR(poll.Spend(50 + static_cast<int64_t>(message.size()) / 4));
    auto head = ReadHead(message, dtype);
    if (!head.ok()) return At(Cat("row ", row), head.status());
    if (head->dims.size() != rank) {
      return InvalidArgument("row ", row, ": expected a tensor of rank ", rank, ", found rank ",
                             head->dims.size());
    }
    if (row == 0) {
      dims = head->dims;
    } else {
      for (size_t axis = 1; axis < rank; ++axis) {
        if (head->dims[axis] == dims[axis]) continue;
        return InvalidArgument("row ", row, ": expected size ", dims[axis], " of dimension ", axis,
                               ", as in row 0, found ", head->dims[axis]);
      }
      const auto rows = CheckedAdd(dims[0], head->dims[0]);
      if (!rows) return InvalidArgument("expected fewer rows than int64 can count");
      dims[0] = *rows;
    }
    heads.push_back(*std::move(head));
  }
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(dims));
  return heads;
}

MadeKernel MakeParseTensorRows(const KernelRequest& request) {
  const DType dtype = DTypeIn(request.outputs[0]);
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("rank"));
  const auto rank = static_cast<size_t>(given);
  return MakeKernel([dtype, rank](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", x.shape(), "`"));
    }
    StopPoll poll(context);
    Dims dims(rank, 0);
    auto heads = ReadHeads(context, poll, dtype, rank, dims);
    if (!heads.ok()) return MessageError(heads.status());
    SIGNET_ASSIGN_OR_RETURN(Tensor * splits, context.Allocate(1, {x.num_elements() + 1}));
    auto* split = splits->mutable_elements<int64_t>();
    *split = 0;
    for (const Head& head : *heads) {
      split[1] = split[0] + head.dims[0];
      ++split;
    }
    const Shape shape{std::span<const int64_t>(dims)};
    return MessageError(ReadElements(context, poll, *heads, dtype, shape));
  });
}

// --- writing ------------------------------------------------------------------------------------

void AppendVarint(GrowingBytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.Append(static_cast<char>((value & 0x7f) | 0x80));
  out.Append(static_cast<char>(value));
}

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// Writes the beginning of a field with bytes.
void AppendBytesHead(GrowingBytes& out, int field, size_t size) {
  AppendVarint(out, static_cast<uint64_t>(field) << 3 | 2);
  AppendVarint(out, size);
}

// Writes a message with `count` elements of `x` from element `first` on.
void AppendMessage(GrowingBytes& out, const Tensor& x, std::span<const int64_t> dims, int64_t first,
                   int64_t count) {
  AppendVarint(out, kDTypeField << 3);
  AppendVarint(out, static_cast<uint64_t>(FieldsOf(x.dtype()).dtype));
  auto dim_size = [](int64_t size) {
    return size == 0 ? 0 : 1 + VarintSize(static_cast<uint64_t>(size));
  };
  size_t shape_size = 0;
  for (int64_t size : dims) shape_size += 2 + dim_size(size);
  AppendBytesHead(out, kShapeField, shape_size);
  for (int64_t size : dims) {
    AppendBytesHead(out, 2, dim_size(size));
    if (size == 0) continue;
    AppendVarint(out, 1 << 3);
    AppendVarint(out, static_cast<uint64_t>(size));
  }
  if (count == 0) return;
  if (x.is_string()) {
    for (int64_t i = first; i < first + count; ++i) {
      const std::string_view text = x.string_at(i);
      AppendBytesHead(out, kStringField, text.size());
      if (!out.Append(text)) return;
    }
    return;
  }
  const size_t width = SizeOf(x.dtype());
  const std::string_view bytes = x.data().text().substr(static_cast<size_t>(first) * width,
                                                        static_cast<size_t>(count) * width);
  AppendBytesHead(out, kContentField, bytes.size());
  out.Append(bytes);
}

MadeKernel MakeSerializeTensor(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    return WriteStrings(context, 0, Shape{}, [&](StopPoll&, int64_t, GrowingBytes& text) {
      AppendMessage(text, x, x.shape().dims(), 0, x.num_elements());
    });
  });
}

MadeKernel MakeSerializeTensorRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& splits = context.input(1);
    if (x.rank() == 0) return WithConstraint("C2", InvalidArgument("input 0: expected rank 1"));
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits, x.shape().dim(0)));
    Dims dims(x.shape().dims().begin(), x.shape().dims().end());
    int64_t width = 1;  // elements per row of `x`
    for (size_t axis = 1; axis < dims.size(); ++axis) width *= dims[axis];
    return WriteStrings(context, 0, {NumRows(splits)},
                        [&](StopPoll&, int64_t row, GrowingBytes& text) {
                          const int64_t begin = IntAt(splits, row);
                          dims[0] = IntAt(splits, row + 1) - begin;
                          AppendMessage(text, x, dims, begin * width, dims[0] * width);
                        });
  });
}

constexpr KernelDef kTensorMessageKernels[] = {
    {"serialize_tensor", MakeSerializeTensor},
    {"parse_tensor", MakeParseTensor},
    {"serialize_tensor_rows", MakeSerializeTensorRows},
    {"parse_tensor_rows", MakeParseTensorRows},
};

}  // namespace

std::span<const KernelDef> TensorMessageKernels() { return kTensorMessageKernels; }

}  // namespace signet
