// Utf8: checks and escapes text in UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates,
// and nothing above U+10FFFF.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace signet {

// Returns the number of bytes of the character at the start of `text`, 1 to 4, or 0 if `text` does
// not start with a character. `text` is not empty.
size_t Utf8Length(std::string_view text);

// Appends `byte` in the form `\xff`.
void AppendEscaped(char byte, std::string& out);

// Returns `text` with each byte that is not part of a character replaced by `\xff`.
std::string AsUtf8(std::string_view text);

}  // namespace signet
