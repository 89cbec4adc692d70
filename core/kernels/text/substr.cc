// The kernel of `substr`.

#include <algorithm>
#include <string>

#include "core/kernels/loops/broadcast.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/characters.h"
#include "core/kernels/text/text_kernels.h"
#include "core/kernels/text/text_segments.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Returns the part [start, start + length) of `text`, clipped to the text.
std::string_view Part(StopPoll& poll, std::string_view text, int64_t start, int64_t length,
                      bool utf8) {
  int64_t size = utf8 ? NumCharacters(poll, text) : static_cast<int64_t>(text.size());
  if (start < 0) start = std::max<int64_t>(0, start + size);
  start = std::min(start, size);
  length = std::min(length, size - start);
  if (!utf8) return text.substr(static_cast<size_t>(start), static_cast<size_t>(length));
  // Returns the byte offset of character `count`.
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
  return MakeKernel([start, most, utf8 = unit == "utf8"](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    StopPoll poll(context);
    auto numbers_at = [&](size_t i) {
      return context.num_inputs() > i && context.input(i).has_value() ? &context.input(i) : nullptr;
    };
    const Tensor* starts = numbers_at(1);
    const Tensor* lengths = numbers_at(2);
    if (starts == nullptr && lengths == nullptr) {
      return WriteParts(context, 0, x.shape(), [&](int64_t i, auto take) {
        take(Part(poll, x.string_at(i), start, most, utf8));
      });
    }
    const Shape scalar;
    const Shape* shapes[] = {&x.shape(), starts == nullptr ? &scalar : &starts->shape(),
                             lengths == nullptr ? &scalar : &lengths->shape()};
    SIGNET_ASSIGN_OR_RETURN(BroadcastPlan plan, WithConstraint("C4", BroadcastPlan::Make(shapes)));
    for (int64_t i = 0; lengths != nullptr && i < lengths->num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(1));
      const int64_t given = lengths->elements<int64_t>()[static_cast<size_t>(i)];
      if (given < 0) {
        return WithConstraint("C3", InvalidArgument("length: expected at least 0, found ", given));
      }
    }
    return WriteParts(context, 0, plan.shape(), [&](int64_t i, auto take) {
      auto number = [&](const Tensor* numbers, size_t operand, int64_t otherwise) {
        if (numbers == nullptr) return otherwise;
        return numbers->elements<int64_t>()[static_cast<size_t>(plan.IndexIn(operand, i))];
      };
      take(Part(poll, x.string_at(plan.IndexIn(0, i)), number(starts, 1, start),
                number(lengths, 2, most), utf8));
    });
  });
}

constexpr KernelDef kSubstrKernels[] = {{"substr", MakeSubstr}};

}  // namespace

std::span<const KernelDef> SubstrKernels() { return kSubstrKernels; }

}  // namespace signet
