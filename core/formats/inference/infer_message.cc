#include "core/formats/inference/infer_message.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/base/checked_math.h"

namespace signet {
namespace {

struct Datatype {
  DType dtype;
  std::string_view name;
};

constexpr std::array<Datatype, 14> kDatatypes = {{{DType::kBool, "BOOL"},
                                                  {DType::kInt8, "INT8"},
                                                  {DType::kInt16, "INT16"},
                                                  {DType::kInt32, "INT32"},
                                                  {DType::kInt64, "INT64"},
                                                  {DType::kUInt8, "UINT8"},
                                                  {DType::kUInt16, "UINT16"},
                                                  {DType::kUInt32, "UINT32"},
                                                  {DType::kUInt64, "UINT64"},
                                                  {DType::kFloat16, "FP16"},
                                                  {DType::kBFloat16, "BF16"},
                                                  {DType::kFloat32, "FP32"},
                                                  {DType::kFloat64, "FP64"},
                                                  {DType::kString, "BYTES"}}};
constexpr size_t kLengthBytes = 4;  // before each element of BYTES

DType PartOf(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  if (dtype == DType::kComplex128) return DType::kFloat64;
  return dtype;
}

Status CheckBoolBytes(const Buffer& raw) {
  auto bytes = raw.bytes();
  auto bad = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad == bytes.end()) return absl::OkStatus();
  return InvalidArgument("element ", bad - bytes.begin(), ": expected 0 or 1 for BOOL, found ",
                         static_cast<unsigned>(*bad));
}

uint32_t LengthAt(std::string_view raw, size_t at) {
  uint32_t length;
  std::memcpy(&length, raw.data() + at, sizeof length);
  return length;
}

std::string TextOf(const InputPlace& place) {
  return Cat("input '", Printable(place.input), "' for model '", Printable(place.model), "'");
}

// Returns the number of elements of BYTES that are complete.
size_t CountStrings(std::string_view raw) {
  size_t count = 0;
  for (size_t at = 0; raw.size() - at >= kLengthBytes; ++count) {
    const uint32_t length = LengthAt(raw, at);
    at += kLengthBytes;
    if (length > raw.size() - at) break;
    at += length;
  }
  return count;
}

StatusOr<Tensor> StringsFromRaw(Shape shape, const Buffer& raw, const InputPlace& place) {
  const auto n = static_cast<size_t>(shape.num_elements());
  const std::string_view text = raw.text();
  auto too_few = [&] {
    return InvalidArgument("expected ", n, " string elements for inference ", TextOf(place),
                           ", got ", CountStrings(text),
                           "; each element follows its length in 4 bytes");
  };
  // Each element has at least its length, so n is bounded by the bytes that are there.
  if (n > text.size() / kLengthBytes) return too_few();
  SIGNET_ASSIGN_OR_RETURN(Buffer offsets, Buffer::Allocate((n + 1) * sizeof(int64_t)));
  SIGNET_ASSIGN_OR_RETURN(Buffer bytes, Buffer::Allocate(text.size() - n * kLengthBytes));
  auto* offset = reinterpret_cast<int64_t*>(offsets.mutable_data());
  size_t at = 0;
  size_t filled = 0;
  *offset++ = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t length = LengthAt(text, at);
    at += kLengthBytes;
    if (length > text.size() - at) {
      return InvalidArgument("incomplete string data for inference ", TextOf(place),
                             ", expecting string of length ", length, " but only ",
                             text.size() - at, " bytes available");
    }
    // The lengths of the elements that are left must fit, too: they are subtracted from the buffer.
    if (length > bytes.size() - filled) return too_few();
    if (length > 0) std::memcpy(bytes.mutable_data() + filled, text.data() + at, length);
    at += length;
    filled += length;
    *offset++ = static_cast<int64_t>(filled);
  }
  if (at != text.size()) {
    return InvalidArgument("unexpected number of string elements ", n + 1, " for inference ",
                           TextOf(place), ", expecting ", n, "; ", text.size() - at,
                           " more bytes follow");
  }
  return Tensor::Trusted(DType::kString, std::move(shape), std::move(offsets), std::move(bytes));
}

StatusOr<double> ElementOf(const Tensor& tensor, int64_t i) {
  return VisitDType(tensor.dtype(), [&](auto tag) -> StatusOr<double> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<double>(tensor.elements<T>()[static_cast<size_t>(i)]);
    } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      return ToFloat(tensor.elements<T>()[static_cast<size_t>(i)]);
    } else {
      const std::string_view datatype = DatatypeOf(tensor.dtype());
      return InvalidArgument("class result not available for output due to unsupported type '",
                             datatype, "'; classification: expected an output of numbers, found ",
                             datatype);
    }
  });
}

// Returns the sentence that clients compare, for a shape that has too many elements or bytes. It is
// empty if a size is negative.
std::string_view OverflowSentence(std::span<const int64_t> dims) {
  std::optional<int64_t> elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0) return "";
    if (elements) elements = CheckedMultiply(*elements, dim);
  }
  return elements ? "byte size overflow for input"
                  : "the shape causes total element count to exceed maximum size of "
                    "9223372036854775807";
}

}  // namespace

Status CheckParameterKey(std::string_view key) {
  if (!key.starts_with("triton_") || key == kFinalResponseParameter) return absl::OkStatus();
  return InvalidArgument("parameter `", Printable(key),
                         "`: parameter keys starting with 'triton_' are reserved for Triton usage "
                         "and should not be specified");
}

std::string_view DatatypeOf(DType dtype) {
  for (const Datatype& datatype : kDatatypes) {
    if (datatype.dtype == PartOf(dtype)) return datatype.name;
  }
  __builtin_unreachable();
}

std::optional<DType> LookupDatatype(std::string_view name) {
  for (const Datatype& datatype : kDatatypes) {
    if (datatype.name == name) return datatype.dtype;
  }
  return std::nullopt;
}

Dims InferDims(const Tensor& tensor) {
  auto dims = tensor.shape().dims();
  Dims out(dims.begin(), dims.end());
  if (IsComplex(tensor.dtype())) out.push_back(2);
  return out;
}

StatusOr<DType> FindDatatype(std::string_view name) {
  if (auto dtype = LookupDatatype(name)) return *dtype;
  std::string names;
  for (const Datatype& datatype : kDatatypes) {
    names.append(names.empty() ? "" : ", ").append(datatype.name);
  }
  return InvalidArgument("unknown datatype `", Printable(name), "`; datatypes: ", names);
}

Status CheckInferShape(DType dtype, std::span<const int64_t> dims, const Limits& limits) {
  if (dims.size() > static_cast<size_t>(limits.rank)) {
    return InvalidArgument("rank ", dims.size(), " exceeds the limit of ", limits.rank,
                           " (--max_rank)");
  }
  const size_t element_size = dtype == DType::kString ? sizeof(int64_t) : SizeOf(dtype);
  if (Status checked = CheckShape(dims, element_size); !checked.ok()) {
    const std::string_view sentence = OverflowSentence(dims);
    return sentence.empty() ? checked : At(sentence, std::move(checked));
  }
  const int64_t elements = Shape(dims).num_elements();
  if (elements <= limits.tensor_elements) return absl::OkStatus();
  return ResourceExhausted(elements, " elements; the limit is ", limits.tensor_elements,
                           " (--max_tensor_elements)");
}

Status CheckSharedMemory(std::optional<SharedMemoryPart>& part, bool is_permitted) {
  if (!part) return absl::OkStatus();
  if (part->region.empty()) {
    part.reset();
    return absl::OkStatus();
  }
  if (!is_permitted) {
    return InvalidArgument(
        "`shared_memory_region`: shared memory is not enabled; send the tensor in the request");
  }
  if (part->size > 0) return absl::OkStatus();
  return InvalidArgument("`shared_memory_region`: expected `shared_memory_byte_size` above 0");
}

Status CheckRequestedOutput(RequestedOutput& output, bool is_permitted) {
  if (output.classes < 0) {
    return InvalidArgument("`classification`: expected at least 0, found ", output.classes);
  }
  SIGNET_RETURN_IF_ERROR(CheckSharedMemory(output.shared_memory, is_permitted));
  if (!output.shared_memory) return absl::OkStatus();
  if (output.classes > 0) {
    return InvalidArgument("Output can't set both 'shared_memory_region' and 'classification'");
  }
  if (!output.is_binary.value_or(false)) return absl::OkStatus();
  return InvalidArgument("Output can't set both 'shared_memory_region' and 'binary_data'");
}

StatusOr<Tensor> TensorFromSharedMemory(DType dtype, Shape shape, const SharedMemoryPart& part,
                                        const SharedMemoryReader& read, const InputPlace& place) {
  SIGNET_RETURN_IF_ERROR(
      At("`shared_memory_byte_size`", CheckRawSize(dtype, shape, part.size, place)));
  SIGNET_ASSIGN_OR_RETURN(Buffer raw, read(part));
  return TensorFromRaw(dtype, std::move(shape), std::move(raw), place);
}

Status CheckRawSize(DType dtype, const Shape& shape, size_t size, const InputPlace& place) {
  if (dtype == DType::kString) return absl::OkStatus();
  const size_t expected = static_cast<size_t>(shape.num_elements()) * SizeOf(dtype);
  if (size == expected) return absl::OkStatus();
  return InvalidArgument("input byte size mismatch for ", TextOf(place), ". Expected ", expected,
                         ", got ", size, "; expected ", expected, " bytes for ", DatatypeOf(dtype),
                         shape.ToString());
}

StatusOr<Tensor> TensorFromRaw(DType dtype, Shape shape, Buffer raw, const InputPlace& place) {
  if (dtype == DType::kString) return StringsFromRaw(std::move(shape), raw, place);
  if (dtype == DType::kBool) SIGNET_RETURN_IF_ERROR(CheckBoolBytes(raw));
  return Tensor::Make(dtype, std::move(shape), std::move(raw));
}

size_t RawSizeOf(const Tensor& tensor) {
  if (!tensor.is_string()) return tensor.data().size();
  const auto offsets = tensor.offsets();
  return static_cast<size_t>(offsets.back() - offsets.front()) +
         static_cast<size_t>(tensor.num_elements()) * kLengthBytes;
}

StatusOr<Buffer> RawOfTensor(const Tensor& tensor) {
  if (!tensor.is_string()) return tensor.data();
  SIGNET_ASSIGN_OR_RETURN(Buffer out, Buffer::Allocate(RawSizeOf(tensor)));
  std::byte* at = out.mutable_data();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const std::string_view element = tensor.string_at(i);
    if (element.size() > UINT32_MAX) {
      return ResourceExhausted("element ", i, " of ", element.size(),
                               " bytes; the limit of the protocol is ", UINT32_MAX);
    }
    const auto length = static_cast<uint32_t>(element.size());
    std::memcpy(at, &length, sizeof length);
    at += sizeof length;
    if (!element.empty()) std::memcpy(at, element.data(), element.size());
    at += element.size();
  }
  return out;
}

StatusOr<Tensor> LargestElements(const Tensor& tensor, int64_t classes) {
  const bool has_rows = tensor.rank() > 1 && tensor.shape().dim(0) > 0;
  const int64_t rows = has_rows ? tensor.shape().dim(0) : 1;
  const int64_t columns = tensor.num_elements() / rows;
  const int64_t count = std::min(classes, columns);
  std::vector<std::string> texts;
  std::vector<double> row(static_cast<size_t>(columns));
  std::vector<int64_t> order(static_cast<size_t>(columns));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < columns; ++i) {
      SIGNET_ASSIGN_OR_RETURN(row[static_cast<size_t>(i)], ElementOf(tensor, r * columns + i));
    }
    std::iota(order.begin(), order.end(), 0);
    auto value = [&](int64_t i) { return row[static_cast<size_t>(i)]; };
    // NaN is below every number, so that the order is total.
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int64_t a, int64_t b) {
      const bool a_is_nan = value(a) != value(a);
      const bool b_is_nan = value(b) != value(b);
      if (a_is_nan || b_is_nan) return !a_is_nan && b_is_nan;
      return value(a) != value(b) ? value(a) > value(b) : a < b;
    });
    for (int64_t i = 0; i < count; ++i) {
      const int64_t index = order[static_cast<size_t>(i)];
      texts.push_back(std::to_string(value(index)) + ":" + std::to_string(index));
    }
  }
  std::vector<std::string_view> views(texts.begin(), texts.end());
  return Tensor::Strings(has_rows ? Shape{rows, count} : Shape{count}, views);
}

}  // namespace signet
