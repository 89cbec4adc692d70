// The kernels of `scatter_elements` and `scatter_nd`.

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/kernels/def/request.h"
#include "core/kernels/indexing/indexed.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/runs.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

enum class Reduction : uint8_t { kNone, kAdd, kMul, kMax, kMin };

StatusOr<Reduction> ReductionOf(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string named, request.call.attributes.String("reduction"));
  return named == "add"   ? Reduction::kAdd
         : named == "mul" ? Reduction::kMul
         : named == "max" ? Reduction::kMax
         : named == "min" ? Reduction::kMin
                          : Reduction::kNone;
}

// Combines `a` and `b`. Integers wrap around; the result is NaN if either is NaN.
template <class T>
T ReduceElements(Reduction reduction, T a, T b) {
  if constexpr (std::is_same_v<T, Float16>) {
    return ToFloat16(ReduceElements(reduction, ToFloat(a), ToFloat(b)));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToBFloat16(ReduceElements(reduction, ToFloat(a), ToFloat(b)));
  } else if constexpr (std::is_integral_v<T>) {
    auto wide_a = static_cast<uint64_t>(a);
    auto wide_b = static_cast<uint64_t>(b);
    if (reduction == Reduction::kAdd) return static_cast<T>(wide_a + wide_b);
    if (reduction == Reduction::kMul) return static_cast<T>(wide_a * wide_b);
    return reduction == Reduction::kMax ? std::max(a, b) : std::min(a, b);
  } else {
    if (reduction == Reduction::kAdd) return a + b;
    if (reduction == Reduction::kMul) return a * b;
    if (b != b) return b;
    return reduction == Reduction::kMax ? std::max(a, b) : std::min(a, b);
  }
}

// Consecutive runs that are next to each other both in the updates and in the result.
struct Stretch {
  int64_t position;
  int64_t count;
};
std::vector<Stretch> StretchesOf(std::span<const int64_t> positions) {
  std::vector<Stretch> stretches;
  for (int64_t position : positions) {
    if (!stretches.empty() && stretches.back().position + stretches.back().count == position) {
      ++stretches.back().count;
    } else {
      stretches.push_back({position, 1});
    }
  }
  return stretches;
}

Status Overwrite(KernelContext& context, std::span<const Stretch> stretches, const std::byte* from,
                 size_t size, std::byte* to) {
  StopPoll poll(context);
  for (const Stretch& stretch : stretches) {
    const size_t bytes = static_cast<size_t>(stretch.count) * size;
    if (!CopyBytes(poll, to + static_cast<size_t>(stretch.position) * size, from, bytes)) break;
    from += bytes;
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

// Sets output 0 to input 0, with runs of `inner` elements of input 2 written at `positions`, in
// order. `inner` is at least 1, and positions count runs.
Status Scatter(KernelContext& context, std::span<const int64_t> positions, int64_t inner,
               Reduction reduction) {
  const Tensor& x = context.input(0);
  const Tensor& updates = context.input(2);
  if (x.dtype() == DType::kString) {
    // The bytes of strings cannot be overwritten. Therefore, the source of each run of the result
    // is determined first.
    const int64_t runs = x.num_elements() / inner;
    SIGNET_ASSIGN_OR_RETURN(std::byte * room,
                            context.Scratch(static_cast<size_t>(runs) * sizeof(int64_t)));
    auto* from = reinterpret_cast<int64_t*>(room);
    SIGNET_RETURN_IF_ERROR(FillElements(context, from, runs, int64_t{-1}));
    SIGNET_RETURN_IF_ERROR(
        context.ForInOrder(std::ssize(positions), 2, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) from[positions[static_cast<size_t>(i)]] = i;
        }));
    return MoveRuns(context, 0, x.dtype(), x.shape(), [&](auto&& run) {
      for (int64_t i = 0; i < runs; ++i) {
        bool stays = from[i] < 0;
        if (!run(stays ? x : updates, (stays ? i : from[i]) * inner, inner)) return;
      }
    });
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
  if (x.num_elements() == 0) return absl::OkStatus();
  std::byte* bytes = out->data().mutable_data();
  SIGNET_RETURN_IF_ERROR(CopyBytes(context, bytes, x.data().data(), x.data().size()));
  StopPoll poll(context);
  if (reduction == Reduction::kNone) {
    size_t size = SizeOf(x.dtype()) * static_cast<size_t>(inner);
    const std::byte* from = updates.data().data();
    const auto cost = static_cast<int64_t>(2 + size / 4);
    for (int64_t position : positions) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(cost));
      std::memcpy(bytes + static_cast<size_t>(position) * size, from, size);
      from += size;
    }
    return absl::OkStatus();
  }
  return VisitDType(x.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string_view> ||
                  std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      return Internal("inference accepted a dtype that scatter ops do not support");
    } else {
      const T* from = updates.elements<T>().data();
      for (int64_t position : positions) {
        T* to = out->mutable_elements<T>() + position * inner;
        const bool goes_on = ForSegments(poll, inner, 2, [&](int64_t begin, int64_t end) {
          for (int64_t k = begin; k < end; ++k) to[k] = ReduceElements(reduction, to[k], *from++);
        });
        if (!goes_on) return context.CheckStop();
      }
      return absl::OkStatus();
    }
  });
}

MadeKernel MakeScatterElements(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(Reduction reduction, ReductionOf(request));
  return MakeKernel([given, reduction](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, x.rank())));
    SIGNET_RETURN_IF_ERROR(CheckIndexShape(x.shape(), indices.shape(), axis));
    // C4: each index is at least 0 and less than the size of `axis`.
    SIGNET_RETURN_IF_ERROR(
        WithConstraint("C4", CheckIndices(context, indices, x.shape().dim(axis))));
    // C6: there is one update per index.
    if (context.input(2).shape() != indices.shape()) {
      return WithConstraint(
          "C6", InvalidArgument("input 2: expected the shape of the indices, `", indices.spec(),
                                "`, found `", context.input(2).spec(), "`"));
    }
    auto count = static_cast<size_t>(indices.num_elements());
    SIGNET_ASSIGN_OR_RETURN(std::byte * room, context.Scratch(count * sizeof(int64_t)));
    auto* positions = reinterpret_cast<int64_t*>(room);
    StopPoll poll(context);
    VisitInts(indices, [&](auto all) {
      ForEachIndexed(x.shape(), indices.shape(), axis, [&](int64_t i, int64_t at, int64_t step) {
        positions[i] = at + all[static_cast<size_t>(i)] * step;
        return !poll.Stops(2);
      });
    });
    if (context.stopped()) return context.CheckStop();
    return Scatter(context, {positions, count}, 1, reduction);
  });
}

// Returns where a scatter_nd with constant indices writes its updates: a few stretches if the op
// results from an assignment to a slice. Returns nothing if the indices or the shape are not known,
// or if an index is out of range.
std::optional<std::vector<Stretch>> KnownStretches(const KernelRequest& request,
                                                   Reduction reduction) {
  const Tensor* indices = request.call.constant(1);
  const PartialShape& x = ShapeOf(request.call.inputs[0]);
  if (reduction != Reduction::kNone || indices == nullptr || indices->rank() == 0 ||
      !x.IsFullyDefined()) {
    return std::nullopt;
  }
  const int64_t width = indices->shape().dim(indices->rank() - 1);
  if (width < 1 || width > x.rank()) return std::nullopt;
  std::vector<int64_t> positions(static_cast<size_t>(indices->num_elements() / width));
  if (!FindPositions(nullptr, x.ToShape(), *indices, "", positions).ok()) return std::nullopt;
  return StretchesOf(positions);
}

MadeKernel MakeScatterNd(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(Reduction reduction, ReductionOf(request));
  auto known = KnownStretches(request, reduction);
  return MakeKernel([reduction, known = std::move(known)](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    // C2: the vectors of indices have at most as many elements as x has dimensions.
    int64_t width = indices.rank() == 0 ? -1 : indices.shape().dim(indices.rank() - 1);
    if (width < 0 || width > x.rank()) {
      return WithConstraint(
          "C2", InvalidArgument("input 1: expected vectors of at most ", x.rank(), " indices for `",
                                x.spec(), "`, found `", indices.spec(), "`"));
    }
    // C6: there is one update per vector, with the shape of the dimensions that are not indexed.
    auto outer = indices.shape().dims().first(static_cast<size_t>(indices.rank()) - 1);
    auto behind = x.shape().dims().subspan(static_cast<size_t>(width));
    Shape wanted(outer);
    for (int64_t dim : behind) wanted.push_back(dim);
    if (context.input(2).shape() != wanted) {
      return WithConstraint("C6", InvalidArgument("input 2: expected shape `", wanted, "`, found `",
                                                  context.input(2).spec(), "`"));
    }
    bool is_empty = wanted.num_elements() == 0;
    if (known && !is_empty && x.dtype() != DType::kString) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
      std::byte* bytes = out->data().mutable_data();
      SIGNET_RETURN_IF_ERROR(CopyBytes(context, bytes, x.data().data(), x.data().size()));
      return Overwrite(context, *known, context.input(2).data().data(),
                       SizeOf(x.dtype()) * static_cast<size_t>(Product(behind)), bytes);
    }
    int64_t count = is_empty ? 0 : Product(outer);
    SIGNET_ASSIGN_OR_RETURN(auto positions, PositionsOf(context, x.shape(), indices, count, "C4"));
    return Scatter(context, positions, is_empty ? 1 : Product(behind), reduction);
  });
}

constexpr KernelDef kScatterKernels[] = {{"scatter_elements", Moving<MakeScatterElements>},
                                         {"scatter_nd", Moving<MakeScatterNd>}};

}  // namespace

std::span<const KernelDef> ScatterKernels() { return kScatterKernels; }

}  // namespace signet
