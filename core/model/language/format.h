// FormatSource: formats a file in the model language and keeps its comments.
//
//   def f( x :float32[]):     =>   def f(x: float32[]):
//     return x*2  # half               return x * 2  # half
//
// Blocks are indented by four spaces, tokens are separated as PrintModel separates them, texts are
// in double quotes, and two empty lines precede functions and classes. Line breaks inside brackets
// stay. The formatted text has the same meaning, and formatting it again does not change it.
// Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "signet/status.h"

namespace signet {

// Returns the formatted text, or the syntax errors of the text. `file` is the name in errors.
StatusOr<std::string> FormatSource(std::string_view text, std::string_view file = "model.signet");

}  // namespace signet
