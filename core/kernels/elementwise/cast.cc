// Kernels of cast and bitcast: conversions between all dtypes, including text.

#include "core/kernels/simd/cast.h"

#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstring>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/elementwise/elementwise_kernels.h"

namespace signet {
namespace {

template <class T>
inline constexpr bool kIsComplex =
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

// Returns the conversion between two dtypes other than string.
CastFn LookupConversion(DType from, DType to) {
  return SIGNET_ACTIVE_TABLE(CastTable).convert[static_cast<int>(from)][static_cast<int>(to)];
}

// --- text
// -------------------------------------------------------------------------------------------

// Longer than the text of any number.
using TextBuffer = std::array<char, 40>;

std::string_view TextOf(bool value, TextBuffer&) { return value ? "True" : "False"; }

template <std::integral T>
std::string_view TextOf(T value, TextBuffer& buffer) {
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), static_cast<size_t>(end.ptr - buffer.data())};
}

// Writes the shortest text that parses back to the same number. It has a point or an exponent.
template <std::floating_point T>
std::string_view TextOf(T value, TextBuffer& buffer) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size() - 2, value);
  std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  if (text.find_first_of(".e") != std::string_view::npos) return text;
  end.ptr[0] = '.';
  end.ptr[1] = '0';
  return {buffer.data(), text.size() + 2};
}

std::string_view TextOf(Float16 value, TextBuffer& buffer) {
  return TextOf(ToFloat(value), buffer);
}
std::string_view TextOf(BFloat16 value, TextBuffer& buffer) {
  return TextOf(ToFloat(value), buffer);
}

// Converts the elements twice: first to count the bytes, then to write them.
template <class T>
Status WriteText(KernelContext& context, const Tensor& x) {
  if constexpr (kIsComplex<T> || std::same_as<T, std::string_view>) {
    return WithConstraint("C3", Internal("dtype `", NameOf(x.dtype()), "` has no text"));
  } else {
    TextBuffer buffer;
    size_t total = 0;
    StopPoll poll(context);
    for (T value : x.elements<T>()) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(40));
      total += TextOf(value, buffer).size();
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.AllocateStrings(0, x.shape(), total));
    auto* offsets = out->mutable_elements<int64_t>();
    char* bytes = reinterpret_cast<char*>(const_cast<std::byte*>(out->bytes().data()));
    int64_t at = 0;
    *offsets++ = 0;
    for (T value : x.elements<T>()) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(40));
      std::string_view text = TextOf(value, buffer);
      std::memcpy(bytes + at, text.data(), text.size());
      at += static_cast<int64_t>(text.size());
      *offsets++ = at;
    }
    return absl::OkStatus();
  }
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\r";
  size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

template <class T>
bool ParseInto(std::string_view text, T& out) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  auto end = std::from_chars(text.data(), text.data() + text.size(), out);
  if constexpr (std::floating_point<T>) {
    // A number beyond the range of T is converted to infinity or zero, as in arithmetic.
    if (end.ec == std::errc::result_out_of_range && end.ptr == text.data() + text.size()) {
      if constexpr (std::same_as<T, float>) {
        double wide = 0;
        if (!ParseInto(text, wide)) return false;
        out = static_cast<float>(wide);
      } else {
        out = std::strtod(std::string(text).c_str(), nullptr);
      }
      return true;
    }
  }
  return end.ec == std::errc() && end.ptr == text.data() + text.size() && !text.empty();
}

bool ParseInto(std::string_view text, bool& out) {
  out = text == "True" || text == "true" || text == "1";
  return out || text == "False" || text == "false" || text == "0";
}
bool ParseInto(std::string_view text, Float16& out) {
  float value = 0;
  if (!ParseInto(text, value)) return false;
  out = ToFloat16(value);
  return true;
}
bool ParseInto(std::string_view text, BFloat16& out) {
  float value = 0;
  if (!ParseInto(text, value)) return false;
  out = ToBFloat16(value);
  return true;
}

template <class T>
Status ReadText(KernelContext& context, const Tensor& x) {
  if constexpr (kIsComplex<T> || std::same_as<T, std::string_view>) {
    return WithConstraint("C3", Internal("complex numbers have no text"));
  } else {
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    T* to = out->mutable_elements<T>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(30 + static_cast<int64_t>(x.string_at(i).size())));
      if (!ParseInto(Trimmed(x.string_at(i)), to[i])) {
        return WithConstraint("C4", InvalidArgument("element ", i, ": expected the text of `",
                                                    NameOf(DTypeOf<T>::value), "`, found `",
                                                    Printable(x.string_at(i)), "`"));
      }
    }
    return absl::OkStatus();
  }
}

StatusOr<std::unique_ptr<Kernel>> MakeCast(const KernelRequest& request) {
  DType from = DTypeIn(request.call.inputs[0]);
  DType to = DTypeIn(request.outputs[0]);
  std::unique_ptr<Kernel> kernel;
  double unit = 1;
  if (from == to) {
    unit = 0;
    kernel = MakeKernel([](KernelContext& context) -> Status {
      context.Set(0, context.input(0));
      return absl::OkStatus();
    });
  } else if (to == DType::kString) {
    unit = 50;
    kernel = MakeKernel([](KernelContext& context) -> Status {
      const Tensor& x = context.input(0);
      return VisitDType(
          x.dtype(), [&](auto tag) { return WriteText<typename decltype(tag)::type>(context, x); });
    });
  } else if (from == DType::kString) {
    unit = 30;
    kernel = MakeKernel([to](KernelContext& context) -> Status {
      return VisitDType(to, [&](auto tag) {
        return ReadText<typename decltype(tag)::type>(context, context.input(0));
      });
    });
  } else {
    unit = 0.3;
    kernel = MakeKernel([convert = LookupConversion(from, to), from_size = SizeOf(from),
                         to_size = SizeOf(to)](KernelContext& context) -> Status {
      const Tensor& x = context.input(0);
      SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
      std::byte* bytes = out->data().mutable_data();
      return context.For(x.num_elements(), 0.3, [&](int64_t begin, int64_t end) {
        auto first = static_cast<size_t>(begin);
        convert(x.data().data() + first * from_size, bytes + first * to_size, end - begin);
      });
    });
  }
  kernel->set_cost(20 + unit * GuessElements(request.outputs[0]));
  return kernel;
}

// Copies the bytes. Bools are normalized to 0 or 1.
StatusOr<std::unique_ptr<Kernel>> MakeBitcast(const KernelRequest& request) {
  DType to = DTypeIn(request.outputs[0]);
  return MakeKernel([to](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    const std::byte* from = x.data().data();
    std::byte* bytes = out->data().mutable_data();
    if (to == DType::kBool) {
      return context.ForInOrder(x.num_elements(), 0.3, [&](int64_t begin, int64_t end) {
        LookupConversion(DType::kUInt8, DType::kBool)(from + begin, bytes + begin, end - begin);
      });
    }
    return CopyBytes(context, bytes, from, x.data().size());
  });
}

constexpr KernelDef kCastKernels[] = {{"bitcast", MakeBitcast}, {"cast", MakeCast}};

}  // namespace

std::span<const KernelDef> CastKernels() { return kCastKernels; }

}  // namespace signet
