#include "core/serving/tensorflow/body_members.h"

#include <utility>

#include "core/formats/json/json_words.h"
#include "core/formats/tensorflow/proto_pieces.h"

namespace signet::tf {

bool IsBase64Object(JsonTokens tokens) {
  if (!tokens.Take('{') || !tokens.TakeText("b64") || !tokens.Take(':')) return false;
  if (tokens.Peek() != '"') return false;
  tokens.Pass();
  return tokens.Peek() == '}';
}

namespace {

struct EscapedWord {
  std::string_view word, text;
};
constexpr EscapedWord kEscapedWords[] = {
    {"NaN", "\\u004eaN"}, {"Infinity", "\\u0049nfinity"}, {"-Infinity", "-\\u0049nfinity"}};

}  // namespace

std::optional<double> FloatOfEscapedWord(std::string_view text) {
  for (const EscapedWord& escaped : kEscapedWords) {
    if (text == escaped.text) return FloatOfJsonWord(escaped.word);
  }
  return std::nullopt;
}

StatusOr<Buffer> QuoteNumberWords(const Buffer& body, NumberWords form) {
  const std::string_view text = body.text();
  if (text.find("NaN") == text.npos && text.find("Inf") == text.npos) return body;
  SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(text));
  JsonTokens tokens = json.tokens();
  std::string out;
  size_t copied = 0;
  while (!tokens.AtEnd()) {
    const char first = tokens.Peek();
    if (first != 'N' && first != 'I' && first != '-') {
      tokens.Pass();
      continue;
    }
    const size_t begin = tokens.at();
    const std::string_view word = tokens.TakeScalar();
    auto quoted = QuotedFormOf(word);
    if (!quoted) continue;
    for (const EscapedWord& escaped : kEscapedWords) {
      if (form == NumberWords::kEscaped && *quoted == escaped.word) quoted = escaped.text;
    }
    out += text.substr(copied, begin - copied);
    out += Cat("\"", *quoted, "\"");
    copied = begin + word.size();
  }
  if (copied == 0) return body;
  out += text.substr(copied);
  return BufferOf(std::move(out));
}

StatusOr<BodyMembers> BodyMembers::Parse(const Buffer& body, const Limits& limits,
                                         NumberWords form) {
  constexpr std::string_view kError = "JSON Parse error";
  if (body.text().find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return InvalidArgument(kError, ": The document is empty");
  }
  auto quoted = QuoteNumberWords(body, form);
  if (!quoted.ok()) return At(kError, quoted.status());
  auto json = JsonText::Make(quoted->text());
  if (!json.ok()) return At(kError, json.status());
  JsonTokens tokens = json->tokens();
  auto invalid_value = [&] {
    return InvalidArgument(kError, ": Invalid value at offset: ", tokens.at(),
                           "; expected JSON with at most ", limits.nesting_depth,
                           " nested lists and objects (--max_nesting_depth)");
  };
  if (!tokens.Take('{')) {
    if (!tokens.SkipValid(limits.nesting_depth) || !tokens.AtEnd()) return invalid_value();
    return InvalidArgument("JSON Value: Is not object");
  }
  BodyMembers out;
  if (!tokens.Take('}')) {
    do {
      if (tokens.Peek() != '"') return invalid_value();
      const std::string_view raw = tokens.TakeText();
      std::string key(raw);
      if (JsonTokens::HasEscape(raw) && !tokens.Unescape(raw, key)) return invalid_value();
      if (!tokens.Take(':')) return invalid_value();
      const size_t begin = tokens.at();
      if (!tokens.SkipValid(limits.nesting_depth)) return invalid_value();
      if (out.members_.size() == static_cast<size_t>(limits.names)) {
        return ResourceExhausted("expected at most ", limits.names, " keys (--max_names)");
      }
      if (out.Lookup(key) != nullptr)
        return InvalidArgument("duplicate key `", Printable(key), "`");
      out.members_.emplace_back(std::move(key), quoted->Slice(begin, tokens.at() - begin));
    } while (tokens.Take(','));
    if (!tokens.Take('}')) return invalid_value();
  }
  if (!tokens.AtEnd()) return invalid_value();
  if (const Buffer* signature = out.Lookup("signature_name")) {
    auto name = JsonText::Make(signature->text());
    if (!name.ok()) return At(kError, name.status());
    JsonTokens word = name->tokens();
    if (word.Peek() != '"') {
      return InvalidArgument("'signature_name' key must be a string value");
    }
    const std::string_view raw = word.TakeText();
    out.signature_ = raw;
    if (JsonTokens::HasEscape(raw) && !word.Unescape(raw, out.signature_)) return invalid_value();
  }
  return out;
}

const Buffer* BodyMembers::Lookup(std::string_view key) const {
  for (const auto& [name, text] : members_) {
    if (name == key) return &text;
  }
  return nullptr;
}

}  // namespace signet::tf
