#include "core/formats/inference/infer_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "core/formats/common/allowance.h"
#include "core/formats/inference/infer_data.h"
#include "core/formats/json/json_numbers.h"
#include "core/formats/json/json_tokens.h"

namespace signet {
namespace {

constexpr std::string_view kLengthHeader = "Inference-Header-Content-Length";
constexpr size_t kMaxNameBytes = 256;

// --- reading -------------------------------------------------------------------------------------

// One input, until its tensor can be read.
struct InputText {
  std::string name;
  std::string datatype;
  Dims dims;
  bool has_shape = false;
  std::optional<JsonTokens> data;
  std::optional<uint64_t> binary_size;
  bool is_json = false;
  std::optional<SharedMemoryPart> shared_memory;
};

class RequestReader {
 public:
  RequestReader(std::string_view text, JsonTokens tokens, std::string_view model,
                const Limits& limits, const SharedMemoryReader& shared_memory)
      : text_(text),
        tokens_(tokens),
        model_(model),
        limits_(limits),
        shared_memory_(shared_memory),
        allowance_(limits) {}

  // Reads the request. The raw tensors are in `binary`.
  StatusOr<InferRequest> Read(const Buffer& binary) {
    SIGNET_RETURN_IF_ERROR(ReadObject("the request", [&](std::string_view key) -> Status {
      if (TakeNull()) return absl::OkStatus();
      if (key == "id") return ReadId();
      if (key == "parameters") return ReadRequestParameters();
      if (key == "inputs") {
        return ReadList("`inputs`", [&] { return ReadInput(); });
      }
      if (key == "outputs") {
        return ReadList("`outputs`", [&] { return ReadOutput(); });
      }
      return SkipValue();
    }));
    if (!tokens_.AtEnd()) return Malformed("the end of the JSON");
    size_t offset = 0;
    for (InputText& input : inputs_) {
      NamedTensor tensor{.name = input.name, .is_json = input.is_json};
      auto read = ReadTensor(input, binary, offset);
      if (!read.ok()) {
        return WithField(input.name, At(Cat("input `", Printable(input.name), "`"), read.status()));
      }
      tensor.tensor = *std::move(read);
      request_.inputs.push_back(std::move(tensor));
    }
    if (offset != binary.size()) {
      return InvalidArgument("unexpected additional input data for model '", Printable(model_),
                             "'; ", binary.size() - offset, " bytes follow the raw tensors of ",
                             offset, " bytes");
    }
    return std::move(request_);
  }

 private:
  Status Malformed(std::string_view what) const {
    return InvalidArgument("failed to parse the request JSON buffer: byte ", tokens_.at(),
                           ": expected ", what);
  }

  Status SkipValue() {
    if (tokens_.SkipValid(limits_.nesting_depth)) return absl::OkStatus();
    return Malformed("a JSON value");
  }

  // Consumes the word null, which some clients write for what is absent.
  bool TakeNull() {
    if (tokens_.Peek() != 'n') return false;
    JsonTokens word = tokens_;
    if (word.TakeScalar() != "null") return false;
    tokens_ = word;
    return true;
  }

  // Calls `read(key)` for each key; `read` consumes the value.
  template <class ReadValue>
  Status ReadObject(std::string_view what, ReadValue read) {
    if (!tokens_.Take('{')) return Malformed(Cat("an object for ", what));
    if (tokens_.Take('}')) return absl::OkStatus();
    std::vector<std::string> keys;
    do {
      SIGNET_RETURN_IF_ERROR(allowance_.TakeNames());
      std::string key;
      SIGNET_RETURN_IF_ERROR(ReadText("a key", key));
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
        return InvalidArgument(what, ": duplicate key `", Printable(key), "`");
      }
      if (!tokens_.Take(':')) return Malformed("`:`");
      SIGNET_RETURN_IF_ERROR(read(std::string_view(key)));
      if (keys.size() < kMaxComparedKeys) keys.push_back(std::move(key));
    } while (tokens_.Take(','));
    return tokens_.Take('}') ? absl::OkStatus() : Malformed("`,` or `}`");
  }

  template <class ReadElement>
  Status ReadList(std::string_view what, ReadElement read) {
    if (!tokens_.Take('[')) return Malformed(Cat("a list for ", what));
    if (tokens_.Take(']')) return absl::OkStatus();
    do {
      SIGNET_RETURN_IF_ERROR(read());
    } while (tokens_.Take(','));
    return tokens_.Take(']') ? absl::OkStatus() : Malformed("`,` or `]`");
  }

  Status ReadText(std::string_view what, std::string& out) {
    if (tokens_.Peek() != '"') return Malformed(Cat("a string for ", what));
    const std::string_view raw = tokens_.TakeText();
    if (!JsonTokens::HasEscape(raw)) {
      out = raw;
      return absl::OkStatus();
    }
    return tokens_.Unescape(raw, out) ? absl::OkStatus() : Malformed("a valid string");
  }

  Status ReadName(std::string& out) {
    SIGNET_RETURN_IF_ERROR(ReadText("`name`", out));
    if (out.size() <= kMaxNameBytes) return absl::OkStatus();
    return InvalidArgument("`name`: expected at most ", kMaxNameBytes, " bytes, found ",
                           out.size());
  }

  Status ReadId() {
    SIGNET_RETURN_IF_ERROR(ReadText("`id`", request_.id));
    if (request_.id.size() <= kMaxIdBytes) return absl::OkStatus();
    return InvalidArgument("`id`: expected at most ", kMaxIdBytes, " bytes, found ",
                           request_.id.size());
  }

  Status ReadBool(std::string_view what, bool& out) {
    const char first = tokens_.Peek();
    const std::string_view token =
        first == 't' || first == 'f' ? tokens_.TakeScalar() : std::string_view();
    out = token == "true";
    return out || token == "false" ? absl::OkStatus() : Malformed(Cat("true or false for ", what));
  }

  // Reads a whole number, which may be written as `3.0`.
  Status ReadWhole(std::string_view what, int64_t& out) {
    absl::int128 number = 0;
    SIGNET_RETURN_IF_ERROR(ReadWhole(what, INT64_MAX, number));
    out = static_cast<int64_t>(number);
    return absl::OkStatus();
  }

  // Reads a whole number from -2^63 to `largest`.
  Status ReadWhole(std::string_view what, uint64_t largest, absl::int128& out) {
    const char first = tokens_.Peek();
    if (first != '-' && (first < '0' || first > '9')) return Malformed(Cat("a number for ", what));
    const std::string_view token = tokens_.TakeScalar();
    const json::NumberForm form = json::FormOf(token);
    if (form.is_integer) {
      auto number = json::ParseInteger(token);
      if (number && *number >= INT64_MIN && *number <= largest) {
        out = *number;
        return absl::OkStatus();
      }
    } else if (form.is_number) {
      const double number = json::ParseFloat(token);
      if (number == std::floor(number) && std::abs(number) < 0x1p62) {
        out = static_cast<int64_t>(number);
        return absl::OkStatus();
      }
    }
    return InvalidArgument(what, ": expected a whole number of 64 bits, found `", Printable(token),
                           "`");
  }

  Status ReadNotNegative(std::string_view what, uint64_t& out) {
    absl::int128 number = 0;
    SIGNET_RETURN_IF_ERROR(ReadWhole(what, UINT64_MAX, number));
    if (number < 0) {
      return InvalidArgument(what, ": expected at least 0, found ", static_cast<int64_t>(number));
    }
    out = static_cast<uint64_t>(number);
    return absl::OkStatus();
  }

  // A number of a sequence has 64 bits without a sign.
  Status ReadSequenceNumber() {
    const char first = tokens_.Peek();
    const std::string_view token =
        first >= '0' && first <= '9' ? tokens_.TakeScalar() : std::string_view();
    if (json::FormOf(token).is_integer && json::ParseInteger(token)) return absl::OkStatus();
    return Malformed("a string or a whole number of 64 bits for `sequence_id`");
  }

  Status ReadRequestParameters() {
    InferParameters& out = request_.parameters;
    return ReadObject("`parameters`", [&](std::string_view key) -> Status {
      if (key == "function" && tokens_.Peek() == '"') return ReadText("`function`", out.function);
      if (key == "binary_data_output") return ReadBool("`binary_data_output`", out.binary_output);
      if (key == "timeout") return ReadNotNegative("`timeout`", out.timeout_us.emplace());
      if (key == "priority") return ReadNotNegative("`priority`", out.priority.emplace());
      // Sequences have no state, but a value that clients of Triton cannot send is an error.
      bool is_bound = false;
      if (key == "sequence_start") return ReadBool("`sequence_start`", is_bound);
      if (key == "sequence_end") return ReadBool("`sequence_end`", is_bound);
      if (key == "sequence_id" && tokens_.Peek() != '"') {
        return ReadSequenceNumber();
      }
      SIGNET_RETURN_IF_ERROR(CheckParameterKey(key));
      return SkipValue();
    });
  }

  Status ReadInput() {
    InputText input;
    Status read = ReadObject("an input", [&](std::string_view key) -> Status {
      if (TakeNull()) return absl::OkStatus();
      if (key == "name") return ReadName(input.name);
      if (key == "datatype") return ReadText("`datatype`", input.datatype);
      if (key == "shape") {
        input.has_shape = true;
        return ReadList("`shape`", [&]() -> Status {
          SIGNET_RETURN_IF_ERROR(allowance_.CheckRank(input.dims.size() + 1));
          SIGNET_RETURN_IF_ERROR(ReadWhole("`shape`", input.dims.emplace_back()));
          if (input.dims.back() >= 0) return absl::OkStatus();
          return InvalidArgument(
              "Unable to parse 'shape': attempt to access JSON non-unsigned-integer as "
              "unsigned-integer; expected at least 0, found ",
              input.dims.back());
        });
      }
      if (key == "data") {
        input.data = tokens_;
        return tokens_.Skip() ? absl::OkStatus() : Malformed("a list for `data`");
      }
      if (key == "parameters") return ReadInputParameters(input);
      return SkipValue();
    });
    SIGNET_RETURN_IF_ERROR(read);
    if (input.name.empty()) return InvalidArgument("an input has no `name`");
    Status usable = CheckSharedMemory(input.shared_memory, shared_memory_ != nullptr);
    if (!usable.ok()) return At(Cat("input `", Printable(input.name), "`"), usable);
    inputs_.push_back(std::move(input));
    return absl::OkStatus();
  }

  Status ReadInputParameters(InputText& input) {
    return ReadObject("`parameters` of an input", [&](std::string_view key) -> Status {
      if (key == "binary_data_size") {
        return ReadNotNegative("`binary_data_size`", input.binary_size.emplace());
      }
      if (key == "content_type" && tokens_.Peek() == '"') {
        std::string type;
        SIGNET_RETURN_IF_ERROR(ReadText("`content_type`", type));
        input.is_json = type == "application/json";
        return absl::OkStatus();
      }
      return ReadSharedMemory(key, input.shared_memory);
    });
  }

  // Reads a parameter that names shared memory; skips the value of another.
  Status ReadSharedMemory(std::string_view key, std::optional<SharedMemoryPart>& out) {
    if (!key.starts_with("shared_memory_")) return SkipValue();
    if (!out) out.emplace();
    if (key == "shared_memory_region") return ReadText("`shared_memory_region`", out->region);
    if (key == "shared_memory_offset")
      return ReadNotNegative("`shared_memory_offset`", out->offset);
    if (key == "shared_memory_byte_size") {
      return ReadNotNegative("`shared_memory_byte_size`", out->size);
    }
    return SkipValue();
  }

  Status ReadOutput() {
    RequestedOutput output;
    SIGNET_RETURN_IF_ERROR(ReadObject("an output", [&](std::string_view key) -> Status {
      if (TakeNull()) return absl::OkStatus();
      if (key == "name") return ReadName(output.name);
      if (key != "parameters") return SkipValue();
      return ReadObject("`parameters` of an output", [&](std::string_view parameter) -> Status {
        if (parameter == "binary_data")
          return ReadBool("`binary_data`", output.is_binary.emplace());
        if (parameter == "classification") return ReadWhole("`classification`", output.classes);
        return ReadSharedMemory(parameter, output.shared_memory);
      });
    }));
    if (output.name.empty()) return InvalidArgument("an output has no `name`");
    Status usable = CheckRequestedOutput(output, shared_memory_ != nullptr);
    if (!usable.ok()) return At(Cat("output `", Printable(output.name), "`"), usable);
    request_.outputs.push_back(std::move(output));
    return absl::OkStatus();
  }

  // Checks that the elements are in exactly one place.
  static Status CheckOnePlace(const InputText& input) {
    std::string found;
    if (input.data) found += " 'data'";
    if (input.binary_size) found += " 'binary_data_size'";
    if (input.shared_memory) found += " 'shared_memory_region'";
    if (input.data.has_value() + input.binary_size.has_value() + input.shared_memory.has_value() ==
        1) {
      return absl::OkStatus();
    }
    return InvalidArgument(
        "Input must set only one of the following fields: 'data', 'binary_data_size' in "
        "'parameters', 'shared_memory_region' in 'parameters'. But ",
        found.empty() ? "no field is" : "", found.empty() ? " set" : "set", found);
  }

  StatusOr<Tensor> ReadTensor(const InputText& input, const Buffer& binary, size_t& offset) {
    if (!input.has_shape) return InvalidArgument("missing `shape`");
    SIGNET_RETURN_IF_ERROR(CheckOnePlace(input));
    SIGNET_ASSIGN_OR_RETURN(DType dtype, FindDatatype(input.datatype));
    SIGNET_RETURN_IF_ERROR(CheckInferShape(dtype, input.dims, limits_));
    Shape shape{std::span<const int64_t>(input.dims)};
    const InputPlace place{.input = input.name, .model = model_};
    if (const auto& part = input.shared_memory) {
      SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(part->size));
      if (dtype == DType::kString) {
        SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(
            (static_cast<size_t>(shape.num_elements()) + 1) * sizeof(int64_t)));
      }
      return TensorFromSharedMemory(dtype, std::move(shape), *part, shared_memory_, place);
    }
    if (input.binary_size) {
      return ReadBinary(*input.binary_size, dtype, std::move(shape), place, binary, offset);
    }
    return ReadInferData(text_, *input.data, dtype, std::move(shape), allowance_);
  }

  StatusOr<Tensor> ReadBinary(uint64_t size, DType dtype, Shape shape, const InputPlace& place,
                              const Buffer& binary, size_t& offset) {
    if (size > binary.size() - offset) {
      return InvalidArgument("unexpected size for input '", Printable(place.input), "', expecting ",
                             size - (binary.size() - offset), " additional bytes for model '",
                             Printable(model_), "'; `binary_data_size` is ", size);
    }
    SIGNET_RETURN_IF_ERROR(CheckRawSize(dtype, shape, size, place));
    SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(
        dtype == DType::kString
            ? (static_cast<size_t>(shape.num_elements()) + 1) * sizeof(int64_t) + size
            : size));
    Buffer raw = binary.Slice(offset, size);
    offset += size;
    return TensorFromRaw(dtype, std::move(shape), std::move(raw), place);
  }

  static constexpr size_t kMaxComparedKeys = 16;  // the keys with a meaning come first, if at all

  std::string_view text_;
  JsonTokens tokens_;
  std::string_view model_;
  const Limits& limits_;
  const SharedMemoryReader& shared_memory_;
  Allowance allowance_;
  InferRequest request_;
  std::vector<InputText> inputs_;
};

// Returns nothing if the header is absent.
StatusOr<std::optional<size_t>> ParseHeaderLength(std::string_view text, size_t body) {
  if (text.empty()) return std::nullopt;
  uint64_t length = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), length);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return InvalidArgument("header ", kLengthHeader,
                           ": inference header size should be in range (0, ", body,
                           "), got: ", Printable(text), "; expected a number of bytes");
  }
  if (length > body) {
    return InvalidArgument("header ", kLengthHeader,
                           ": inference header size should be in range (0, ", body,
                           "), got: ", length, "; the body has ", body, " bytes");
  }
  return static_cast<size_t>(length);
}

// --- writing -------------------------------------------------------------------------------------

Buffer BufferOf(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  auto bytes = std::as_bytes(std::span(*owner));
  return Buffer::Borrow(bytes, std::move(owner));
}

}  // namespace

StatusOr<InferRequest> ParseInferJson(const Buffer& body, std::string_view header_length,
                                      const Limits& limits, const SharedMemoryReader& shared_memory,
                                      std::string_view model) {
  SIGNET_ASSIGN_OR_RETURN(std::optional<size_t> length,
                          ParseHeaderLength(header_length, body.size()));
  if (length == size_t{0}) {
    const std::string_view whole = body.text();
    InferRequest request;
    request.parameters.binary_output = true;
    const int64_t offsets[] = {0, static_cast<int64_t>(whole.size())};
    request.inputs.push_back(
        {.tensor = Tensor::Trusted(DType::kString, Shape{},
                                   Buffer::Copy(std::as_bytes(std::span(offsets))), body),
         .is_raw = true});
    return request;
  }
  const size_t size = length.value_or(body.size());
  const std::string_view text = body.text().substr(0, size);
  auto json = JsonText::Make(text);
  if (!json.ok()) return At("failed to parse the request JSON buffer", json.status());
  return RequestReader(text, json->tokens(), model, limits, shared_memory)
      .Read(body.Slice(size, body.size() - size));
}

StatusOr<InferJson> WriteInferJson(const InferResponse& response, const Limits& limits) {
  const auto limit = static_cast<size_t>(limits.message_bytes);
  InferJson out;
  std::vector<Buffer> raws;
  size_t raw_bytes = 0;
  std::string text = "{\"model_name\":";
  AppendInferString(response.model, text);
  text += ",\"model_version\":";
  AppendInferString(response.version, text);
  if (!response.id.empty()) {
    text += ",\"id\":";
    AppendInferString(response.id, text);
  }
  text += ",\"outputs\":[";
  bool is_first = true;
  for (const InferOutput& output : response.outputs) {
    const Tensor& tensor = output.tensor.tensor;
    if (!std::exchange(is_first, false)) text += ',';
    text += "{\"name\":";
    AppendInferString(output.tensor.name, text);
    text.append(",\"datatype\":\"").append(DatatypeOf(tensor.dtype())).append("\",\"shape\":[");
    const Dims dims = InferDims(tensor);
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i > 0) text += ',';
      text += Cat(dims[i]);
    }
    text += ']';
    if (output.shared_memory) {
      // Clients expect `binary_data_size` in all parameters of an output.
      text += '}';
    } else if (output.is_binary) {
      SIGNET_ASSIGN_OR_RETURN(Buffer raw, RawOfTensor(tensor));
      text += ",\"parameters\":{\"binary_data_size\":";
      text += Cat(raw.size());
      text += "}}";
      raw_bytes += raw.size();
      raws.push_back(raw.is_owned() ? std::move(raw) : Buffer::Copy(raw.bytes()));
    } else {
      // A number is at least two bytes of text, so that a larger text is not built.
      if (static_cast<size_t>(tensor.num_elements()) > limit / 2) {
        return ResourceExhausted("the response exceeds the limit of ", limit,
                                 " bytes (--max_message_bytes)");
      }
      text += ",\"data\":";
      Status written = AppendInferData(tensor, text);
      if (!written.ok()) {
        return At(Cat("output `", Printable(output.tensor.name), "`"), std::move(written));
      }
      text += '}';
    }
    if (text.size() + raw_bytes > limit) {
      return ResourceExhausted("the response exceeds the limit of ", limit,
                               " bytes (--max_message_bytes)");
    }
  }
  text += "]}";
  if (!raws.empty()) out.header_length = text.size();
  out.body.push_back(BufferOf(std::move(text)));
  for (Buffer& raw : raws) out.body.push_back(std::move(raw));
  return out;
}

}  // namespace signet
