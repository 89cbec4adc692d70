// Kernels that join tensors: concat, stack.

#include <algorithm>
#include <cstring>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/shape/shape_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

int64_t Product(const Shape& shape, int first, int last) {
  int64_t product = 1;
  for (int axis = first; axis < last; ++axis) product *= shape.dim(axis);
  return product;
}

// Copies steps [begin, end) of one input after another, so that the written part of the output
// stays in cache.
template <class T>
void InterleaveNumbers(const KernelContext& context, int64_t outer, int64_t begin, int64_t end,
                       int64_t step, T* out) {
  int64_t at = 0;
  for (size_t i = 0; i < context.num_inputs(); ++i) {
    const Tensor& x = context.input(i);
    const int64_t inner = x.num_elements() / outer;
    if (inner == 0) continue;  // `from` would be null
    const T* from = reinterpret_cast<const T*>(x.data().data()) + begin * inner;
    T* to = out + begin * step + at;
    at += inner;
    if (inner == 1) {
      for (int64_t o = begin; o < end; ++o, to += step) *to = *from++;
      continue;
    }
    for (int64_t o = begin; o < end; ++o, to += step, from += inner) {
      std::memcpy(to, from, static_cast<size_t>(inner) * sizeof(T));
    }
  }
}

// Writes output 0 of `shape`: for each of `outer` steps, the next elements of each input in turn.
Status Interleave(KernelContext& context, const Shape& shape, int64_t outer) {
  size_t n = context.num_inputs();
  const bool is_string = context.input(0).is_string();
  const size_t width = is_string ? 0 : SizeOf(context.input(0).dtype());
  constexpr int64_t kLongStep = int64_t{1} << 22;  // elements; MoveRuns is as fast for longer steps
  const bool is_long = shape.num_elements() / std::max<int64_t>(outer, 1) > kLongStep;
  if (outer > 1 && !is_long && (width == 4 || width == 8)) {
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    const int64_t step = out->num_elements() / outer;
    const int64_t at_once = std::max<int64_t>(1, 4096 / step);
    const int64_t blocks = (outer + at_once - 1) / at_once;
    std::byte* to = out->data().mutable_data();
    double cost = static_cast<double>(at_once) *
                  (0.2 * static_cast<double>(step) + 2.0 * static_cast<double>(n));
    return context.For(blocks, cost, [&](int64_t first, int64_t last) {
      for (int64_t block = first; block < last; ++block) {
        const int64_t begin = block * at_once;
        const int64_t end = std::min(outer, begin + at_once);
        if (width == 4) {
          InterleaveNumbers(context, outer, begin, end, step, reinterpret_cast<uint32_t*>(to));
        } else {
          InterleaveNumbers(context, outer, begin, end, step, reinterpret_cast<uint64_t*>(to));
        }
      }
    });
  }
  return MoveRuns(context, 0, context.input(0).dtype(), shape, [&](auto&& run) {
    for (int64_t o = 0; o < outer; ++o) {
      for (size_t i = 0; i < n; ++i) {
        const Tensor& x = context.input(i);
        int64_t inner = x.num_elements() / outer;
        if (!run(x, o * inner, inner)) return;
      }
    }
  });
}

MadeKernel MakeConcat(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    Shape shape = context.input(0).shape();
    if (shape.rank() == 0)
      return WithConstraint(
          "C2", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C3", NormalizeAxis(given, shape.rank())));
    int64_t length = shape.dim(axis);
    for (size_t i = 1; i < context.num_inputs(); ++i) {
      Shape other = context.input(i).shape();
      bool same_rank = other.rank() == shape.rank();
      if (same_rank) {
        length += other.dim(axis);
        other.set_dim(axis, shape.dim(axis));
      }
      if (other != shape) {
        return WithConstraint(
            same_rank ? "C4" : "C2",
            InvalidArgument("input ", i, ": expected the dimensions of input 0, `",
                            context.input(0).spec(), "`, with any size along axis ", axis,
                            ", found `", context.input(i).spec(), "`"));
      }
    }
    shape.set_dim(axis, length);
    return Interleave(context, shape, Product(shape, 0, axis));
  });
}

MadeKernel MakeStack(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Shape& first = context.input(0).shape();
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C3", NormalizeAxis(given, first.rank() + 1)));
    for (size_t i = 1; i < context.num_inputs(); ++i) {
      if (context.input(i).shape() != first) {
        return WithConstraint(
            "C2", InvalidArgument("input ", i, ": expected the shape of input 0, `", first,
                                  "`, found `", context.input(i).spec(), "`"));
      }
    }
    Shape shape(first.dims().first(static_cast<size_t>(axis)));
    shape.push_back(static_cast<int64_t>(context.num_inputs()));
    for (int64_t dim : first.dims().subspan(static_cast<size_t>(axis))) shape.push_back(dim);
    return Interleave(context, shape, Product(first, 0, axis));
  });
}

constexpr KernelDef kJoiningKernels[] = {
    {"concat", Moving<MakeConcat>},
    {"stack", Moving<MakeStack>},
};

}  // namespace

std::span<const KernelDef> JoiningKernels() { return kJoiningKernels; }

}  // namespace signet
