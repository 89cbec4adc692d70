// UTF-8, as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace signet {

// The bytes of the character at the start of `text`, which is not empty: 1 to 4; 0: it has none.
size_t Utf8Length(std::string_view text);

// `byte` as `\xff`.
void AppendEscaped(char byte, std::string& out);

// `text`, where bytes of no character become `\xff`: fit for messages that hold text.
std::string AsUtf8(std::string_view text);

}  // namespace signet
