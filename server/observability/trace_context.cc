#include "server/observability/trace_context.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "core/base/hash.h"

namespace signet {
namespace {

// Reads 2 * size lowercase digits. Returns false if there are others.
bool ReadHex(std::string_view digits, uint8_t* out, size_t size) {
  auto value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (size_t i = 0; i < size; ++i) {
    const int high = value(digits[2 * i]);
    const int low = value(digits[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return true;
}

template <size_t kSize>
bool IsZero(const std::array<uint8_t, kSize>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

template <size_t kSize>
void Fill(std::array<uint8_t, kSize>& bytes) {
  do {
    for (size_t i = 0; i < kSize; i += 8) {
      const uint64_t bits = RandomBits();
      std::memcpy(bytes.data() + i, &bits, 8);
    }
  } while (IsZero(bytes));
}

}  // namespace

std::optional<TraceContext> ParseTraceparent(std::string_view header) {
  constexpr size_t kSize = 55;
  if (header.size() < kSize || header[2] != '-' || header[35] != '-' || header[52] != '-')
    return {};
  uint8_t version = 0;
  TraceContext out;
  if (!ReadHex(header, &version, 1) || version == 0xff) return {};
  if (version == 0 ? header.size() != kSize : header.size() > kSize && header[kSize] != '-') {
    return {};
  }
  const bool is_valid = ReadHex(header.substr(3), out.trace_id.data(), 16) &&
                        ReadHex(header.substr(36), out.span_id.data(), 8) &&
                        ReadHex(header.substr(53), &out.flags, 1) && !IsZero(out.trace_id) &&
                        !IsZero(out.span_id);
  return is_valid ? std::optional(out) : std::nullopt;
}

std::string HexOf(const uint8_t* bytes, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * size);
  for (size_t i = 0; i < size; ++i) out += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  return out;
}

std::string TraceparentOf(const TraceContext& context) {
  return "00-" + HexOf(context.trace_id.data(), 16) + "-" + HexOf(context.span_id.data(), 8) + "-" +
         HexOf(&context.flags, 1);
}

uint64_t RandomBits() {
  thread_local uint64_t state = [] {
    std::random_device device;
    return (uint64_t{device()} << 32) | device();
  }();
  state += 0x9e3779b97f4a7c15ULL;
  return MixHash(state, 0);
}

TraceContext NewTrace() {
  TraceContext out;
  Fill(out.trace_id);
  Fill(out.span_id);
  return out;
}

bool IsSampled(double rate) {
  if (rate <= 0) return false;
  return rate >= 1 || static_cast<double>(RandomBits() >> 11) * 0x1p-53 < rate;
}

}  // namespace signet
