#include "core/formats/json/json_numbers.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "signet/cat.h"

namespace signet::json {
namespace {

// Nothing behind the end is read: the sanitizers watch a text of its own memory.
template <class T>
std::optional<T> Read(std::string_view text, bool (*read)(const char*, const char*, T&)) {
  std::vector<char> copy(text.begin(), text.end());
  T number{};
  if (!read(copy.data(), copy.data() + copy.size(), number)) return std::nullopt;
  return number;
}

bool ReadDoubleOf(const char* at, const char* end, double& number) {
  return ReadDouble(at, end, number);
}

// Texts of digits, with all that may go wrong between them.
std::string SomeNumber(std::mt19937& random) {
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto digits = [&](int most) {
    std::string out;
    for (int i = below(most + 1); i >= 0; --i) out += static_cast<char>('0' + below(10));
    return out;
  };
  std::string out = below(3) == 0 ? "-" : "";
  out += digits(below(3) == 0 ? 20 : 4);
  if (below(2) == 0) out += "." + digits(below(3) == 0 ? 24 : 5);
  if (below(6) == 0) out += std::string("e") + (below(2) == 0 ? "-" : "") + digits(1);
  if (below(9) == 0) {
    out.insert(static_cast<size_t>(below(static_cast<int>(out.size()) + 1)), 1,
               "-.+x\"\xff"[below(6)]);
  }
  if (below(20) == 0) out += 'e';
  return out;
}

TEST(JsonNumbersTest, ReadsWhatTheGrammarTakesToTheNearestNumber) {
  std::mt19937 random(7);
  int numbers = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text = SomeNumber(random);
    NumberForm form = FormOf(text);
    double wide = std::strtod(text.c_str(), nullptr);
    auto integer = form.is_integer ? ParseInteger(text) : std::nullopt;
    for (const char* behind :
         {"", ",", "]", "}  ", " ,        ", "\n\t\r12345678", ",-1.5e3,1.5"}) {
      SCOPED_TRACE(Cat("`", text, behind, "`"));
      auto number = Read<double>(text + behind, ReadDoubleOf);
      ASSERT_EQ(number.has_value(), form.is_number);
      if (number) {
        ASSERT_EQ(std::bit_cast<uint64_t>(*number), std::bit_cast<uint64_t>(wide));
      }
      auto fits = [&]<class T>(T) {
        auto found = Read<T>(text + behind, ReadInteger<T>);
        bool is_minus = text[0] == '-' && std::is_unsigned_v<T>;
        bool takes = integer && *integer >= std::numeric_limits<T>::min() &&
                     *integer <= std::numeric_limits<T>::max() && !is_minus;
        EXPECT_EQ(found.has_value(), takes);
        EXPECT_TRUE(!found || *found == *integer);
      };
      fits(int8_t{}), fits(uint8_t{}), fits(int32_t{}), fits(int64_t{}), fits(uint64_t{});
    }
    ASSERT_FALSE(Read<double>(text + "x", ReadDoubleOf)) << text;
    numbers += form.is_number;
  }
  EXPECT_GT(numbers, 20000);
}

TEST(JsonNumbersTest, LeavesWhatIsOutOfRange) {
  for (const char* text : {"1e999", "-1e999", "1e-999", "1e99999999999999999999"}) {
    EXPECT_FALSE(Read<double>(text, ReadDoubleOf)) << text;
  }
  EXPECT_FALSE(Read<double>(std::string(100000, '9'), ReadDoubleOf));
  EXPECT_EQ(Read<double>("0." + std::string(100000, '1'), ReadDoubleOf), 1.0 / 9);
  EXPECT_FALSE(Read<int64_t>(std::string(100000, '9'), ReadInteger<int64_t>));
}

}  // namespace
}  // namespace signet::json
