#include "core/kernels/isa/pooling.h"

#include "core/kernels/isa/loops.h"

namespace signet {
namespace {

struct Larger {
  template <class T>
  static T Of(T x, T y) {
    return x > y ? x : y;
  }
};
struct Plus {
  template <class T>
  static T Of(T x, T y) {
    return x + y;
  }
};

template <class Step, class T>
void TakeRow(const T* x, int64_t stride, int64_t n, T* out) {
  SIGNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] = Step::Of(x[i * stride], out[i]);
}

template <class Step, class T>
void PoolRow(const void* x, int64_t stride, int64_t n, void* out) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  if (stride == 1) return TakeRow<Step>(from, 1, n, to);
  if (stride == 2) return TakeRow<Step>(from, 2, n, to);
  TakeRow<Step>(from, stride, n, to);
}

constexpr PoolTable MakeTable() {
  PoolTable table = {};
#define SIGNET_POOL_ROW(T, Name, number)                            \
  if constexpr (kIsReal<T>) table.max[number] = PoolRow<Larger, T>; \
  if constexpr (kIsFloating<T>) table.sum[number] = PoolRow<Plus, T>;
  SIGNET_ISA_DTYPES(SIGNET_POOL_ROW)
#undef SIGNET_POOL_ROW
  return table;
}

}  // namespace

const PoolTable& SIGNET_ISA_NAME(PoolTable)() {
  static constexpr PoolTable table = MakeTable();
  return table;
}

}  // namespace signet
