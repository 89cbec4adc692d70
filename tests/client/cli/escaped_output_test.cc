#include "client/cli/escaped_output.h"

#include <iostream>
#include <sstream>

#include <gtest/gtest.h>

namespace signet {
namespace {

// Replaces the buffer of std::cout by one whose text can be read.
class EscapedOutputTest : public testing::Test {
 protected:
  ~EscapedOutputTest() override { std::cout.rdbuf(before_); }

  std::stringbuf text_;

 private:
  std::streambuf* const before_ = std::cout.rdbuf(&text_);
};

TEST_F(EscapedOutputTest, EscapesControlCharacters) {
  {
    const EscapedOutput escaped;
    std::cout << "a\tb\n\x1b]0;title\x07\r\x7f" << '\b' << "\u009b2J caf\u00e9 \u4e2d"
              << std::flush;
  }
  EXPECT_EQ(text_.str(),
            "a\tb\n\\u001b]0;title\\u0007\\u000d\\u007f\\u0008\\u009b2J caf\u00e9 \u4e2d");
}

TEST_F(EscapedOutputTest, ReadsCharactersThatAreWrittenInPieces) {
  {
    const EscapedOutput escaped;
    for (char c : std::string("\u00a9 \u009b\u00c2\xc2")) std::cout << c;
  }
  EXPECT_EQ(text_.str(), "\u00a9 \\u009b\u00c2\xc2");
}

TEST_F(EscapedOutputTest, WritesControlsOfTheCommandLine) {
  {
    const EscapedOutput escaped;
    std::cout << "\xc2";
    WriteControls(std::cout, "\r\x1b[K");
    std::cout << "\r";
  }
  WriteControls(std::cout, "\r");
  EXPECT_EQ(text_.str(), "\xc2\r\x1b[K\\u000d\r");
}

}  // namespace
}  // namespace signet
