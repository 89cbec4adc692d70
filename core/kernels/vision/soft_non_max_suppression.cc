// The kernel of `soft_non_max_suppression`.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/vision/box.h"
#include "core/kernels/vision/vision_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// A box that may still be selected.
struct Candidate {
  int64_t index;
  int64_t num_applied;  // selected boxes that have lowered the score
  float score;
};

// Returns true if `b` is selected before `a`.
bool ComesAfter(const Candidate& a, const Candidate& b) {
  return a.score < b.score || (a.score == b.score && a.index > b.index);
}

struct Limits {
  int64_t most = 0;
  float threshold = 0;
  float score_threshold = -std::numeric_limits<float>::infinity();
  float sigma = 0;
};

StatusOr<Limits> LimitsOf(const KernelContext& context, bool overlaps) {
  Limits limits{.most = context.input(2).scalar<int64_t>(),
                .threshold = context.input(3).scalar<float>()};
  auto given = [&](size_t i) { return context.num_inputs() > i && context.input(i).has_value(); };
  if (given(4)) limits.score_threshold = context.input(4).scalar<float>();
  if (given(5)) limits.sigma = context.input(5).scalar<float>();
  if (!(limits.sigma >= 0)) {
    return WithConstraint("C4",
                          InvalidArgument("sigma: expected at least 0, found ", limits.sigma));
  }
  if (!overlaps && !(limits.threshold >= 0 && limits.threshold <= 1)) {
    return WithConstraint("C4",
                          InvalidArgument("threshold: expected 0 to 1, found ", limits.threshold));
  }
  return limits;
}

Status Select(KernelContext& context, bool overlaps) {
  const Tensor& boxes = context.input(0);
  const Tensor& scores = context.input(1);
  for (size_t i = 2; i < context.num_inputs(); ++i) {
    if (!context.input(i).has_value() || context.input(i).rank() == 0) continue;
    return WithConstraint("C2", InvalidArgument("input ", i, ": expected a scalar, found shape `",
                                                context.input(i).shape(), "`"));
  }
  const int64_t count = scores.num_elements();
  const Shape wanted = {count, overlaps ? count : 4};
  if (scores.rank() != 1 || boxes.shape() != wanted) {
    return WithConstraint(
        "C1", InvalidArgument("expected one score per box, found scores of shape `", scores.shape(),
                              "` and input 0 of shape `", boxes.shape(), "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(Limits limits, LimitsOf(context, overlaps));
  const int64_t most = std::clamp<int64_t>(limits.most, 0, count);
  auto room = [&](int64_t elements, size_t size) {
    return context.Scratch(static_cast<size_t>(elements) * size);
  };
  SIGNET_ASSIGN_OR_RETURN(std::byte * heap_room, room(count, sizeof(Candidate)));
  SIGNET_ASSIGN_OR_RETURN(std::byte * selected_room, room(most, sizeof(int64_t)));
  SIGNET_ASSIGN_OR_RETURN(std::byte * score_room, room(most, sizeof(float)));
  auto* heap = reinterpret_cast<Candidate*>(heap_room);
  auto* selected = reinterpret_cast<int64_t*>(selected_room);
  auto* selected_scores = reinterpret_cast<float*>(score_room);
  StopPoll poll(context);

  const float* given = scores.elements<float>().data();
  int64_t candidates = 0;
  for (int64_t i = 0; i < count; ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(20));
    if (!(given[i] > limits.score_threshold)) continue;
    heap[candidates++] = {.index = i, .num_applied = 0, .score = given[i]};
    std::push_heap(heap, heap + candidates, ComesAfter);
  }

  const float* values = boxes.elements<float>().data();
  auto overlap = [&](int64_t a, int64_t b) {
    if (overlaps) return values[a * count + b];
    return OverlapOf(Box::FromCorners(values + 4 * a), Box::FromCorners(values + 4 * b));
  };
  const bool is_soft = limits.sigma > 0;
  const float scale = is_soft ? -0.5F / limits.sigma : 0;
  int64_t num_selected = 0;
  while (num_selected < most && candidates > 0) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(200));
    std::pop_heap(heap, heap + candidates, ComesAfter);
    Candidate next = heap[--candidates];
    const float before = next.score;
    bool is_dropped = false;
    for (int64_t k = num_selected; k-- > next.num_applied;) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(is_soft ? 20 : 8));
      const float shared = overlap(next.index, selected[k]);
      if (!is_soft && shared > limits.threshold) {
        is_dropped = true;
        break;
      }
      if (is_soft) {
        next.score *= shared <= limits.threshold ? std::exp(scale * shared * shared) : 0;
      }
      if (!(next.score > limits.score_threshold)) break;
    }
    next.num_applied = num_selected;
    if (is_dropped) continue;
    if (next.score == before) {
      selected[num_selected] = next.index;
      selected_scores[num_selected++] = next.score;
    } else if (next.score > limits.score_threshold) {
      heap[candidates++] = next;
      std::push_heap(heap, heap + candidates, ComesAfter);
    }
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * indices, context.Allocate(0, {num_selected}));
  SIGNET_ASSIGN_OR_RETURN(Tensor * kept_scores, context.Allocate(1, {num_selected}));
  std::copy_n(selected, num_selected, indices->mutable_elements<int64_t>());
  std::copy_n(selected_scores, num_selected, kept_scores->mutable_elements<float>());
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<Kernel>> MakeSoft(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool overlaps, request.call.attributes.Bool("overlaps"));
  auto kernel =
      MakeKernel([overlaps](KernelContext& context) { return Select(context, overlaps); });
  const double count = GuessElements(request.call.inputs[1]);
  kernel->set_cost(200 + count * (200 + 2 * count));
  return kernel;
}

constexpr KernelDef kSoftNonMaxSuppressionKernels[] = {
    {"soft_non_max_suppression", MakeSoft},
};

}  // namespace

std::span<const KernelDef> SoftNonMaxSuppressionKernels() { return kSoftNonMaxSuppressionKernels; }

}  // namespace signet
