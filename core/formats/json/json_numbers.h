// JsonNumbers: parses numbers in the syntax of JSON: -? (0 | [1-9][0-9]*) (.[0-9]+)?
// ([eE][+-]?[0-9]+)?
//
// The fast functions receive a pointer to the beginning of a possible number and the end of the
// surrounding text. They return false unless a number of their kind, in range, is followed by a
// comma, a closing bracket, white space, or the end. Stateless; thread-safe.

#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/base/attributes.h>
#include <absl/numeric/int128.h>

namespace signet::json {

struct NumberForm {
  bool is_number = false;
  bool is_integer = false;
};
NumberForm FormOf(std::string_view text);
// Returns the integer if it fits in 64 bits, signed or unsigned.
std::optional<absl::int128> ParseInteger(std::string_view text);
// Returns infinity for a number that is too large, and 0 for one that is too small.
double ParseFloat(std::string_view text);

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool EndsNumber(char c) { return c == ',' || c == ']' || c == '}' || IsSpace(c); }

namespace internal {

// Like ReadDouble and ReadInteger, for any length.
bool ReadAnyDouble(const char* at, const char* end, double& number);
bool ReadAnyInteger(const char* at, const char* end, int64_t& number);
bool ReadAnyInteger(const char* at, const char* end, uint64_t& number);

// A number of up to 7 bytes after its sign: [0-9]+ (.[0-9]+)?
struct ShortNumber {
  bool is_short = false;  // false: another number, or no number
  bool is_negative = false;
  uint32_t digits = 0;    // without the decimal point
  uint32_t decimals = 0;  // digits after the decimal point
};

// Reads all digits at once, as the eight bytes of a word. Accesses 9 bytes.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline ShortNumber ReadShortNumber(const char* at) {
  constexpr uint64_t kEach = 0x0101010101010101;
  ShortNumber out;
  out.is_negative = *at == '-';
  uint64_t word;
  std::memcpy(&word, at + out.is_negative, sizeof word);
  word ^= '0' * kEach;  // digits are now 0 to 9
  uint64_t others = (((word & 0x7f * kEach) + 0x76 * kEach) | word) & 0x80 * kEach;
  if (others == 0) return out;
  int size = std::countr_zero(others) / 8;
  if (size == 0 || ((word & 0xff) == 0 && size > 1)) return out;
  auto byte_at = [&](int place) { return static_cast<char>((word >> (8 * place) & 0xff) ^ '0'); };
  char last = byte_at(size);
  if (last == '.') {
    others &= others - 1;
    if (others == 0) return out;
    int stop = std::countr_zero(others) / 8;
    out.decimals = static_cast<uint32_t>(stop - size - 1);
    if (out.decimals == 0) return out;
    last = byte_at(stop);
    uint64_t whole = (uint64_t{1} << (8 * size)) - 1;
    word = (word & whole) | (word >> 8 & ~whole);
    size = stop - 1;
  }
  // Moves the first digit to the lowest byte, with zeros before it. Then sums pairs, fours, and
  // eights.
  word <<= 64 - 8 * size;
  word = word * 10 + (word >> 8);
  constexpr uint64_t kPairs = 0x000000ff000000ff;
  word = (word & kPairs) * (100 + (uint64_t{1000000} << 32)) +
         (word >> 16 & kPairs) * (1 + (uint64_t{10000} << 32));
  out.digits = static_cast<uint32_t>(word >> 32);
  out.is_short = EndsNumber(last);
  return out;
}

inline constexpr std::ptrdiff_t kShortWindow = 9;
inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace internal

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadDouble(const char* at, const char* end,
                                                    double& number) {
  if (end - at >= internal::kShortWindow) {
    internal::ShortNumber found = internal::ReadShortNumber(at);
    if (found.is_short) {
      // Both are exact, so the quotient is the nearest double.
      double value = static_cast<double>(found.digits) / internal::kPowersOfTen[found.decimals];
      number = found.is_negative ? -value : value;
      return true;
    }
  }
  return internal::ReadAnyDouble(at, end, number);
}

template <std::integral T>
bool ReadInteger(const char* at, const char* end, T& number) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  Wide wide;
  internal::ShortNumber found;
  if (end - at >= internal::kShortWindow) found = internal::ReadShortNumber(at);
  if (found.is_short) {
    if (found.decimals > 0 || (found.is_negative && std::is_unsigned_v<T>)) return false;
    wide = static_cast<Wide>(found.digits);
    if (found.is_negative) wide = -wide;
  } else if (!internal::ReadAnyInteger(at, end, wide)) {
    return false;
  }
  number = static_cast<T>(wide);
  return std::in_range<T>(wide);
}

}  // namespace signet::json
