// Kernels on strings.

#include <algorithm>
#include <array>
#include <charconv>
#include <clocale>
#include <string>
#include <type_traits>
#include <wctype.h>

#include "core/base/hash.h"
#include "core/kernels/all_kernels.h"
#include "core/kernels/broadcast.h"
#include "core/kernels/characters.h"
#include "core/kernels/write_strings.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Whether `c` goes on with a character of UTF-8; text that is not UTF-8 still has a length.

// Calls visit(segment) for parts of `text`, in order, until it returns false or the call must end.
template <class Visit>
void ForTextSegments(StopPoll& poll, std::string_view text, int64_t nanoseconds, Visit visit) {
  constexpr auto kSegment = static_cast<size_t>(kStopSegment);
  for (size_t at = 0; at < text.size(); at += kSegment) {
    std::string_view segment = text.substr(at, kSegment);
    if (poll.Stops(static_cast<int64_t>(segment.size()) * nanoseconds) || !visit(segment)) return;
  }
}

int64_t NumCharacters(StopPoll& poll, std::string_view text) {
  int64_t count = 0;
  ForTextSegments(poll, text, 1, [&](std::string_view segment) {
    count += static_cast<int64_t>(segment.size()) -
             std::count_if(segment.begin(), segment.end(), IsContinuation);
    return true;
  });
  return count;
}

MadeKernel MakeStringLength(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string unit, request.call.attributes.String("unit"));
  return MakeKernel([utf8 = unit == "utf8"](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    auto* lengths = out->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      std::string_view text = x.string_at(i);
      lengths[i] = utf8 ? NumCharacters(poll, text) : static_cast<int64_t>(text.size());
    }
    return context.stopped() ? context.CheckStop() : absl::OkStatus();
  });
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// The letters of Unicode, which the C library knows. Kept for good.
StatusOr<locale_t> UnicodeLocale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (locale != nullptr) return locale;
  return Unimplemented("letters of Unicode: the system has no locale C.UTF-8");
}

// How many bytes the character at `at` has, and `code`; 0 where there is no UTF-8.
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

void AppendCharacter(char32_t code, GrowingBytes& text) {
  auto add = [&](char32_t byte) { text.Append(static_cast<char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
  } else {
    add(0xf0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

// With each character made over; bytes that are no UTF-8 stay.
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

MadeKernel MakeStringStrip(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(std::string side, attributes.String("side"));
  std::string drops = " \t\n\v\f\r";
  if (!IsNone(attributes, "chars")) {
    SIGNET_ASSIGN_OR_RETURN(drops, attributes.String("chars"));
  }
  bool left = side != "right";
  bool right = side != "left";
  std::array<bool, 256> is_dropped = {};
  for (char c : drops) is_dropped[static_cast<unsigned char>(c)] = true;
  return MakeKernel([is_dropped, left, right](KernelContext& context) {
    const Tensor& x = context.input(0);
    StopPoll poll(context);
    auto is_stripped = [&](char c) {
      return is_dropped[static_cast<unsigned char>(c)] && !poll.Stops(1);
    };
    return WriteParts(context, 0, x.shape(), [&](int64_t i, auto take) {
      std::string_view from = x.string_at(i);
      while (left && !from.empty() && is_stripped(from.front())) from.remove_prefix(1);
      while (right && !from.empty() && is_stripped(from.back())) from.remove_suffix(1);
      take(from);
    });
  });
}

// Part [start, start + length) of `text`, cut to what there is.
std::string_view Part(StopPoll& poll, std::string_view text, int64_t start, int64_t length,
                      bool utf8) {
  int64_t size = utf8 ? NumCharacters(poll, text) : static_cast<int64_t>(text.size());
  if (start < 0) start = std::max<int64_t>(0, start + size);
  start = std::min(start, size);
  length = std::min(length, size - start);
  if (!utf8) return text.substr(static_cast<size_t>(start), static_cast<size_t>(length));
  // The bytes where character `count` starts.
  auto offset = [&poll, text](int64_t count) {
    size_t at = 0;
    for (; at < text.size(); ++at) {
      if ((!IsContinuation(text[at]) && count-- == 0) || poll.Stops(1)) break;
    }
    return at;
  };
  size_t begin = offset(start);
  size_t end = offset(start + length);
  return text.substr(begin, std::max(begin, end) - begin);
}

MadeKernel MakeSubstr(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(int64_t start, attributes.Int("start"));
  SIGNET_ASSIGN_OR_RETURN(auto length, attributes.OptionalInt("length"));
  SIGNET_ASSIGN_OR_RETURN(std::string unit, attributes.String("unit"));
  int64_t most = length.value_or(INT64_MAX);
  return MakeKernel([start, most, utf8 = unit == "utf8"](KernelContext& context) {
    const Tensor& x = context.input(0);
    StopPoll poll(context);
    return WriteParts(context, 0, x.shape(), [&](int64_t i, auto take) {
      take(Part(poll, x.string_at(i), start, most, utf8));
    });
  });
}

MadeKernel MakeStringConcat(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string separator, request.call.attributes.String("separator"));
  return MakeKernel([separator](KernelContext& context) -> Status {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    const Shape* shapes[] = {&a.shape(), &b.shape()};
    SIGNET_ASSIGN_OR_RETURN(BroadcastPlan plan, Labelled("C3", BroadcastPlan::Make(shapes)));
    const bool same = a.shape() == b.shape();
    return WriteParts(context, 0, plan.shape(), [&](int64_t i, auto take) {
      take(a.string_at(same ? i : plan.IndexIn(0, i)));
      take(separator);
      take(b.string_at(same ? i : plan.IndexIn(1, i)));
    });
  });
}

// Reads all of `text` as a T; "inf" and "nan" are floats.
template <class T>
bool Read(std::string_view text, T& value) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

template <class T>
constexpr bool kIsNumber = (std::is_integral_v<T> && !std::is_same_v<T, bool>) ||
                           std::is_same_v<T, float> || std::is_same_v<T, double>;

MadeKernel MakeStringToNumber(const KernelRequest& request) {
  DType dtype = request.outputs[0].As<TensorSpec>()->dtype();
  return MakeKernel([dtype](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (kIsNumber<T>) {
        T* out = made->template mutable_elements<T>();
        StopPoll poll(context);
        for (int64_t i = 0; i < x.num_elements(); ++i) {
          SIGNET_RETURN_IF_ERROR(poll.Spend(30 + static_cast<int64_t>(x.string_at(i).size())));
          if (Read(x.string_at(i), out[i])) continue;
          return InvalidArgument("C3 element ", i, " is \"", Printable(x.string_at(i)),
                                 "\"; takes a ", NameOf(dtype));
        }
        return absl::OkStatus();
      } else {
        return Internal("a string_to_number that inference lets through");
      }
    });
  });
}

MadeKernel MakeNumberToString(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  return MakeKernel([dtype](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (kIsNumber<T>) {
        const Tensor& x = context.input(0);
        auto all = x.elements<T>();
        return WriteStrings(
            context, 0, x.shape(), [&](StopPoll& poll, int64_t i, GrowingBytes& text) {
              if (poll.Stops(30)) return;
              char digits[64];
              auto end =
                  std::to_chars(digits, digits + sizeof(digits), all[static_cast<size_t>(i)]).ptr;
              std::string_view written(digits, static_cast<size_t>(end - digits));
              text.Append(written);
              // A float shows that it is one: 3.0.
              bool whole =
                  std::is_floating_point_v<T> && written.find_first_of(".ein") == written.npos;
              if (whole) text.Append(".0");
            });
      } else {
        return Internal("a number_to_string that inference lets through");
      }
    });
  });
}

MadeKernel MakeStringHashBucket(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t buckets, request.call.attributes.Int("num_buckets"));
  return MakeKernel([buckets](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    auto* out = made->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      std::string_view text = x.string_at(i);
      SIGNET_RETURN_IF_ERROR(poll.Spend(20 + static_cast<int64_t>(text.size())));
      out[i] = static_cast<int64_t>(HashBytes(text) % static_cast<uint64_t>(buckets));
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kKernels[] = {
    {"number_to_string", MakeNumberToString},
    {"string_concat", MakeStringConcat},
    {"string_hash_bucket", MakeStringHashBucket},
    {"string_length", MakeStringLength},
    {"string_lower", MakeChange<Lower, towlower_l>},
    {"string_strip", MakeStringStrip},
    {"string_to_number", MakeStringToNumber},
    {"string_upper", MakeChange<Upper, towupper_l>},
    {"substr", MakeSubstr},
};

}  // namespace

std::span<const KernelDef> StringKernels() { return kKernels; }

}  // namespace signet
