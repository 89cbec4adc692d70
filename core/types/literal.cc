#include "signet/literal.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "signet/cat.h"

namespace signet {
namespace {

std::string IntToString(absl::int128 value) {
  if (value < 0) return Cat(static_cast<int64_t>(value));
  return Cat(static_cast<uint64_t>(value));
}

uint64_t BitsOf(double value) { return std::bit_cast<uint64_t>(value); }

// Returns `nan` if the bits are those that the notation reads from `nan`; otherwise adds the bits.
std::string FloatToString(double value) {
  const uint64_t bits = BitsOf(value);
  if (!std::isnan(value) || bits == BitsOf(std::nan(""))) return Cat(value);
  char digits[16];
  char* end = std::to_chars(digits, digits + sizeof(digits), bits, 16).ptr;
  return Cat("nan(0x", std::string_view(digits, static_cast<size_t>(end - digits)), ")");
}

}  // namespace

std::optional<int64_t> Literal::AsInt64() const {
  if (!is(Kind::kInt)) return std::nullopt;
  absl::int128 value = int_value();
  if (value < INT64_MIN || value > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(value);
}

bool Literal::operator==(const Literal& other) const {
  if (is(Kind::kFloat) && other.is(Kind::kFloat)) {
    return BitsOf(float_value()) == BitsOf(other.float_value());
  }
  return value_ == other.value_;
}

uint64_t Literal::Hash() const {
  auto kind_hash = static_cast<uint64_t>(kind());
  switch (kind()) {
    case Kind::kNone:
      return MixHash(kind_hash, 0);
    case Kind::kBool:
      return MixHash(kind_hash, bool_value() ? 1 : 0);
    case Kind::kInt:
      return MixHash(
          MixHash(kind_hash, absl::Uint128Low64(static_cast<absl::uint128>(int_value()))),
          absl::Uint128High64(static_cast<absl::uint128>(int_value())));
    case Kind::kFloat:
      return MixHash(kind_hash, BitsOf(float_value()));
    case Kind::kString:
      return MixHash(kind_hash, HashBytes(string_value()));
  }
  __builtin_unreachable();
}

std::string Literal::ToString() const {
  switch (kind()) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return bool_value() ? "True" : "False";
    case Kind::kInt:
      return IntToString(int_value());
    case Kind::kFloat:
      return FloatToString(float_value());
    case Kind::kString:
      return Quote(string_value());
  }
  __builtin_unreachable();
}

std::string Quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    auto byte = static_cast<unsigned char>(text[0]);
    size_t length = 1;
    if (byte == '"' || byte == '\\') {
      out += {'\\', text[0]};
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte >= 0x20 && byte < 0x7f) {
      out.push_back(text[0]);
    } else if (byte >= 0x80 && (length = Utf8Length(text)) > 0) {
      out.append(text.substr(0, length));
    } else {
      length = 1;
      AppendEscaped(text[0], out);
    }
    text.remove_prefix(length);
  }
  out.push_back('"');
  return out;
}

}  // namespace signet
