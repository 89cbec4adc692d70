// Reduction kernels: determine which elements are reduced to which results; the arithmetic is in
// simd/reduction.cc.

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/reduction/reduction_kernels.h"
#include "core/kernels/simd/reduction.h"
#include "core/ops/build/default_for_empty.h"
#include "core/ops/def/axis_set.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Adjacent dimensions that are all reduced or all kept, merged into one. A step along this
// dimension advances by `stride` elements and by `answers` results.
struct Group {
  int64_t size;
  bool reduced;
  int64_t stride = 1;
  int64_t answers = 1;
};
using Groups = absl::InlinedVector<Group, 6>;

Groups GroupsOf(const Shape& shape, AxisSet axes) {
  Groups groups;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t size = shape.dim(axis);
    if (size == 1) continue;
    bool reduced = HasAxis(axes, axis);
    if (!groups.empty() && groups.back().reduced == reduced) {
      groups.back().size *= size;
    } else {
      groups.push_back({size, reduced});
    }
  }
  if (groups.empty()) groups.push_back({1, true});
  for (size_t i = groups.size() - 1; i-- > 0;) {
    groups[i].stride = groups[i + 1].stride * groups[i + 1].size;
    groups[i].answers = groups[i + 1].answers * (groups[i + 1].reduced ? 1 : groups[i + 1].size);
  }
  return groups;
}

class ReductionKernel final : public Kernel {
 public:
  // `of_nothing` is the result of reducing no elements, a scalar. If it has no value, the neutral
  // element of the reduction is the result.
  ReductionKernel(const Reduction& reduction, DType dtype, ReducedAxes axes, bool keepdims,
                  Tensor of_nothing)
      : reduction_(reduction),
        size_(SizeOf(dtype)),
        axes_(std::move(axes)),
        keepdims_(keepdims),
        of_nothing_(std::move(of_nothing)) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    auto axes = axes_.computed ? ComputedAxes(context, x.rank()) : AxesOf(axes_.known, x.rank());
    if (!axes.ok()) return WithConstraint("C3", axes.status());
    SIGNET_ASSIGN_OR_RETURN(
        Tensor * out,
        context.Allocate(0, ReducedShape(PartialShape(x.shape()), *axes, keepdims_).ToShape()));
    Groups groups = GroupsOf(x.shape(), *axes);
    int64_t answers = out->num_elements();
    if (answers == 0) return absl::OkStatus();
    int64_t count = x.num_elements() / answers;
    if (count == 0 && of_nothing_.has_value()) {
      std::byte* to = out->data().mutable_data();
      for (int64_t i = 0; i < answers; ++i, to += size_) {
        std::memcpy(to, of_nothing_.data().data(), size_);
      }
      return absl::OkStatus();
    }

    // The outermost kept dimension is divided between threads.
    int64_t outer = groups[0].reduced ? 1 : groups[0].size;
    int64_t inner = answers / outer;
    const std::byte* from = x.data().data();
    std::byte* to = out->data().mutable_data();
    double unit = 5 + 0.2 * static_cast<double>(x.num_elements()) / static_cast<double>(outer);
    if (groups.size() == 2 && !groups[0].reduced && groups[1].reduced && count <= kAtOnce) {
      return context.For(outer, unit, [&](int64_t begin, int64_t end) {
        reduction_.whole(from + static_cast<size_t>(begin * count) * size_, end - begin, count,
                         to + static_cast<size_t>(begin) * size_);
      });
    }
    auto bytes = static_cast<size_t>(inner) * reduction_.accumulator_size;
    std::byte* scratch = nullptr;
    if (bytes > kOnStack) {
      SIGNET_ASSIGN_OR_RETURN(scratch, context.Scratch(bytes * static_cast<size_t>(outer)));
    }
    return context.For(outer, unit, [&](int64_t begin, int64_t end) {
      alignas(64) std::byte local[kOnStack];
      StopPoll poll(context);
      for (int64_t i = begin; i < end; ++i) {
        auto step = static_cast<size_t>(i);
        std::byte* accumulators = scratch == nullptr ? local : scratch + step * bytes;
        std::byte* own = to + step * static_cast<size_t>(inner) * size_;
        auto accumulator = [&](int64_t first) {
          return accumulators + static_cast<size_t>(first) * reduction_.accumulator_size;
        };
        bool goes_on = ForParts(poll, inner, [&](int64_t first, int64_t n) {
          reduction_.start(accumulator(first), n);
        });
        if (groups[0].reduced) {
          goes_on = goes_on && Reduce(poll, groups, 0, from, accumulators);
        } else if (groups.size() == 1) {
          reduction_.run(from + step * size_, 1, accumulators);
        } else {
          const std::byte* x_step = from + step * static_cast<size_t>(groups[0].stride) * size_;
          goes_on = goes_on && Reduce(poll, groups, 1, x_step, accumulators);
        }
        goes_on = goes_on && ForParts(poll, inner, [&](int64_t first, int64_t n) {
                    reduction_.finish(accumulator(first), n, count,
                                      own + static_cast<size_t>(first) * size_);
                  });
        if (!goes_on) return;
      }
    });
  }

 private:
  static constexpr size_t kOnStack = 1024;              // bytes
  static constexpr int64_t kAtOnce = int64_t{1} << 20;  // elements between two checks

  // Calls run(first, n) for parts of [0, count), in order. Returns false if the call must end.
  template <class Run>
  static bool ForParts(StopPoll& poll, int64_t count, Run run) {
    for (int64_t first = 0; first < count; first += kAtOnce) {
      const int64_t n = std::min(kAtOnce, count - first);
      if (poll.Stops(5 + n / 2)) return false;
      run(first, n);
    }
    return true;
  }

  StatusOr<AxisSet> ComputedAxes(const KernelContext& context, int rank) const {
    std::optional<std::vector<int64_t>> named;
    SIGNET_ASSIGN_OR_RETURN(named, IntsPerDimension(context, 1));
    if (named->empty() && axes_.empty_is_all) named.reset();
    return AxesOf(named, rank);
  }

  // Returns false if the call must end.
  bool Reduce(StopPoll& poll, const Groups& groups, size_t g, const std::byte* x,
              std::byte* accumulators) const {
    const Group& group = groups[g];
    if (g + 1 == groups.size()) {
      return ForParts(poll, group.size, [&](int64_t first, int64_t n) {
        const std::byte* from = x + static_cast<size_t>(first) * size_;
        if (group.reduced) {
          reduction_.run(from, n, accumulators);
        } else {
          reduction_.rows(from, n,
                          accumulators + static_cast<size_t>(first) * reduction_.accumulator_size);
        }
      });
    }
    size_t step = static_cast<size_t>(group.stride) * size_;
    size_t answers =
        group.reduced ? 0 : static_cast<size_t>(group.answers) * reduction_.accumulator_size;
    for (int64_t i = 0; i < group.size; ++i) {
      if (!Reduce(poll, groups, g + 1, x, accumulators)) return false;
      x += step;
      accumulators += answers;
    }
    return true;
  }

  const Reduction& reduction_;
  const size_t size_;
  const ReducedAxes axes_;
  const bool keepdims_;
  const Tensor of_nothing_;
};

StatusOr<std::unique_ptr<Kernel>> MakeReduction(const KernelRequest& request) {
  const ReductionTable& table = SIGNET_ACTIVE_TABLE(ReductionTable);
  DType dtype = DTypeIn(request.call.inputs[0]);
  const Reduction* reduction = nullptr;
  for (const ReductionRow& row : table.rows) {
    if (row.op == request.call.op.name) reduction = &row.by_dtype[static_cast<int>(dtype)];
  }
  SIGNET_CHECK(reduction != nullptr && reduction->accumulator_size > 0);
  SIGNET_ASSIGN_OR_RETURN(ReducedAxes axes, ReadReducedAxes(request.call));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, request.call.attributes.Bool("keepdims"));
  SIGNET_ASSIGN_OR_RETURN(Tensor of_nothing, DefaultForEmpty(request.call.attributes, dtype));
  auto kernel = std::make_unique<ReductionKernel>(*reduction, dtype, std::move(axes), keepdims,
                                                  std::move(of_nothing));
  kernel->set_cost(50 + 0.3 * GuessElements(request.call.inputs[0]));
  return kernel;
}

constexpr KernelDef kReductionKernels[] = {
    {"reduce_all", MakeReduction},  {"reduce_any", MakeReduction}, {"reduce_max", MakeReduction},
    {"reduce_mean", MakeReduction}, {"reduce_min", MakeReduction}, {"reduce_prod", MakeReduction},
    {"reduce_sum", MakeReduction},
};

}  // namespace

std::span<const KernelDef> ReductionKernels() { return kReductionKernels; }

}  // namespace signet
