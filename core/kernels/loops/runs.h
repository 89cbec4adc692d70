// MoveRuns: copies elements of any dtype from inputs to an output.
//
// An op that only moves data lists the runs of elements that form its output, in output order:
//
//   return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
//     run(x, 4, 2);      // elements 4 and 5 of x
//     run(blank, 0, 1);  // then the first of blank
//   });
//
// run.Strided(x, begin, step, count) and run.Picked(x, begin, indices) add runs of one element
// each.
//
// Numbers are copied as bytes. For strings, the list is generated twice, for sizes and for text,
// and must be the same both times; indices must be checked before. The runs must fill `shape`
// exactly. `run` returns false if the call must end; a long list should then stop.

#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "core/kernels/def/stop_poll.h"
#include "core/ops/def/inference.h"

namespace signet {

inline constexpr int64_t kMaxOutputText = int64_t{1} << 30;  // bytes of a string tensor

inline Status TooMuchText() {
  return ResourceExhausted("output text exceeds the limit of ", kMaxOutputText,
                           " bytes per tensor; pass fewer or shorter texts");
}

namespace runs_internal {

// Copies elements of kSize bytes after the previous ones.
template <size_t kSize>
class ElementCopier {
 public:
  ElementCopier(KernelContext& context, std::byte* to) : poll_(context), to_(to) {}

  bool operator()(const Tensor& from, int64_t begin, int64_t count) {
    const std::byte* source = from.data().data() + static_cast<size_t>(begin) * kSize;
    std::byte* const target = to_;
    to_ += static_cast<size_t>(count) * kSize;
    if (count != 1) return CopyBytes(poll_, target, source, static_cast<size_t>(count) * kSize);
    if (poll_.Stops(2)) return false;
    std::memcpy(target, source, kSize);
    return true;
  }

  // Copies `count` elements with distance `step`.
  bool Strided(const Tensor& from, int64_t begin, int64_t step, int64_t count) {
    return Each(count, [&, source = from.data().data()](int64_t i) {
      return source + (begin + i * step) * static_cast<int64_t>(kSize);
    });
  }
  // Copies the elements at `begin` + each of `indices`.
  template <class Index>
  bool Picked(const Tensor& from, int64_t begin, std::span<const Index> indices) {
    return Each(std::ssize(indices), [&, source = from.data().data()](int64_t i) {
      return source + (begin + indices[static_cast<size_t>(i)]) * static_cast<int64_t>(kSize);
    });
  }

 private:
  // Copies `count` elements; address(i) is the address of element `i`.
  template <class Address>
  bool Each(int64_t count, Address address) {
    std::byte* const to = to_;
    to_ += static_cast<size_t>(count) * kSize;
    return ForSegments(poll_, count, 1, [&](int64_t first, int64_t end) {
      std::byte* target = to + static_cast<size_t>(first) * kSize;
      for (int64_t i = first; i < end; ++i, target += kSize) {
        std::memcpy(target, address(i), kSize);
      }
    });
  }

  StopPoll poll_;
  std::byte* to_;
};

template <size_t kSize, class List>
void CopyElements(KernelContext& context, List& list, std::byte* to) {
  list(ElementCopier<kSize>(context, to));
}

// Calls `run` for each run of a list of strings.
template <class Run>
class TextRuns {
 public:
  explicit TextRuns(Run run) : run_(std::move(run)) {}

  bool operator()(const Tensor& from, int64_t begin, int64_t count) {
    return run_(from, begin, count);
  }
  bool Strided(const Tensor& from, int64_t begin, int64_t step, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (!run_(from, begin + i * step, 1)) return false;
    }
    return true;
  }
  template <class Index>
  bool Picked(const Tensor& from, int64_t begin, std::span<const Index> indices) {
    for (Index index : indices) {
      if (!run_(from, begin + index, 1)) return false;
    }
    return true;
  }

 private:
  Run run_;
};

// Returns the bytes of all strings of a list, at most kMaxOutputText + 1.
template <class List>
StatusOr<int64_t> CountText(KernelContext& context, List& list) {
  StopPoll poll(context);
  int64_t size = 0;
  list(TextRuns([&](const Tensor& from, int64_t begin, int64_t count) {
    auto offsets = from.offsets();
    size += offsets[static_cast<size_t>(begin + count)] - offsets[static_cast<size_t>(begin)];
    size = std::min(size, kMaxOutputText + 1);
    return !poll.Stops(4);
  }));
  SIGNET_RETURN_IF_ERROR(poll.Spend(0));
  return size;
}

// Copies the strings of a list, which have `size` bytes.
template <class List>
Status MoveStrings(KernelContext& context, size_t output, const Shape& shape, int64_t size,
                   List& list) {
  if (size > kMaxOutputText) return TooMuchText();
  StopPoll poll(context);
  SIGNET_ASSIGN_OR_RETURN(Tensor * out,
                          context.AllocateStrings(output, shape, static_cast<size_t>(size)));
  int64_t* offset = out->mutable_elements<int64_t>();
  auto* text = const_cast<std::byte*>(out->bytes().data());
  int64_t written = 0;
  *offset++ = 0;
  list(TextRuns([&](const Tensor& from, int64_t begin, int64_t count) {
    auto offsets =
        from.offsets().subspan(static_cast<size_t>(begin), static_cast<size_t>(count) + 1);
    for (size_t i = 1; i < offsets.size(); ++i) {
      if (poll.Stops(2)) return false;
      *offset++ = written + offsets[i] - offsets[0];
    }
    const int64_t length = offsets.back() - offsets[0];
    std::byte* target = text + written;
    written += length;
    return CopyBytes(poll, target, from.bytes().data() + offsets[0], static_cast<size_t>(length));
  }));
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

}  // namespace runs_internal

template <class List>
Status MoveRuns(KernelContext& context, size_t output, DType dtype, const Shape& shape, List list) {
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
  if (dtype == DType::kString) {
    SIGNET_ASSIGN_OR_RETURN(const int64_t size, runs_internal::CountText(context, list));
    return runs_internal::MoveStrings(context, output, shape, size, list);
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(output, shape));
  std::byte* to = out->data().mutable_data();
  switch (SizeOf(dtype)) {
    case 1:
      runs_internal::CopyElements<1>(context, list, to);
      break;
    case 2:
      runs_internal::CopyElements<2>(context, list, to);
      break;
    case 4:
      runs_internal::CopyElements<4>(context, list, to);
      break;
    case 8:
      runs_internal::CopyElements<8>(context, list, to);
      break;
    default:
      runs_internal::CopyElements<16>(context, list, to);
      break;
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

// A traversal of a tensor that begins at `start`: per dimension, a size and a stride in elements,
// which may be negative. One walk describes a slice, transpose, reverse, broadcast, or tile.
struct Walk {
  Dims sizes;
  Dims strides;
  int64_t start = 0;

  void Add(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
};

// Returns the strides of a dense tensor: [2, 3, 4] => [12, 4, 1].
Dims StridesOf(const Shape& shape);

// Returns the same walk with as few dimensions as possible, the last of which is contiguous if
// possible.
Walk Simplified(const Walk& walk);

// Calls run(from, begin, count), or run.Strided, along `walk`, a result of Simplified, until it
// returns false.
template <class Run>
void WalkRuns(const Tensor& from, const Walk& walk, Run&& run) {
  for (int64_t size : walk.sizes) {
    if (size == 0) return;
  }
  size_t rank = walk.sizes.size();
  if (rank == 0) {
    run(from, walk.start, 1);
    return;
  }
  int64_t inner = walk.sizes[rank - 1];
  int64_t step = walk.strides[rank - 1];
  Dims index(rank, 0);
  int64_t at = walk.start;
  while (true) {
    if (step == 1) {
      if (!run(from, at, inner)) return;
    } else {
      if (!run.Strided(from, at, step, inner)) return;
    }
    size_t axis = rank - 1;
    while (axis > 0) {
      --axis;
      at += walk.strides[axis];
      if (++index[axis] < walk.sizes[axis]) break;
      at -= walk.strides[axis] * walk.sizes[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (rank == 1) return;
  }
}

// Writes the elements along `walk` to output `output` of `shape`.
Status MoveWalk(KernelContext& context, size_t output, const Tensor& from, const Shape& shape,
                const Walk& walk);

}  // namespace signet
