// BodyMembers: the object that a request of TensorFlow Serving's REST API is. Immutable after it is
// parsed; thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/formats/json/json_tokens.h"
#include "signet/buffer.h"
#include "signet/status.h"

namespace signet::tf {

// Returns true if the next value is an object with the only key `b64`, which is a string.
bool IsBase64Object(JsonTokens tokens);

// The form of the strings that replace the bare words NaN, Infinity, and -Infinity.
enum class NumberWords : uint8_t {
  kPlain,    // "NaN"
  kEscaped,  // "\u004eaN", which tells the word from a string of the client
};

// Returns `body` with quotes around the words NaN, Infinity, and -Infinity, also spelled Inf, so
// that it is JSON.
StatusOr<Buffer> QuoteNumberWords(const Buffer& body, NumberWords form);

// Returns the number that the text of a string stands for, with its escapes, if it is a word that
// was replaced in the form kEscaped.
std::optional<double> FloatOfEscapedWord(std::string_view text);

// The members of the object. Their values are texts that share the buffer of the body, or of a copy
// in which the words of numbers are quoted.
class BodyMembers {
 public:
  // Errors start with `JSON Parse error`, as clients of TensorFlow Serving expect.
  static StatusOr<BodyMembers> Parse(const Buffer& body, const Limits& limits,
                                     NumberWords form = NumberWords::kPlain);

  // Returns the text of the member `key`, or null.
  const Buffer* Lookup(std::string_view key) const;
  const std::string& signature() const { return signature_; }  // signature_name

 private:
  std::vector<std::pair<std::string, Buffer>> members_;
  std::string signature_;
};

}  // namespace signet::tf
