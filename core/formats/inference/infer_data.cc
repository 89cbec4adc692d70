#include "core/formats/inference/infer_data.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/utf8.h"
#include "core/formats/inference/infer_message.h"
#include "core/formats/json/json_numbers.h"
#include "core/formats/json/json_words.h"

namespace signet {
namespace {

// Whether an element can be read from JSON.
template <class T>
constexpr bool kIsReadable =
    std::is_arithmetic_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// Reads the elements of `data` into memory of the size that the shape states.
class DataReader {
 public:
  DataReader(std::string_view text, JsonTokens tokens, int max_depth)
      : text_(text), tokens_(tokens), max_depth_(max_depth) {}

  StatusOr<Tensor> Read(DType dtype, Shape shape, Allowance& allowance);

 private:
  Status Malformed(std::string_view what) const {
    return InvalidArgument("byte ", tokens_.at(), ": expected ", what);
  }
  static Status WrongCount(size_t n, std::string_view found) {
    return InvalidArgument(
        "Unable to parse 'data': Shape does not match true shape of 'data' field; expected ", n,
        " elements, as `shape` says, found ", found);
  }

  // Calls `read(index)` for each element of a flat list, or of lists that are nested as the shape
  // says. A scalar may have no list.
  template <class ReadOne>
  Status ReadElements(std::span<const int64_t> dims, size_t n, ReadOne read) {
    if (tokens_.Peek() != '[') {
      if (n != 1) return Malformed("a list");
      return read(size_t{0});
    }
    JsonTokens inner = tokens_;
    inner.Pass();
    size_t count = 0;
    if (inner.Peek() == '[') return ReadNested(dims, 0, count, read);
    const auto length = static_cast<int64_t>(n);
    return ReadNested(std::span(&length, 1), 0, count, read);
  }

  // Reads the list of `axis`, whose elements are the next ones.
  template <class ReadOne>
  Status ReadNested(std::span<const int64_t> dims, size_t axis, size_t& count, ReadOne& read) {
    if (tokens_.Peek() != '[') return OtherNesting(axis);
    tokens_.Pass();
    if (axis == dims.size()) return OtherNesting(axis + 1);
    const bool is_last = axis + 1 == dims.size();
    for (int64_t i = 0; i < dims[axis]; ++i) {
      const char next = tokens_.Peek();
      if (next == ']') return OtherLength(axis, dims[axis], Cat(i));
      if (i > 0 && !tokens_.Take(',')) return Malformed("`,` or `]`");
      if (!is_last) {
        SIGNET_RETURN_IF_ERROR(ReadNested(dims, axis + 1, count, read));
        continue;
      }
      const char first = tokens_.Peek();
      if (first == '[') return OtherNesting(axis + 2);
      if (tokens_.AtEnd() || first == ',' || first == ']') return Malformed("an element");
      SIGNET_RETURN_IF_ERROR(read(count++));
    }
    if (tokens_.Take(']')) return absl::OkStatus();
    if (tokens_.Peek() == ',') return OtherLength(axis, dims[axis], "more");
    return Malformed("`,` or `]`");
  }

  static constexpr std::string_view kOtherShape =
      "Unable to parse 'data': Shape does not match true shape of 'data' field; ";

  static Status OtherLength(size_t axis, int64_t expected, std::string_view found) {
    return InvalidArgument(kOtherShape, "expected ", expected, " elements in dimension ", axis,
                           ", as `shape` says, found ", found);
  }

  // The next value is in another number of lists than the shape has dimensions. `depth` counts
  // those that were read.
  Status OtherNesting(size_t depth) const {
    JsonTokens next = tokens_;
    size_t more = 0;
    for (; next.Peek() == '['; next.Pass()) ++more;
    if (depth + more > static_cast<size_t>(max_depth_)) {
      return InvalidArgument("JSON nesting depth exceeds maximum allowed limit (", max_depth_,
                             ") of nested lists (--max_nesting_depth)");
    }
    return InvalidArgument(kOtherShape, "byte ", tokens_.at(),
                           ": expected one list, or lists that are nested as `shape` says");
  }

  Status NotOf(DType dtype, std::string_view token) const {
    return InvalidArgument("byte ", tokens_.before(), ": expected a value of ", DatatypeOf(dtype),
                           ", found `", Printable(token), "`; ", TypeSentence(dtype));
  }

  // Returns the sentence that clients compare, for an element of another type.
  static std::string_view TypeSentence(DType dtype) {
    switch (InfoOf(dtype).family) {
      case DTypeClass::kBool:
        return "attempt to access JSON non-boolean as boolean";
      case DTypeClass::kSignedInteger:
        return "attempt to access JSON non-signed-integer as signed-integer";
      case DTypeClass::kUnsignedInteger:
        return "attempt to access JSON non-unsigned-integer as unsigned-integer";
      case DTypeClass::kFloat:
      case DTypeClass::kComplex:
        return "attempt to access JSON non-number as double";
      case DTypeClass::kString:
        return "attempt to access JSON non-string as string";
    }
    __builtin_unreachable();
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
      const bool is_text = tokens_.Peek() == '"';
      const std::string_view token = TakeToken();
      out = token == "true" || token == "1";
      const bool is_valid = !is_text && (out || token == "false" || token == "0");
      return is_valid ? absl::OkStatus() : NotOf(dtype, token);
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
    SIGNET_RETURN_IF_ERROR(ReadElements(shape.dims(), n, [&](size_t i) -> Status {
      if (tokens_.Peek() != '"') {
        return Malformed(Cat("a string; ", TypeSentence(DType::kString)));
      }
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

// Outside the class, because Clang 14 does not instantiate the functions of a class whose
// functions visit types inside it.
StatusOr<Tensor> DataReader::Read(DType dtype, Shape shape, Allowance& allowance) {
  const auto n = static_cast<size_t>(shape.num_elements());
  // An element is at least one byte of text and a comma.
  if (n > text_.size() / 2 + 1) return WrongCount(n, "fewer");
  if (dtype == DType::kString) return ReadStrings(std::move(shape), allowance);
  SIGNET_RETURN_IF_ERROR(allowance.TakeBytes(n * SizeOf(dtype)));
  SIGNET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, std::move(shape)));
  SIGNET_RETURN_IF_ERROR(VisitDType(dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if constexpr (kIsReadable<T>) {
      T* to = out.mutable_elements<T>();
      return ReadElements(out.shape().dims(), n,
                          [&](size_t i) { return ReadElement(dtype, to[i]); });
    } else {
      return Internal("no datatype has this dtype");
    }
  }));
  return out;
}

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

}  // namespace

StatusOr<Tensor> ReadInferData(std::string_view text, JsonTokens tokens, DType dtype, Shape shape,
                               Allowance& allowance) {
  DataReader reader(text, tokens, allowance.limits().nesting_depth);
  return reader.Read(dtype, std::move(shape), allowance);
}

Status AppendInferData(const Tensor& tensor, std::string& out) {
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

}  // namespace signet
