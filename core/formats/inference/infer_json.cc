#include "core/formats/inference/infer_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/utf8.h"
#include "core/formats/common/allowance.h"
#include "core/formats/json/json_numbers.h"
#include "core/formats/json/json_tokens.h"
#include "core/formats/json/json_words.h"

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

// Reads the elements of `data` into memory of the size that the shape states.
class DataReader {
 public:
  DataReader(std::string_view text, JsonTokens tokens, int max_depth)
      : text_(text), tokens_(tokens), max_depth_(max_depth) {}

  StatusOr<Tensor> Read(DType dtype, Shape shape, Allowance& allowance) {
    const auto n = static_cast<size_t>(shape.num_elements());
    // An element is at least one byte of text and a comma.
    if (n > text_.size() / 2 + 1) return WrongCount(n, "fewer");
    if (dtype == DType::kString) return ReadStrings(std::move(shape), allowance);
    SIGNET_RETURN_IF_ERROR(allowance.TakeBytes(n * SizeOf(dtype)));
    SIGNET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, std::move(shape)));
    SIGNET_RETURN_IF_ERROR(VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (IsReadable<T>()) {
        T* to = out.mutable_elements<T>();
        return ReadElements(n, [&](size_t i) { return ReadElement(dtype, to[i]); });
      } else {
        return Internal("no datatype has this dtype");
      }
    }));
    return out;
  }

  size_t at() const { return tokens_.at(); }

 private:
  template <class T>
  static constexpr bool IsReadable() {
    return std::is_arithmetic_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
  }

  Status Malformed(std::string_view what) const {
    return InvalidArgument("byte ", tokens_.at(), ": expected ", what);
  }
  static Status WrongCount(size_t n, std::string_view found) {
    return InvalidArgument("`data`: expected ", n, " elements, as `shape` says, found ", found);
  }

  // Calls `read(index)` for each element of lists with any nesting.
  template <class ReadOne>
  Status ReadElements(size_t n, ReadOne read) {
    size_t count = 0;
    if (tokens_.Peek() != '[') {  // a scalar
      if (n != 1) return Malformed("a list");
      return read(size_t{0});
    }
    int depth = 0;
    bool expects_value = true;
    bool is_after_open = false;
    do {
      const char next = tokens_.Peek();
      if (next == '[') {
        if (!expects_value) return Malformed("`,` or `]`");
        if (++depth > max_depth_) return Malformed("fewer nested lists");
        tokens_.Pass();
        is_after_open = true;
      } else if (next == ']') {
        if (expects_value && !is_after_open) return Malformed("an element");
        tokens_.Pass();
        --depth;
        expects_value = is_after_open = false;
      } else if (next == ',') {
        if (expects_value) return Malformed("an element");
        tokens_.Pass();
        expects_value = true;
        is_after_open = false;
      } else {
        if (!expects_value) return Malformed("`,` or `]`");
        if (tokens_.AtEnd()) return Malformed("an element");
        if (count == n) return WrongCount(n, "more");
        SIGNET_RETURN_IF_ERROR(read(count++));
        expects_value = is_after_open = false;
      }
    } while (depth > 0);
    return count == n ? absl::OkStatus() : WrongCount(n, Cat(count));
  }

  Status NotOf(DType dtype, std::string_view token) const {
    return InvalidArgument("byte ", tokens_.before(), ": expected a value of ", DatatypeOf(dtype),
                           ", found `", Printable(token), "`");
  }

  // Consumes a token. A quoted word is returned without its quotes.
  std::string_view TakeToken() {
    const char first = tokens_.Peek();
    if (first == '"') return tokens_.TakeText();
    if (first == '{' || first == '}' || first == ':') {
      const std::string_view token = text_.substr(tokens_.at(), 1);
      tokens_.Pass();
      return token;
    }
    return tokens_.TakeScalar();
  }

  template <class T>
  Status ReadElement(DType dtype, T& out) {
    const char* const end = text_.data() + text_.size();
    const char* const begin = text_.data() + tokens_.at();
    if constexpr (std::is_same_v<T, bool>) {
      const std::string_view token = TakeToken();
      out = token == "true" || token == "1";
      return out || token == "false" || token == "0" ? absl::OkStatus() : NotOf(dtype, token);
    } else if constexpr (std::is_integral_v<T>) {
      const bool is_text = tokens_.Peek() == '"';
      if (!is_text && json::ReadInteger(begin, end, out)) {
        tokens_.Pass();
        return absl::OkStatus();
      }
      const std::string_view token = TakeToken();
      if (is_text || !json::FormOf(token).is_number) return NotOf(dtype, token);
      // Both limits are exact: 0 or a power of two.
      const double number = json::ParseFloat(token);
      const double low = static_cast<double>(std::numeric_limits<T>::min());
      const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
      if (number != std::floor(number) || !(number >= low && number < high)) {
        return NotOf(dtype, token);
      }
      out = static_cast<T>(number);
      return absl::OkStatus();
    } else {
      double number = 0;
      const bool is_text = tokens_.Peek() == '"';
      if (!is_text && json::ReadDouble(begin, end, number)) {
        tokens_.Pass();
      } else {
        const std::string_view token = TakeToken();
        std::optional<double> word;
        if (auto quoted = QuotedFormOf(token)) word = FloatOfJsonWord(*quoted);
        if (!word) {
          if (is_text || !json::FormOf(token).is_number) return NotOf(dtype, token);
          word = json::ParseFloat(token);
          if (!std::isfinite(*word)) return NotOf(dtype, token);
        }
        number = *word;
      }
      if constexpr (std::is_floating_point_v<T>) {
        out = static_cast<T>(number);
        if (std::isinf(out) && std::isfinite(number)) return NotOf(dtype, Cat(number));
      } else if constexpr (std::is_same_v<T, Float16>) {
        out = ToFloat16(static_cast<float>(number));
      } else {
        out = ToBFloat16(static_cast<float>(number));
      }
      return absl::OkStatus();
    }
  }

  StatusOr<Tensor> ReadStrings(Shape shape, Allowance& allowance) {
    const auto n = static_cast<size_t>(shape.num_elements());
    SIGNET_RETURN_IF_ERROR(allowance.TakeBytes((n + 1) * sizeof(int64_t)));
    SIGNET_ASSIGN_OR_RETURN(Buffer offsets, Buffer::Allocate((n + 1) * sizeof(int64_t)));
    auto* offset = reinterpret_cast<int64_t*>(offsets.mutable_data());
    std::string bytes;
    std::string memory;
    offset[0] = 0;
    SIGNET_RETURN_IF_ERROR(ReadElements(n, [&](size_t i) -> Status {
      if (tokens_.Peek() != '"') return Malformed("a string, because the datatype is BYTES");
      const std::string_view raw = tokens_.TakeText();
      const bool has_escape = JsonTokens::HasEscape(raw);
      if (has_escape && !tokens_.Unescape(raw, memory)) return Malformed("a valid string");
      bytes.append(has_escape ? std::string_view(memory) : raw);
      offset[i + 1] = static_cast<int64_t>(bytes.size());
      return absl::OkStatus();
    }));
    SIGNET_RETURN_IF_ERROR(allowance.TakeBytes(bytes.size()));
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    auto span = std::as_bytes(std::span(*owner));
    return Tensor::Trusted(DType::kString, std::move(shape), std::move(offsets),
                           Buffer::Borrow(span, std::move(owner)));
  }

  std::string_view text_;
  JsonTokens tokens_;
  int max_depth_;
};

class RequestReader {
 public:
  RequestReader(std::string_view text, JsonTokens tokens, const Limits& limits,
                const SharedMemoryReader& shared_memory)
      : text_(text),
        tokens_(tokens),
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
      return InvalidArgument("unexpected additional input data: ", binary.size() - offset,
                             " bytes follow the raw tensors of ", offset, " bytes");
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
    const char first = tokens_.Peek();
    if (first != '-' && (first < '0' || first > '9')) return Malformed(Cat("a number for ", what));
    const std::string_view token = tokens_.TakeScalar();
    const json::NumberForm form = json::FormOf(token);
    if (form.is_integer) {
      auto number = json::ParseInteger(token);
      if (number && *number >= INT64_MIN && *number <= INT64_MAX) {
        out = static_cast<int64_t>(*number);
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
    int64_t number = 0;
    SIGNET_RETURN_IF_ERROR(ReadWhole(what, number));
    if (number < 0) return InvalidArgument(what, ": expected at least 0, found ", number);
    out = static_cast<uint64_t>(number);
    return absl::OkStatus();
  }

  Status ReadRequestParameters() {
    InferParameters& out = request_.parameters;
    return ReadObject("`parameters`", [&](std::string_view key) -> Status {
      if (key == "function" && tokens_.Peek() == '"') return ReadText("`function`", out.function);
      if (key == "binary_data_output") return ReadBool("`binary_data_output`", out.binary_output);
      if (key == "timeout") return ReadNotNegative("`timeout`", out.timeout_us.emplace());
      if (key == "priority") return ReadNotNegative("`priority`", out.priority.emplace());
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
          return ReadWhole("`shape`", input.dims.emplace_back());
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
    Status usable = CheckSharedMemory(output.shared_memory, shared_memory_ != nullptr);
    if (!usable.ok()) return At(Cat("output `", Printable(output.name), "`"), usable);
    request_.outputs.push_back(std::move(output));
    return absl::OkStatus();
  }

  StatusOr<Tensor> ReadTensor(const InputText& input, const Buffer& binary, size_t& offset) {
    if (!input.has_shape) return InvalidArgument("missing `shape`");
    SIGNET_ASSIGN_OR_RETURN(DType dtype, FindDatatype(input.datatype));
    SIGNET_RETURN_IF_ERROR(CheckInferShape(dtype, input.dims, limits_));
    Shape shape{std::span<const int64_t>(input.dims)};
    if (const auto& part = input.shared_memory) {
      if (input.data || input.binary_size) {
        return InvalidArgument(
            "expected the tensor in the request or in shared memory, found both");
      }
      SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(part->size));
      if (dtype == DType::kString) {
        SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(
            (static_cast<size_t>(shape.num_elements()) + 1) * sizeof(int64_t)));
      }
      return TensorFromSharedMemory(dtype, std::move(shape), *part, shared_memory_);
    }
    if (input.binary_size) {
      if (input.data) return InvalidArgument("expected `data` or `binary_data_size`, found both");
      return ReadBinary(*input.binary_size, dtype, std::move(shape), binary, offset);
    }
    if (!input.data) return InvalidArgument("missing `data`");
    DataReader reader(text_, *input.data, limits_.nesting_depth);
    return reader.Read(dtype, std::move(shape), allowance_);
  }

  StatusOr<Tensor> ReadBinary(uint64_t size, DType dtype, Shape shape, const Buffer& binary,
                              size_t& offset) {
    if (size > binary.size() - offset) {
      return InvalidArgument("`binary_data_size`: expected at most the ", binary.size() - offset,
                             " bytes that are left of the body, found ", size);
    }
    if (dtype != DType::kString) {
      const size_t expected = static_cast<size_t>(shape.num_elements()) * SizeOf(dtype);
      if (size != expected) {
        return InvalidArgument("expected ", expected, " bytes for ", DatatypeOf(dtype),
                               shape.ToString(), ", got ", size);
      }
    }
    SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(
        dtype == DType::kString
            ? (static_cast<size_t>(shape.num_elements()) + 1) * sizeof(int64_t) + size
            : size));
    Buffer raw = binary.Slice(offset, size);
    offset += size;
    return TensorFromRaw(dtype, std::move(shape), std::move(raw));
  }

  static constexpr size_t kMaxComparedKeys = 16;  // the keys with a meaning come first, if at all

  std::string_view text_;
  JsonTokens tokens_;
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
    return InvalidArgument("header ", kLengthHeader, ": expected a number of bytes, found `",
                           Printable(text), "`");
  }
  if (length > body) {
    return InvalidArgument("header ", kLengthHeader, ": expected at most the ", body,
                           " bytes of the body, found ", length);
  }
  return static_cast<size_t>(length);
}

// --- writing -------------------------------------------------------------------------------------

template <class Number>
void AppendNumber(Number number, std::string& out) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, number).ptr;
  out.append(text, end);
}

template <class Float>
void AppendFloat(Float number, std::string& out) {
  if (std::isnan(number)) {
    out += "\"NaN\"";
  } else if (std::isinf(number)) {
    out += number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    const size_t start = out.size();
    AppendNumber(number, out);
    if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
  }
}

Status AppendElements(const Tensor& tensor, std::string& out) {
  out += '[';
  Status status;
  VisitDType(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = tensor.num_elements();
    if constexpr (std::is_same_v<T, std::string_view>) {
      for (int64_t i = 0; i < n; ++i) {
        const std::string_view text = tensor.string_at(i);
        for (size_t at = 0; at < text.size();) {
          const size_t length = Utf8Length(text.substr(at));
          if (length == 0) {
            status = InvalidArgument("element ", i, " is not UTF-8, which JSON requires; request ",
                                     "the output with `binary_data`");
            return;
          }
          at += length;
        }
        if (i > 0) out += ',';
        AppendInferString(text, out);
      }
    } else {
      bool is_first = true;
      for (const T& element : tensor.elements<T>()) {
        if (!std::exchange(is_first, false)) out += ',';
        if constexpr (std::is_same_v<T, bool>) {
          out += element ? "true" : "false";
        } else if constexpr (std::is_integral_v<T>) {
          AppendNumber(element, out);
        } else if constexpr (std::is_floating_point_v<T>) {
          AppendFloat(element, out);
        } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
          AppendFloat(ToFloat(element), out);
        } else {
          AppendFloat(element.real(), out);
          out += ',';
          AppendFloat(element.imag(), out);
        }
      }
    }
  });
  out += ']';
  return status;
}

Buffer BufferOf(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  auto bytes = std::as_bytes(std::span(*owner));
  return Buffer::Borrow(bytes, std::move(owner));
}

}  // namespace

StatusOr<InferRequest> ParseInferJson(const Buffer& body, std::string_view header_length,
                                      const Limits& limits,
                                      const SharedMemoryReader& shared_memory) {
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
  return RequestReader(text, json->tokens(), limits, shared_memory)
      .Read(body.Slice(size, body.size() - size));
}

void AppendInferString(std::string_view text, std::string& out) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kHex[] = "0123456789abcdef";
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  out += '"';
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
      AppendNumber(dims[i], text);
    }
    text += ']';
    if (const auto& part = output.shared_memory) {
      text += ",\"parameters\":{\"shared_memory_region\":";
      AppendInferString(part->region, text);
      text += ",\"shared_memory_offset\":";
      AppendNumber(part->offset, text);
      text += ",\"shared_memory_byte_size\":";
      AppendNumber(part->size, text);
      text += "}}";
    } else if (output.is_binary) {
      SIGNET_ASSIGN_OR_RETURN(Buffer raw, RawOfTensor(tensor));
      text += ",\"parameters\":{\"binary_data_size\":";
      AppendNumber(raw.size(), text);
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
      Status written = AppendElements(tensor, text);
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
