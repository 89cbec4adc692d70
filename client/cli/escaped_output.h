// EscapedOutput: escapes control characters in everything that the command line prints.
//
// Documentation of models, errors, and results come from servers and files that the user may not
// trust. Their control characters could clear a terminal, change its title, or forge lines. While
// an EscapedOutput exists, std::cout and std::cerr write each control character except `\n` and
// `\t` as an escape sequence of JSON: ESC becomes `\u001b`. These are U+0000 to U+001F, U+007F, and
// U+0080 to U+009F. In text that is JSON, its meaning does not change.
//
// Not thread-safe.

#pragma once

#include <iosfwd>
#include <memory>
#include <string_view>

namespace signet {

class EscapedOutput {
 public:
  EscapedOutput();
  ~EscapedOutput();
  EscapedOutput(const EscapedOutput&) = delete;
  EscapedOutput& operator=(const EscapedOutput&) = delete;

 private:
  class Buffer;

  friend void WriteControls(std::ostream& out, std::string_view controls);

  std::unique_ptr<Buffer> out_;
  std::unique_ptr<Buffer> err_;
};

// Writes control characters of the command line itself, such as those that clear a line.
void WriteControls(std::ostream& out, std::string_view controls);

}  // namespace signet
