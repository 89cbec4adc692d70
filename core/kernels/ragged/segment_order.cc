// Kernels that order the values within each row.

#include <algorithm>
#include <complex>
#include <numeric>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/merge_sort.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/segment_rows.h"
#include "core/kernels/loops/sort_order.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/def/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// Calls `visit` with the C++ type of a dtype that has an order. Complex numbers and bools have
// none.
template <class Visitor>
Status VisitOrdered(DType dtype, Visitor visit) {
  return VisitDType(dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T> || std::is_same_v<T, bool>) {
      return WithConstraint("C2", Internal("dtype `", NameOf(dtype), "` has no order"));
    } else {
      return visit(tag);
    }
  });
}

// Computes the row splits of rows that are cut to `most` values.
template <class T>
void FillCutSplits(std::span<const T> splits, int64_t most, T* out) {
  *out++ = 0;
  T total = 0;
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    total += static_cast<T>(std::min<int64_t>(splits[row + 1] - splits[row], most));
    *out++ = total;
  }
}

// Computes the positions of the first values of each row in order. `order` and `scratch` have room
// for the positions of all rows.
template <class T>
Status SortRows(KernelContext& context, const SegmentRows& rows, const Tensor& kept,
                bool descending, int64_t* order, int64_t* scratch, int64_t* offsets) {
  return ForRows(context, rows, [&](StopPoll& poll, int64_t row, int64_t begin, int64_t end) {
    int64_t to = IntAt(kept, row);
    int64_t count = IntAt(kept, row + 1) - to;
    for (int64_t j = 0; j < rows.inner; ++j) {
      auto key = [&](int64_t i) { return Key<T>(rows.values, (begin + i) * rows.inner + j); };
      auto before = [&](int64_t a, int64_t b) {
        auto x = key(a);
        auto y = key(b);
        if (Before(x, y, descending)) return true;
        return !Before(y, x, descending) && a < b;
      };
      int64_t* first = order + begin;
      int64_t* last = order + end;
      std::iota(first, last, 0);
      if (end - begin > kSortedAtOnce) {
        if (!MergeSort(poll, first, scratch + begin, end - begin, before)) return;
      } else if (count == end - begin) {
        std::sort(first, last, before);
      } else {
        std::partial_sort(first, first + count, last, before);
      }
      if (poll.Stops(20 * (end - begin))) return;
      for (int64_t i = 0; i < count; ++i) offsets[(to + i) * rows.inner + j] = first[i];
    }
  });
}

MadeKernel MakeSort(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool descending, request.call.attributes.Bool("descending"));
  SIGNET_ASSIGN_OR_RETURN(auto known, FindCount(request.call, "k", 2));
  return MakeKernel([descending, known](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
    std::optional<int64_t> most = known;
    if (most == kUnknownDim) {
      SIGNET_ASSIGN_OR_RETURN(most, CountInput(context, "k", 2));
    }
    Tensor kept = rows.splits;
    if (most) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * cut, context.Allocate(2, rows.splits.shape()));
      VisitInts(rows.splits, [&](auto splits) {
        using T = std::remove_const_t<typename decltype(splits)::element_type>;
        FillCutSplits<T>(splits, *most, cut->mutable_elements<T>());
      });
      kept = *cut;
    } else {
      context.Set(2, kept);
    }
    Shape shape = rows.values.shape();
    shape.set_dim(0, IntAt(kept, rows.count));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(1, shape));
    auto* offsets = made->mutable_elements<int64_t>();
    auto bytes = static_cast<size_t>(rows.values.shape().dim(0)) * sizeof(int64_t);
    SIGNET_ASSIGN_OR_RETURN(std::byte * orders, context.Scratch(bytes));
    SIGNET_ASSIGN_OR_RETURN(std::byte * more,
                            context.Scratch(bytes > kSortedAtOnce * sizeof(int64_t) ? bytes : 0));
    auto* order = reinterpret_cast<int64_t*>(orders);
    auto* scratch = reinterpret_cast<int64_t*>(more);
    SIGNET_RETURN_IF_ERROR(VisitOrdered(rows.values.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return SortRows<T>(context, rows, kept, descending, order, scratch, offsets);
    }));
    return MoveRuns(context, 0, rows.values.dtype(), shape, [&](auto&& run) {
      for (int64_t row = 0; row < rows.count; ++row) {
        int64_t begin = IntAt(rows.splits, row);
        int64_t last = IntAt(kept, row + 1) * rows.inner;
        for (int64_t at = IntAt(kept, row) * rows.inner; at < last; ++at) {
          int64_t element = (begin + offsets[at]) * rows.inner + at % rows.inner;
          if (!run(rows.values, element, 1)) return;
        }
      }
    });
  });
}

// Returns true if `a` comes before `b` in the search for the greatest (or least) value. NaN comes
// before all numbers.
template <class K>
bool IsBeyond(K a, K b, bool greatest) {
  if constexpr (std::is_floating_point_v<K>) {
    if (a != a || b != b) return a != a && b == b;
  }
  return greatest ? a > b : a < b;
}

template <class T>
Status FindInRows(KernelContext& context, const SegmentRows& rows, bool greatest, bool last,
                  int64_t* out) {
  const T* in = rows.values.elements<T>().data();
  return ForRows(context, rows, [&](StopPoll& poll, int64_t row, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < rows.inner; ++j) {
      auto at = [&](int64_t i) { return Widen(in[i * rows.inner + j]); };
      int64_t best = begin;
      ForSegments(poll, end - begin, 1, [&](int64_t from, int64_t to) {
        for (int64_t i = begin + std::max<int64_t>(from, 1); i < begin + to; ++i) {
          if (last ? !IsBeyond(at(best), at(i), greatest) : IsBeyond(at(i), at(best), greatest)) {
            best = i;
          }
        }
      });
      out[row * rows.inner + j] = best - begin;
    }
  });
}

MadeKernel MakeArg(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool last, request.call.attributes.Bool("last"));
  bool greatest = request.call.op.name == "segment_argmax";
  return MakeKernel([greatest, last](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
    Shape shape = rows.values.shape();
    shape.set_dim(0, rows.count);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    for (int64_t row = 0; rows.inner > 0 && row < rows.count; ++row) {
      if (IntAt(rows.splits, row) < IntAt(rows.splits, row + 1)) continue;
      return WithConstraint(
          "C4", InvalidArgument("row ", row, ": expected at least one value, found none"));
    }
    return VisitOrdered(rows.values.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, std::string_view>) {
        return WithConstraint("C2", Internal("strings have no greatest value"));
      } else {
        return FindInRows<T>(context, rows, greatest, last, out->mutable_elements<int64_t>());
      }
    });
  });
}

template <class T>
Status SumRows(KernelContext& context, const SegmentRows& rows, bool exclusive, bool reverse,
               T* out) {
  const T* in = rows.values.elements<T>().data();
  return ForRows(context, rows, [&](StopPoll& poll, int64_t, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < rows.inner; ++j) {
      Wide<T> sum{};
      ForSegments(poll, end - begin, 1, [&](int64_t from, int64_t to) {
        for (int64_t step = from; step < to; ++step) {
          int64_t i = (reverse ? end - 1 - step : begin + step) * rows.inner + j;
          if (exclusive) out[i] = Narrow<T>(sum);
          sum = Add(sum, Widen(in[i]));
          if (!exclusive) out[i] = Narrow<T>(sum);
        }
      });
    }
  });
}

MadeKernel MakeCumsum(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool exclusive, request.call.attributes.Bool("exclusive"));
  SIGNET_ASSIGN_OR_RETURN(bool reverse, request.call.attributes.Bool("reverse"));
  return MakeKernel([exclusive, reverse](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, rows.values.shape()));
    return VisitDType(rows.values.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string_view>) {
        return WithConstraint("C2",
                              Internal("dtype `", NameOf(rows.values.dtype()), "` has no sum"));
      } else {
        return SumRows<T>(context, rows, exclusive, reverse, out->mutable_elements<T>());
      }
    });
  });
}

constexpr KernelDef kRowOrderKernels[] = {
    {"segment_argmax", MakeArg},
    {"segment_argmin", MakeArg},
    {"segment_cumsum", MakeCumsum},
    {"segment_sort", MakeSort},
};

}  // namespace

std::span<const KernelDef> RowOrderKernels() { return kRowOrderKernels; }

}  // namespace signet
