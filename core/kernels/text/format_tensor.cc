// The kernel of `format_tensor`.

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#include <absl/strings/escaping.h>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/is_number.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

// Writes the shorter of two numbers of digits that is read as the same number.
template <class T>
void AppendFloat(T number, GrowingBytes& out) {
  constexpr bool kIsDouble = std::is_same_v<T, double>;
  constexpr int kDigits = kIsDouble ? DBL_DIG : FLT_DIG;
  constexpr int kAllDigits = kIsDouble ? DBL_DIG + 2 : FLT_DIG + 3;
  if (std::isnan(number)) {
    out.Append(std::signbit(number) ? "-nan" : "nan");
    return;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", kDigits, double{number});
  bool is_same;
  if constexpr (kIsDouble) {
    is_same = std::strtod(text, nullptr) == number;
  } else {
    is_same = std::strtof(text, nullptr) == number;
  }
  if (!is_same) std::snprintf(text, sizeof text, "%.*g", kAllDigits, double{number});
  out.Append(std::string_view(text));
}

void AppendText(StopPoll& poll, std::string_view text, GrowingBytes& out) {
  // Cuts the text, because the escaped form of a part is in memory that is not counted.
  constexpr size_t kPart = 1 << 12;
  out.Append('"');
  while (!text.empty() && !poll.Stops(1000)) {
    const size_t size = std::min(kPart, text.size());
    out.Append(absl::Utf8SafeCEscape(absl::string_view(text.data(), size)));
    text.remove_prefix(size);
  }
  out.Append('"');
}

class TensorWriter {
 public:
  TensorWriter(const Tensor& x, int64_t edge_items, StopPoll& poll, GrowingBytes& out)
      : x_(x), poll_(poll), out_(out) {
    const int64_t n = x.num_elements();
    edge_items_ = edge_items < 0 ? n : std::min(edge_items, n);
  }

  void Write() {
    if (x_.rank() == 0 && edge_items_ == 0) {
      out_.Append("...");
    } else {
      WriteDimension(0, 0);
    }
  }

 private:
  // Writes dimension `axis` and those after it, from element `first` on.
  void WriteDimension(int axis, int64_t first) {
    if (axis == x_.rank()) return WriteElement(first);
    const int64_t size = x_.shape().dim(axis);
    int64_t step = 1;
    for (int i = axis + 1; i < x_.rank(); ++i) step *= x_.shape().dim(i);
    out_.Append('[');
    bool is_first = true;
    auto separate = [&] {
      if (!is_first) WriteSpace(axis);
      is_first = false;
    };
    for (int64_t i = 0; i < size; ++i) {
      if (poll_.Stops(10) || !out_.status().ok()) return;
      if (i == edge_items_ && size - edge_items_ > edge_items_) {
        is_first = false;
        separate();
        out_.Append("...");
        i = size - edge_items_;
        if (i == size) break;
      }
      separate();
      WriteDimension(axis + 1, first + i * step);
    }
    out_.Append(']');
  }

  void WriteSpace(int axis) {
    if (axis == x_.rank() - 1) {
      out_.Append(' ');
      return;
    }
    for (int i = axis + 1; i < x_.rank(); ++i) out_.Append('\n');
    for (int i = 0; i <= axis; ++i) out_.Append(' ');
  }

  void WriteElement(int64_t i) {
    if (poll_.Stops(200)) return;
    const DType dtype = x_.dtype();
    if (dtype == DType::kString) return AppendText(poll_, x_.string_at(i), out_);
    VisitDType(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, bool>) {
        out_.Append(x_.elements<T>()[static_cast<size_t>(i)] ? '1' : '0');
      } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        AppendFloat(x_.elements<T>()[static_cast<size_t>(i)], out_);
      } else if constexpr (kIsNumber<T>) {
        out_.Append(std::to_string(x_.elements<T>()[static_cast<size_t>(i)]));
      }
    });
  }

  const Tensor& x_;
  StopPoll& poll_;
  GrowingBytes& out_;
  int64_t edge_items_;
};

StatusOr<std::unique_ptr<Kernel>> MakeFormatTensor(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t edge_items, request.call.attributes.Int("edge_items"));
  return MakeKernel([edge_items](KernelContext& context) {
    return WriteStrings(context, 0, Shape(), [&](StopPoll& poll, int64_t, GrowingBytes& out) {
      TensorWriter(context.input(0), edge_items, poll, out).Write();
    });
  });
}

constexpr KernelDef kFormatTensorKernels[] = {{"format_tensor", MakeFormatTensor}};

}  // namespace

std::span<const KernelDef> FormatTensorKernels() { return kFormatTensorKernels; }

}  // namespace signet
