#include "core/formats/json/json_tokens.h"

#include <simdjson.h>

#include "core/formats/json/json_numbers.h"

namespace signet {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // some editors begin a file with it

// Returns the first byte that is not UTF-8.
size_t FindNotUtf8(std::string_view text) {
  size_t begin = 0;  // everything before it is UTF-8
  size_t end = text.size();
  while (end - begin > 1) {
    size_t middle = begin + (end - begin) / 2;
    size_t cut = middle;  // between characters, if there are any
    while (cut > begin && middle - cut < 3 && (static_cast<uint8_t>(text[cut]) & 0xc0) == 0x80) {
      --cut;
    }
    if (cut == begin) return begin;
    (simdjson::validate_utf8(text.data() + begin, cut - begin) ? begin : end) = cut;
  }
  return begin;
}

// Returns the first bare control character in a string, or the beginning of a string without an
// end.
size_t FindTextFault(std::string_view json) {
  size_t start = 0;
  bool is_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (is_text && static_cast<uint8_t>(json[i]) < 0x20) return i;
    if (json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      is_text = !is_text;
      start = i;
    }
  }
  return start;
}

Status Malformed(simdjson::error_code error, std::string_view text) {
  auto at = [](size_t byte, std::string_view what) {
    return At(Cat("byte ", byte), InvalidArgument(what));
  };
  switch (error) {
    case simdjson::UTF8_ERROR:
      return at(FindNotUtf8(text), "text that is not UTF-8");
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: {
      size_t fault = FindTextFault(text);
      return at(fault, text[fault] == '"' ? "expected `\"` at the end of a text, found none"
                                          : "text contains an unescaped control character");
    }
    default:
      return at(text.size() - 1, "expected JSON, found other text");
  }
}

const uint8_t* BytesOf(const char* text) { return reinterpret_cast<const uint8_t*>(text); }

}  // namespace

JsonText::JsonText(std::string_view text) : text_(text) {}
JsonText::JsonText(JsonText&&) noexcept = default;
JsonText::~JsonText() = default;

StatusOr<JsonText> JsonText::Make(std::string_view text) {
  constexpr size_t kDepth = 1;  // of parser stages that are not used
  JsonText out(text);
  const size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const size_t size = text.size() - begin;
  if (size == 0) return out;
  // The fallback of simdjson reads past the end if the last byte announces more bytes.
  if (static_cast<uint8_t>(text.back()) >= 0x80) {
    bool is_utf8 = simdjson::validate_utf8(text.data(), text.size());
    return Malformed(is_utf8 ? simdjson::TAPE_ERROR : simdjson::UTF8_ERROR, text);
  }
  auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(size, kDepth,
                                                                                       out.index_);
  if (error) return ResourceExhausted("no memory to read ", size, " bytes of JSON");
  error = out.index_->stage1(BytesOf(text.data() + begin), size, simdjson::stage1_mode::regular);
  if (error && error != simdjson::EMPTY) return Malformed(error, text);
  for (uint32_t i = 0; begin > 0 && i < out.index_->n_structural_indexes; ++i) {
    out.index_->structural_indexes[i] += static_cast<uint32_t>(begin);
  }
  return out;
}

JsonTokens JsonText::tokens() const {
  JsonTokens out;
  out.text_ = text_.data();
  out.size_ = text_.size();
  if (index_ == nullptr) return out;
  out.next_ = index_->structural_indexes.get();
  out.end_ = out.next_ + index_->n_structural_indexes;
  out.simdjson_ = index_.get();
  return out;
}

std::string_view JsonTokens::TakeScalar() {
  const char* begin = text_ + *next_++;
  const char* end = begin + 1;
  const char* stop = text_ + at();
  while (end < stop && !json::IsSpace(*end)) ++end;
  return {begin, static_cast<size_t>(end - begin)};
}

bool JsonTokens::Unescape(std::string_view text, std::string& memory) const {
  // simdjson reads and writes past the end.
  std::string padded;
  padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  padded.append(text).append(1, '"').resize(text.size() + simdjson::SIMDJSON_PADDING);
  memory.resize(text.size() + simdjson::SIMDJSON_PADDING);
  auto* begin = reinterpret_cast<uint8_t*>(memory.data());
  const uint8_t* end = simdjson_->parse_string(BytesOf(padded.data()), begin);
  if (end == nullptr) return false;
  memory.resize(static_cast<size_t>(end - begin));
  return true;
}

bool JsonTokens::SkipValid(int max_depth) {
  std::string open;  // the closing brackets, the innermost last
  std::string memory;
  auto take_text = [&] {
    if (Peek() != '"') return false;
    std::string_view text = TakeText();
    return !HasEscape(text) || Unescape(text, memory);
  };
  auto take_key = [&] { return take_text() && Take(':'); };
  for (;;) {
    const char first = Peek();
    bool is_open = first == '[' || first == '{';
    if (is_open) {
      const char close = first == '[' ? ']' : '}';
      Pass();
      if (Take(close)) {
        is_open = false;
      } else {
        open.push_back(close);
        if (static_cast<int>(open.size()) > max_depth) return false;
        if (close == '}' && !take_key()) return false;
      }
    } else if (first == '"') {
      if (!take_text()) return false;
    } else {
      if (AtEnd() || first == ']' || first == '}' || first == ',' || first == ':') return false;
      std::string_view token = TakeScalar();
      bool is_word = token == "true" || token == "false" || token == "null";
      if (!is_word && !json::FormOf(token).is_number) return false;
    }
    if (is_open) continue;
    while (!open.empty() && Take(open.back())) open.pop_back();
    if (open.empty()) return true;
    if (!Take(',') || (open.back() == '}' && !take_key())) return false;
  }
}

}  // namespace signet
