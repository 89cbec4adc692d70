// WrapLines: breaks and indents the lines of a printed model where a reader expects it. Stateless;
// thread-safe.

#pragma once

#include <string>
#include <string_view>

namespace signet {

inline constexpr size_t kLongestLine = 100;  // in bytes

// Returns `head` and the signature `(...)` or `(...) -> T`. If the line would be long, each
// parameter has a line of its own:
//   def f(
//       x: float32[?],
//       k = 3
//   ) -> float32[?]
std::string WrapSignature(std::string_view head, std::string_view signature);

// Returns `text` with line breaks after the commas between elements, so that lines are short. Lines
// after the first begin with four spaces. A text in quotation marks is not broken.
std::string WrapElements(std::string_view text);

// Returns `text` with `indent` spaces before each line that is not empty and not part of a text.
std::string Indented(std::string_view text, size_t indent);

// Returns the lines of a docstring, without indentation.
std::string PrintDoc(std::string_view doc);

}  // namespace signet
