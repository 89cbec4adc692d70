#include "core/base/crc32c.h"

#include <string_view>

#include <gtest/gtest.h>

namespace signet {
namespace {

uint32_t Of(std::string_view text) { return Crc32c(std::as_bytes(std::span(text))); }

TEST(Crc32cTest, HasTheValuesOfTheStandard) {
  EXPECT_EQ(Of(""), 0u);
  EXPECT_EQ(Of("123456789"), 0xe3069283u);  // RFC 3720
  EXPECT_EQ(Of(std::string(32, '\0')), 0x8a9136aau);
}

TEST(Crc32cTest, ContinuesAChecksum) {
  const std::string_view text = "a text that is longer than eight bytes";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const uint32_t first = Of(text.substr(0, cut));
    EXPECT_EQ(Crc32c(std::as_bytes(std::span(text.substr(cut))), first), Of(text)) << cut;
  }
}

}  // namespace
}  // namespace signet
