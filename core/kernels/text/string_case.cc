// The kernels of `string_lower` and `string_upper`.

#include <algorithm>
#include <clocale>
#include <wctype.h>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/append_character.h"
#include "core/kernels/text/characters.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// The locale with the letters of Unicode, from the C library. It is never freed.
StatusOr<locale_t> UnicodeLocale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (locale != nullptr) return locale;
  return Unimplemented(
      "conversion of Unicode letters requires the locale C.UTF-8, which the system does not have");
}

// Reads the character at `at` into `code`, and returns its number of bytes. Returns 0 if the bytes
// are not UTF-8.
size_t ReadCharacter(std::string_view text, size_t at, char32_t& code) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t size = byte(at) < 0x80   ? 1
                : byte(at) < 0xc2 ? 0
                : byte(at) < 0xe0 ? 2
                : byte(at) < 0xf0 ? 3
                : byte(at) < 0xf5 ? 4
                                  : 0;
  if (size == 0 || at + size > text.size()) return 0;
  code = size == 1 ? byte(at) : byte(at) & (0x7fu >> size);
  for (size_t i = at + 1; i < at + size; ++i) {
    if (!IsContinuation(text[i])) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  return size;
}

// Appends `from` with each character converted by `change`. Bytes that are not UTF-8 are copied.
void AppendChanged(StopPoll& poll, std::string_view from, wint_t (*change)(wint_t, locale_t),
                   locale_t locale, GrowingBytes& text) {
  for (size_t at = 0; at < from.size() && text.status().ok();) {
    if (poll.Stops(10)) return;
    char32_t code = 0;
    size_t size = ReadCharacter(from, at, code);
    if (size > 0) {
      AppendCharacter(change(code, locale), text);
    } else {
      text.Append(from[at]);
    }
    at += std::max<size_t>(size, 1);
  }
}

template <char (*kChange)(char), wint_t (*kChangeWide)(wint_t, locale_t)>
MadeKernel MakeChange(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool unicode, request.call.attributes.Bool("unicode"));
  if (unicode) {
    SIGNET_ASSIGN_OR_RETURN(locale_t locale, UnicodeLocale());
    return MakeKernel([locale](KernelContext& context) {
      const Tensor& x = context.input(0);
      return WriteStrings(context, 0, x.shape(),
                          [&](StopPoll& poll, int64_t i, GrowingBytes& text) {
                            AppendChanged(poll, x.string_at(i), kChangeWide, locale, text);
                          });
    });
  }
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const int64_t size = x.offsets().back();
    SIGNET_ASSIGN_OR_RETURN(Tensor * out,
                            context.AllocateStrings(0, x.shape(), static_cast<size_t>(size)));
    SIGNET_RETURN_IF_ERROR(
        CopyBytes(context, out->data().mutable_data(), x.data().data(), x.offsets().size_bytes()));
    const char* from = reinterpret_cast<const char*>(x.bytes().data());
    char* to = reinterpret_cast<char*>(const_cast<std::byte*>(out->bytes().data()));
    return context.ForInOrder(size, 1, [&](int64_t begin, int64_t end) {
      std::transform(from + begin, from + end, to + begin, kChange);
    });
  });
}

constexpr KernelDef kStringCaseKernels[] = {
    {"string_lower", MakeChange<Lower, towlower_l>},
    {"string_upper", MakeChange<Upper, towupper_l>},
};

}  // namespace

std::span<const KernelDef> StringCaseKernels() { return kStringCaseKernels; }

}  // namespace signet
