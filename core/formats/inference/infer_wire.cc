#include "core/formats/inference/infer_wire.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/formats/signet_wire/wire_cursor.h"
#include "core/formats/signet_wire/wire_type_reader.h"

namespace signet {
namespace {

using wire::Extent;
using wire::WireCursor;
using wire::WireSource;
using wire::WireTag;
using enum wire::WireType;

// The fields of the messages, as proto/inference/inference.proto numbers them.
enum RequestField {
  kModelName = 1,
  kModelVersion,
  kId,
  kParameters,
  kInputs,
  kOutputs,
  kRawInputs
};
enum TensorField { kName = 1, kDatatype, kShape, kTensorParameters, kContents };
enum ContentsField {
  kBools = 1,
  kInt32s,
  kInt64s,
  kUint32s,
  kUint64s,
  kFloats,
  kDoubles,
  kStrings
};

// A value of a parameter, as far as Signet reads it.
struct ParameterValue {
  std::optional<bool> flag;
  bool is_integer = false;
  std::optional<uint64_t> number;  // an integer that is not negative
  std::optional<std::string> text;
};

struct InputFields {
  std::string name;
  std::string datatype;
  Dims dims;
  std::optional<WireCursor> contents;
  bool is_json = false;
  std::optional<SharedMemoryPart> shared_memory;
};

ParameterValue ReadParameterValue(WireCursor cursor) {
  ParameterValue out;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(1, kVarint):
        out.flag = cursor.Varint() != 0;
        break;
      case WireTag(2, kVarint):
        out.is_integer = true;
        if (const int64_t value = cursor.Int64(); value >= 0) {
          out.number = static_cast<uint64_t>(value);
        }
        break;
      case WireTag(3, kBytes):
        out.text = cursor.String();
        break;
      case WireTag(5, kVarint):
        out.is_integer = true;
        out.number = cursor.Varint();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  return out;
}

// Reads an entry of a map of parameters, and calls `use(key, value)`.
template <class Use>
Status ReadParameter(WireSource& source, WireCursor cursor, Use use) {
  SIGNET_RETURN_IF_ERROR(source.allowance().TakeNames());
  std::string key;
  ParameterValue value;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(1, kBytes):
        key = cursor.Text();
        break;
      case WireTag(2, kBytes):
        value = ReadParameterValue(cursor.Enter());
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  return use(std::string_view(key), value);
}

Status WrongParameter(std::string_view key, std::string_view expected) {
  return InvalidArgument("parameter `", key, "`: expected ", expected);
}

Status UseRequestParameter(std::string_view key, const ParameterValue& value,
                           InferParameters& out) {
  if (key == "function" && value.text) {
    out.function = *value.text;
  } else if (key == "timeout") {
    if (!value.number) return WrongParameter(key, "microseconds");
    out.timeout_us = value.number;
  } else if (key == "priority") {
    if (!value.number) return WrongParameter(key, "a whole number of at least 0");
    out.priority = value.number;
  } else if (key == "sequence_id") {
    if (!value.is_integer && !value.text) return WrongParameter(key, "a whole number or a string");
  } else if (key == "sequence_start" || key == "sequence_end" || key == kFinalResponseParameter) {
    if (!value.flag) return WrongParameter(key, "`bool_param`");
  }
  return CheckParameterKey(key);
}

// Reads a parameter of an input or output that names shared memory; ignores other parameters.
Status UseSharedMemory(std::string_view key, const ParameterValue& value,
                       std::optional<SharedMemoryPart>& out) {
  if (!key.starts_with("shared_memory_")) return absl::OkStatus();
  if (!out) out.emplace();
  if (key == "shared_memory_region") {
    if (!value.text) return WrongParameter(key, "a string");
    out->region = *value.text;
  } else if (key == "shared_memory_offset" || key == "shared_memory_byte_size") {
    if (!value.number) return WrongParameter(key, "a whole number of at least 0");
    (key == "shared_memory_offset" ? out->offset : out->size) = *value.number;
  }
  return absl::OkStatus();
}

StatusOr<InputFields> ReadInputFields(WireSource& source, WireCursor cursor) {
  SIGNET_RETURN_IF_ERROR(source.allowance().TakeNames());
  InputFields fields;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(kName, kBytes):
        fields.name = cursor.Text();
        break;
      case WireTag(kDatatype, kBytes):
        fields.datatype = cursor.Text();
        break;
      case WireTag(kShape, kVarint):
      case WireTag(kShape, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadDims(source, tag, cursor, fields.dims));
        break;
      case WireTag(kTensorParameters, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadParameter(
            source, cursor.Enter(), [&](std::string_view key, const ParameterValue& value) {
              fields.is_json |= key == "content_type" && value.text == "application/json";
              return UseSharedMemory(key, value, fields.shared_memory);
            }));
        break;
      case WireTag(kContents, kBytes):
        fields.contents = cursor.Enter();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  return fields;
}

StatusOr<RequestedOutput> ReadOutput(WireSource& source, WireCursor cursor) {
  SIGNET_RETURN_IF_ERROR(source.allowance().TakeNames());
  RequestedOutput out;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(1, kBytes):
        out.name = cursor.Text();
        break;
      case WireTag(2, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadParameter(
            source, cursor.Enter(), [&](std::string_view key, const ParameterValue& value) {
              if (key == "classification") {
                if (!value.number) return WrongParameter(key, "a whole number of at least 0");
                out.classes = static_cast<int64_t>(std::min<uint64_t>(*value.number, INT32_MAX));
              }
              return UseSharedMemory(key, value, out.shared_memory);
            }));
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  return out;
}

// --- typed contents ------------------------------------------------------------------------------

// The field of the contents in which elements of a dtype travel.
struct TypedField {
  int field = 0;
  std::string_view name;
};

TypedField TypedFieldOf(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return {kBools, "bool_contents"};
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
      return {kInt32s, "int_contents"};
    case DType::kInt64:
      return {kInt64s, "int64_contents"};
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
      return {kUint32s, "uint_contents"};
    case DType::kUInt64:
      return {kUint64s, "uint64_contents"};
    case DType::kFloat32:
      return {kFloats, "fp32_contents"};
    case DType::kFloat64:
      return {kDoubles, "fp64_contents"};
    case DType::kString:
      return {kStrings, "bytes_contents"};
    default:
      return {};
  }
}

template <class T>
T ReadElement(WireCursor& cursor) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(cursor.Fixed32());
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(cursor.Fixed64());
  } else {
    return static_cast<T>(cursor.Varint());
  }
}

// Skips a field of the contents that is not `typed`. Fields of the contents are rejected, because
// it would not be known which elements are meant.
Status SkipOtherField(WireCursor& cursor, uint32_t tag, const TypedField& typed) {
  constexpr int kTypeBits = 3;
  const auto field = static_cast<int>(tag >> kTypeBits);
  if (field < kBools || field > kStrings) {
    cursor.Skip(tag);
    return absl::OkStatus();
  }
  return InvalidArgument("expected elements in `", typed.name,
                         "` only, found elements in another field of `contents`");
}

// Reads the elements of one field of the contents. `Wide` is the type in the message.
template <class T, class Wide>
Status ReadElements(WireSource& source, WireCursor cursor, const TypedField& typed, Tensor& out) {
  constexpr wire::WireType kScalar = std::is_same_v<Wide, float>    ? kFixed32
                                     : std::is_same_v<Wide, double> ? kFixed64
                                                                    : kVarint;
  T* to = out.mutable_elements<T>();
  const auto n = static_cast<size_t>(out.num_elements());
  size_t count = 0;
  auto add = [&](WireCursor& from) -> Status {
    const Wide value = ReadElement<Wide>(from);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (!std::in_range<T>(value)) {
        return OutOfRange("element ", count, ": ", value, " is out of range for ",
                          DatatypeOf(out.dtype()));
      }
    }
    if (count < n) to[count] = static_cast<T>(value);
    ++count;
    return absl::OkStatus();
  };
  while (uint32_t tag = cursor.NextTag()) {
    if (tag == WireTag(typed.field, kBytes)) {
      WireCursor packed = cursor.Enter();
      while (!packed.AtEnd() && source.ok()) SIGNET_RETURN_IF_ERROR(add(packed));
    } else if (tag == WireTag(typed.field, kScalar)) {
      SIGNET_RETURN_IF_ERROR(add(cursor));
    } else {
      SIGNET_RETURN_IF_ERROR(SkipOtherField(cursor, tag, typed));
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (count == n) return absl::OkStatus();
  return InvalidArgument("expected ", n, " elements in `", typed.name, "`, found ", count);
}

StatusOr<Tensor> ReadStrings(WireSource& source, WireCursor cursor, const TypedField& typed,
                             Shape shape) {
  const auto n = static_cast<size_t>(shape.num_elements());
  const uint32_t strings_tag = WireTag(typed.field, kBytes);
  size_t count = 0;
  size_t size = 0;
  for (WireCursor counting = cursor; uint32_t tag = counting.NextTag();) {
    if (tag != strings_tag) {
      SIGNET_RETURN_IF_ERROR(SkipOtherField(counting, tag, typed));
      continue;
    }
    ++count;
    size += counting.Bytes().size;
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (count != n) {
    return InvalidArgument("expected ", n, " elements in `", typed.name, "`, found ", count);
  }
  SIGNET_RETURN_IF_ERROR(source.allowance().TakeBytes((n + 1) * sizeof(int64_t) + size));
  SIGNET_ASSIGN_OR_RETURN(Buffer offsets, Buffer::Allocate((n + 1) * sizeof(int64_t)));
  SIGNET_ASSIGN_OR_RETURN(Buffer bytes, Buffer::Allocate(size));
  auto* offset = reinterpret_cast<int64_t*>(offsets.mutable_data());
  size_t filled = 0;
  *offset++ = 0;
  while (uint32_t tag = cursor.NextTag()) {
    if (tag != strings_tag) {
      cursor.Skip(tag);
      continue;
    }
    const Extent extent = cursor.Bytes();
    source.Copy(extent, bytes.mutable_data() + filled);
    filled += extent.size;
    *offset++ = static_cast<int64_t>(filled);
  }
  return Tensor::Trusted(DType::kString, std::move(shape), std::move(offsets), std::move(bytes));
}

StatusOr<Tensor> ReadTyped(WireSource& source, WireCursor cursor, DType dtype, Shape shape) {
  const TypedField typed = TypedFieldOf(dtype);
  if (typed.field == 0) {
    return InvalidArgument("elements of ", DatatypeOf(dtype),
                           " are sent in `raw_input_contents`, found `contents`");
  }
  if (dtype == DType::kString) return ReadStrings(source, cursor, typed, std::move(shape));
  // An element is at least one byte of the message, so that the shape is bounded by the message.
  const auto n = static_cast<size_t>(shape.num_elements());
  if (n > cursor.remaining()) {
    return InvalidArgument("expected ", n, " elements in `", typed.name, "`, found ",
                           cursor.remaining(), " bytes");
  }
  SIGNET_RETURN_IF_ERROR(source.allowance().TakeBytes(n * SizeOf(dtype)));
  SIGNET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, std::move(shape)));
  Status read;
  switch (dtype) {
    case DType::kBool:
      read = ReadElements<bool, uint64_t>(source, cursor, typed, out);
      break;
    case DType::kInt8:
      read = ReadElements<int8_t, int32_t>(source, cursor, typed, out);
      break;
    case DType::kInt16:
      read = ReadElements<int16_t, int32_t>(source, cursor, typed, out);
      break;
    case DType::kInt32:
      read = ReadElements<int32_t, int32_t>(source, cursor, typed, out);
      break;
    case DType::kInt64:
      read = ReadElements<int64_t, int64_t>(source, cursor, typed, out);
      break;
    case DType::kUInt8:
      read = ReadElements<uint8_t, uint32_t>(source, cursor, typed, out);
      break;
    case DType::kUInt16:
      read = ReadElements<uint16_t, uint32_t>(source, cursor, typed, out);
      break;
    case DType::kUInt32:
      read = ReadElements<uint32_t, uint32_t>(source, cursor, typed, out);
      break;
    case DType::kUInt64:
      read = ReadElements<uint64_t, uint64_t>(source, cursor, typed, out);
      break;
    case DType::kFloat32:
      read = ReadElements<float, float>(source, cursor, typed, out);
      break;
    case DType::kFloat64:
      read = ReadElements<double, double>(source, cursor, typed, out);
      break;
    default:
      return Internal("no typed contents for this dtype");
  }
  SIGNET_RETURN_IF_ERROR(read);
  return out;
}

bool IsEmpty(WireCursor contents) { return contents.AtEnd(); }

StatusOr<Tensor> ReadRaw(WireSource& source, const Extent& extent, DType dtype, Shape shape,
                         const InputPlace& place) {
  const size_t alignment = dtype == DType::kString ? 1 : SizeOf(dtype);
  SIGNET_RETURN_IF_ERROR(CheckRawSize(dtype, shape, extent.size, place));
  if (dtype == DType::kString) {
    SIGNET_RETURN_IF_ERROR(source.allowance().TakeBytes(
        (static_cast<size_t>(shape.num_elements()) + 1) * sizeof(int64_t)));
  }
  SIGNET_ASSIGN_OR_RETURN(Buffer raw, source.Take(extent, alignment));
  return TensorFromRaw(dtype, std::move(shape), std::move(raw), place);
}

StatusOr<NamedTensor> TensorOf(WireSource& source, InputFields fields, const Extent* raw,
                               const SharedMemoryReader& shared_memory, std::string_view model) {
  NamedTensor out{.name = std::move(fields.name), .is_json = fields.is_json};
  const InputPlace place{.input = out.name, .model = model};
  auto read = [&]() -> StatusOr<Tensor> {
    SIGNET_ASSIGN_OR_RETURN(DType dtype, FindDatatype(fields.datatype));
    SIGNET_RETURN_IF_ERROR(CheckInferShape(dtype, fields.dims, source.allowance().limits()));
    Shape shape{std::span<const int64_t>(fields.dims)};
    if (const auto& part = fields.shared_memory) {
      if (fields.contents && !IsEmpty(*fields.contents)) {
        return InvalidArgument("expected `contents` or `shared_memory_region`, found both");
      }
      SIGNET_RETURN_IF_ERROR(source.allowance().TakeBytes(part->size));
      if (dtype == DType::kString) {
        SIGNET_RETURN_IF_ERROR(source.allowance().TakeBytes(
            (static_cast<size_t>(shape.num_elements()) + 1) * sizeof(int64_t)));
      }
      return TensorFromSharedMemory(dtype, std::move(shape), *part, shared_memory, place);
    }
    if (raw != nullptr) return ReadRaw(source, *raw, dtype, std::move(shape), place);
    if (!fields.contents) {
      if (shape.num_elements() > 0) {
        return InvalidArgument("expected `contents` or `raw_input_contents`");
      }
      return Tensor::Allocate(dtype, std::move(shape));
    }
    return ReadTyped(source, *fields.contents, dtype, std::move(shape));
  };
  auto tensor = read();
  if (!tensor.ok()) {
    return WithField(out.name, At(Cat("input `", Printable(out.name), "`"), tensor.status()));
  }
  out.tensor = *std::move(tensor);
  return out;
}

// --- responses -----------------------------------------------------------------------------------

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>((value & 127) | 128);
  out += static_cast<char>(value);
}

void AppendBytes(std::string& out, int field, std::string_view bytes) {
  AppendVarint(out, WireTag(field, kBytes));
  AppendVarint(out, bytes.size());
  out += bytes;
}

// Appends an entry of a map of parameters. `value` is a serialized InferParameter.
void AppendParameter(std::string& out, int field, std::string_view key, std::string_view value) {
  std::string entry;
  AppendBytes(entry, 1, key);
  AppendBytes(entry, 2, value);
  AppendBytes(out, field, entry);
}

void AppendSharedMemory(std::string& out, const SharedMemoryPart& part) {
  auto number = [](uint64_t value) {
    std::string text;
    AppendVarint(text, WireTag(2, kVarint));
    AppendVarint(text, value);
    return text;
  };
  std::string region;
  AppendBytes(region, 3, part.region);
  AppendParameter(out, kTensorParameters, "shared_memory_region", region);
  AppendParameter(out, kTensorParameters, "shared_memory_offset", number(part.offset));
  AppendParameter(out, kTensorParameters, "shared_memory_byte_size", number(part.size));
}

}  // namespace

StatusOr<InferRequest> ParseInferRequest(const wire::Message& message, const Limits& limits,
                                         const SharedMemoryReader& shared_memory) {
  WireSource source(message, limits);
  SIGNET_RETURN_IF_ERROR(source.status());
  InferRequest out;
  std::vector<InputFields> inputs;
  std::vector<Extent> raw;
  size_t num_sent = 0;  // inputs that are in the message, and not in shared memory
  WireCursor cursor(source);
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(kModelName, kBytes):
        out.model = cursor.Text();
        break;
      case WireTag(kModelVersion, kBytes):
        out.version = cursor.Text();
        break;
      case WireTag(kId, kBytes):
        out.id = cursor.Text(kMaxIdBytes);
        break;
      case WireTag(kParameters, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadParameter(
            source, cursor.Enter(), [&](std::string_view key, const ParameterValue& value) {
              return UseRequestParameter(key, value, out.parameters);
            }));
        break;
      case WireTag(kInputs, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(InputFields fields, ReadInputFields(source, cursor.Enter()));
        Status usable = CheckSharedMemory(fields.shared_memory, shared_memory != nullptr);
        if (!usable.ok()) return At(Cat("input `", Printable(fields.name), "`"), usable);
        if (!fields.shared_memory) ++num_sent;
        inputs.push_back(std::move(fields));
        break;
      }
      case WireTag(kOutputs, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(RequestedOutput output, ReadOutput(source, cursor.Enter()));
        Status usable = CheckRequestedOutput(output, shared_memory != nullptr);
        if (!usable.ok()) return At(Cat("output `", Printable(output.name), "`"), usable);
        out.outputs.push_back(std::move(output));
        break;
      }
      case WireTag(kRawInputs, kBytes):
        SIGNET_RETURN_IF_ERROR(source.allowance().TakeNames());
        raw.push_back(cursor.Bytes());
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (!raw.empty()) {
    if (raw.size() != num_sent) {
      return InvalidArgument("expected one element of `raw_input_contents` per input, found ",
                             raw.size(), " for ", num_sent, " inputs");
    }
    for (const InputFields& fields : inputs) {
      if (!fields.contents || IsEmpty(*fields.contents)) continue;
      return InvalidArgument(
          "contents field must not be specified when using "
          "raw_input_contents for '",
          Printable(fields.name), "' for model '", Printable(out.model), "'");
    }
  }
  out.inputs.reserve(inputs.size());
  const Extent* next = raw.data();
  for (InputFields& fields : inputs) {
    const bool is_raw = !raw.empty() && !fields.shared_memory;
    SIGNET_ASSIGN_OR_RETURN(
        NamedTensor tensor,
        TensorOf(source, std::move(fields), is_raw ? next++ : nullptr, shared_memory, out.model));
    out.inputs.push_back(std::move(tensor));
  }
  return out;
}

InferHead ParseInferHead(const wire::Message& message, const Limits& limits) {
  WireSource source(message, limits);
  WireCursor cursor(source);
  InferHead out;
  while (uint32_t tag = cursor.NextTag()) {
    if (tag == WireTag(kModelName, kBytes)) {
      out.model = cursor.Text();
    } else if (tag == WireTag(kId, kBytes)) {
      out.id = cursor.Text(kMaxIdBytes);
    } else if (tag > WireTag(kId, kBytes) && !out.model.empty()) {
      break;  // clients write the fields in order
    } else {
      cursor.Skip(tag);
    }
  }
  return out;
}

StatusOr<wire::Pieces> WriteInferResponse(const InferResponse& response) {
  std::string head;
  head.reserve(128 + 64 * response.outputs.size());
  if (!response.model.empty()) AppendBytes(head, 1, response.model);
  if (!response.version.empty()) AppendBytes(head, 2, response.version);
  if (!response.id.empty()) AppendBytes(head, 3, response.id);
  if (response.is_final_in_stream) {
    // {bool_param: true}
    AppendParameter(head, 4, "triton_final_response", std::string_view("\x08\x01", 2));
  }
  std::string part;
  std::string dims;
  for (const InferOutput& output : response.outputs) {
    const Tensor& tensor = output.tensor.tensor;
    part.clear();
    dims.clear();
    for (int64_t dim : InferDims(tensor)) AppendVarint(dims, static_cast<uint64_t>(dim));
    AppendBytes(part, kName, output.tensor.name);
    AppendBytes(part, kDatatype, DatatypeOf(tensor.dtype()));
    if (!dims.empty()) AppendBytes(part, kShape, dims);
    if (output.shared_memory) AppendSharedMemory(part, *output.shared_memory);
    AppendBytes(head, 5, part);
  }
  wire::Pieces pieces;
  for (const InferOutput& output : response.outputs) {
    // Clients find a tensor by the index of its output, so that each output has an element.
    Buffer raw;
    if (!output.shared_memory) {
      SIGNET_ASSIGN_OR_RETURN(raw, RawOfTensor(output.tensor.tensor));
    }
    AppendVarint(head, WireTag(6, kBytes));
    AppendVarint(head, raw.size());
    pieces.push_back(Buffer::Copy(std::exchange(head, std::string())));
    // A view is of memory that may disappear.
    pieces.push_back(raw.is_owned() ? std::move(raw) : Buffer::Copy(raw.bytes()));
  }
  if (!head.empty()) pieces.push_back(Buffer::Copy(head));
  return pieces;
}

StatusOr<wire::Pieces> WriteStreamInferResponse(const InferResponse& response) {
  SIGNET_ASSIGN_OR_RETURN(wire::Pieces pieces, WriteInferResponse(response));
  size_t size = 0;
  for (const Buffer& piece : pieces) size += piece.size();
  std::string head;
  AppendVarint(head, WireTag(2, kBytes));
  AppendVarint(head, size);
  pieces.insert(pieces.begin(), Buffer::Copy(head));
  return pieces;
}

}  // namespace signet
