// The kernels of `encode_base64` and `decode_base64`.

#include <array>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// The number that each character stands for, or -1.
constexpr std::array<int8_t, 256> MakeNumbers() {
  std::array<int8_t, 256> out{};
  out.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    out[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return out;
}
constexpr std::array<int8_t, 256> kNumbers = MakeNumbers();

void Encode(StopPoll& poll, std::string_view text, bool pad, GrowingBytes& out) {
  for (size_t at = 0; at < text.size(); at += 3) {
    if (poll.Stops(4)) return;
    const size_t count = std::min<size_t>(3, text.size() - at);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = (bits << 8) | (i < count ? static_cast<uint8_t>(text[at + i]) : 0U);
    }
    for (size_t i = 0; i < 4; ++i) {
      if (i <= count) {
        if (!out.Append(kAlphabet[(bits >> (18 - 6 * i)) & 63])) return;
      } else if (pad && !out.Append('=')) {
        return;
      }
    }
  }
}

// Returns the characters without padding, or an error if the padding or the length is not valid.
StatusOr<std::string_view> WithoutPadding(std::string_view text) {
  std::string_view own = text;
  while (own.size() + 2 > text.size() && own.ends_with('=')) own.remove_suffix(1);
  const bool is_padded = own.size() != text.size();
  if (own.size() % 4 == 1 || (is_padded && text.size() % 4 != 0)) {
    return InvalidArgument("expected base64, found a string of ", text.size(), " characters",
                           is_padded ? " with padding" : "");
  }
  return own;
}

Status Decode(StopPoll& poll, std::string_view text, GrowingBytes& out) {
  SIGNET_ASSIGN_OR_RETURN(std::string_view own, WithoutPadding(text));
  uint32_t bits = 0;
  int count = 0;
  for (size_t at = 0; at < own.size(); ++at) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(2));
    const int8_t number = kNumbers[static_cast<uint8_t>(own[at])];
    if (number < 0) {
      return InvalidArgument("expected base64, found `", Printable(own.substr(at, 1)),
                             "` at character ", at);
    }
    bits = (bits << 6) | static_cast<uint32_t>(number);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    if (!out.Append(static_cast<char>((bits >> count) & 255))) return out.status();
  }
  if ((bits & ((1U << count) - 1)) != 0) {
    return InvalidArgument("expected base64, found bits other than 0 after the last byte");
  }
  return absl::OkStatus();
}

MadeKernel MakeEncode(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool pad, request.call.attributes.Bool("pad"));
  return MakeKernel([pad](KernelContext& context) {
    const Tensor& x = context.input(0);
    return WriteStrings(context, 0, x.shape(), [&](StopPoll& poll, int64_t i, GrowingBytes& out) {
      Encode(poll, x.string_at(i), pad, out);
    });
  });
}

MadeKernel MakeDecode(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Status first;
    Status written =
        WriteStrings(context, 0, x.shape(), [&](StopPoll& poll, int64_t i, GrowingBytes& out) {
          if (!first.ok()) return;
          first = Decode(poll, x.string_at(i), out);
        });
    SIGNET_RETURN_IF_ERROR(written);
    return first.ok() ? absl::OkStatus() : WithConstraint("C2", first);
  });
}

constexpr KernelDef kBase64Kernels[] = {{"decode_base64", MakeDecode},
                                        {"encode_base64", MakeEncode}};

}  // namespace

std::span<const KernelDef> Base64Kernels() { return kBase64Kernels; }

}  // namespace signet
