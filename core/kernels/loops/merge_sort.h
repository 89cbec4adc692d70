// MergeSort: a stable sort that checks from time to time whether its call must end.

#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/kernels/def/stop_poll.h"

namespace signet {

// The number of elements that are sorted without scratch memory.
inline constexpr int64_t kSortedAtOnce = 8192;

// Returns the number of elements of scratch memory that MergeSort requires for `count` elements.
inline int64_t MergeScratch(int64_t count) { return count > kSortedAtOnce ? count : 0; }

// Sorts `count` items by `less`; equal items keep their order. `scratch` has room for
// MergeScratch(count) items. Returns false if the call must end; the order of the items is then
// unspecified.
template <class T, class Less>
requires std::is_trivially_copyable_v<T>
bool MergeSort(StopPoll& poll, T* items, T* scratch, int64_t count, Less less) {
  constexpr int64_t kCompare = 8;  // nanoseconds
  for (int64_t begin = 0; begin < count; begin += kSortedAtOnce) {
    const int64_t end = std::min(count, begin + kSortedAtOnce);
    if (poll.Stops((end - begin) * kCompare * 10)) return false;
    std::stable_sort(items + begin, items + end, less);
  }
  auto copy = [&](const T* begin, const T* end, T* out) {
    return CopyBytes(poll, reinterpret_cast<std::byte*>(out),
                     reinterpret_cast<const std::byte*>(begin),
                     static_cast<size_t>(end - begin) * sizeof(T));
  };
  T* from = items;
  T* to = scratch;
  for (int64_t width = kSortedAtOnce; width < count; width *= 2) {
    for (int64_t begin = 0; begin < count; begin += 2 * width) {
      T* left = from + begin;
      T* const middle = from + std::min(count, begin + width);
      T* right = middle;
      T* const end = from + std::min(count, begin + 2 * width);
      T* out = to + begin;
      while (left < middle && right < end) {
        if (poll.Stops(kCompare)) return false;
        *out++ = less(*right, *left) ? *right++ : *left++;
      }
      if (!copy(left, middle, out) || !copy(right, end, out + (middle - left))) return false;
    }
    std::swap(from, to);
  }
  return from == items || copy(from, from + count, items);
}

}  // namespace signet
