#include "core/runtime/measured_cost.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace signet {
namespace {

constexpr int64_t kNewest = 8;         // the last run has 1/8 of the weight
constexpr int64_t kNegligible = 1000;  // nanoseconds; a smaller average is 0
// A class of quick runs is not written at each run, so that processors do not contend for it.
constexpr int64_t kQuick = 50'000;  // nanoseconds
constexpr size_t kMostComponents = 16;
constexpr int64_t kMostIntegers = 4;

uint64_t Mix(uint64_t hash, uint64_t part) { return (hash + part + 1) * 0x9e3779b97f4a7c15; }

// Adds the sizes of a component of an argument to the hash.
uint64_t MixSizes(uint64_t hash, const Tensor& tensor) {
  if (!tensor.has_value()) return Mix(hash, 0);
  hash = Mix(hash, static_cast<uint64_t>(std::bit_width(tensor.num_bytes())));
  if (!IsInteger(tensor.dtype()) || tensor.num_elements() > kMostIntegers) return hash;
  const size_t size = SizeOf(tensor.dtype());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    uint64_t bits = 0;  // of a negative number, a large number
    std::memcpy(&bits, tensor.data().data() + static_cast<size_t>(i) * size, size);
    hash = Mix(hash, static_cast<uint64_t>(std::bit_width(bits)));
  }
  return hash;
}

}  // namespace

size_t MeasuredCost::ClassOf(std::span<const Value> arguments) {
  uint64_t hash = 0;
  size_t components = 0;
  for (const Value& argument : arguments) {
    for (const Tensor& tensor : argument.components()) {
      if (++components > kMostComponents) break;
      hash = MixSizes(hash, tensor);
    }
  }
  static_assert(kClasses == 64);
  return hash >> 58;
}

void MeasuredCost::Record(size_t call_class, Nanoseconds ran) {
  std::atomic<uint32_t>& entry = classes_[call_class];
  const uint32_t old = entry.load(std::memory_order_relaxed);
  const int64_t time = std::clamp<int64_t>(ran.count(), 0, kMostRun.count());
  if (old == 0 && time <= kQuick) return;
  int64_t average = old >> 1;
  average += (time - average) / kNewest;
  if (average < kNegligible) average = 0;
  const bool was_long = (old & kIsLong) != 0;
  const bool is_long = average > (was_long ? kShort : kLong).count();
  entry.store(static_cast<uint32_t>(average) << 1 | (is_long ? kIsLong : 0),
              std::memory_order_relaxed);
}

}  // namespace signet
