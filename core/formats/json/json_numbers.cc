#include "core/formats/json/json_numbers.h"

#include <charconv>
#include <cstdlib>
#include <string>

namespace signet::json {

NumberForm FormOf(std::string_view text) {
  size_t at = 0;
  auto next_is = [&](std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  auto digits = [&] {
    size_t start = at;
    while (next_is("0123456789")) ++at;
    return at - start;
  };
  if (next_is("-")) ++at;
  bool starts_with_zero = next_is("0");
  size_t whole = digits();
  if (whole == 0 || (starts_with_zero && whole > 1)) return {};
  bool is_integer = true;
  if (next_is(".")) {
    ++at;
    is_integer = false;
    if (digits() == 0) return {};
  }
  if (next_is("eE")) {
    ++at;
    is_integer = false;
    if (next_is("+-")) ++at;
    if (digits() == 0) return {};
  }
  return {at == text.size(), is_integer};
}

std::optional<absl::int128> ParseInteger(std::string_view text) {
  auto parse = [&](auto number) -> std::optional<absl::int128> {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  };
  return text.front() == '-' ? parse(int64_t{}) : parse(uint64_t{});
}

double ParseFloat(std::string_view text) {
  double number = 0;
  auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
  if (error == std::errc()) return number;
  return std::strtod(std::string(text).c_str(), nullptr);
}

namespace internal {
namespace {

// Appends the digits at `at` to `number`. Wraps around if there are too many.
const char* ReadDigits(const char* at, const char* end, uint64_t& number) {
  for (; at < end && IsDigit(*at); ++at) number = number * 10 + static_cast<uint64_t>(*at - '0');
  return at;
}

// Reads the integer part of a number. Returns null if there is none.
const char* ReadWhole(const char* at, const char* end, uint64_t& number) {
  const char* stop = ReadDigits(at, end, number);
  if (stop == at || (*at == '0' && stop - at > 1)) return nullptr;
  return stop;
}

bool IsEnd(const char* at, const char* end) { return at == end || EndsNumber(*at); }

template <class T>
bool ReadAny(const char* at, const char* end, T& number) {
  uint64_t digits = 0;
  const char* stop = ReadWhole(at + (*at == '-'), end, digits);
  return stop != nullptr && IsEnd(stop, end) && std::from_chars(at, stop, number).ec == std::errc();
}

}  // namespace

bool ReadAnyInteger(const char* at, const char* end, int64_t& number) {
  return ReadAny(at, end, number);
}

bool ReadAnyInteger(const char* at, const char* end, uint64_t& number) {
  return *at != '-' && ReadAny(at, end, number);
}

bool ReadAnyDouble(const char* at, const char* end, double& number) {
  bool is_negative = *at == '-';
  uint64_t digits = 0;
  const char* whole = at + is_negative;
  const char* stop = ReadWhole(whole, end, digits);
  if (stop == nullptr) return false;
  std::ptrdiff_t num_digits = stop - whole;
  std::ptrdiff_t exponent = 0;
  if (stop < end && *stop == '.') {
    const char* fraction = stop + 1;
    stop = ReadDigits(fraction, end, digits);
    if (stop == fraction) return false;
    exponent = fraction - stop;
    num_digits -= exponent;
  }
  bool is_simple = true;
  if (stop < end && (*stop == 'e' || *stop == 'E')) {
    const char* power = stop + 1;
    power += power < end && (*power == '+' || *power == '-');
    uint64_t ignored = 0;
    stop = ReadDigits(power, end, ignored);
    if (stop == power) return false;
    is_simple = false;
  }
  if (!IsEnd(stop, end)) return false;
  if (is_simple && num_digits <= 19 && digits <= (uint64_t{1} << 53) && exponent >= -22) {
    number = static_cast<double>(digits) / kPowersOfTen[-exponent];  // both numbers are exact
    if (is_negative) number = -number;
    return true;
  }
  return std::from_chars(at, stop, number).ec == std::errc();
}

}  // namespace internal
}  // namespace signet::json
