// Products of matrices: Eigen's blocked kernel for float32 and float64, plain loops for vectors,
// small matrices and the other dtypes.

#include "core/kernels/isa/gemm.h"

#include <Eigen/Core>

#include "core/kernels/isa/loops.h"

namespace signet {
namespace {

// --- plain loops
// ------------------------------------------------------------------------------------

template <class T>
T DotProduct(const T* x, const T* y, int64_t n) {
  constexpr int kLanes = 32;
  T sum(0);
  int64_t i = 0;
  if (n >= kLanes) {
    T lanes[kLanes];
    for (int j = 0; j < kLanes; ++j) lanes[j] = x[j] * y[j];
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (int j = 0; j < kLanes; ++j) lanes[j] += x[i + j] * y[i + j];
    }
    for (int j = 0; j < kLanes; ++j) sum += lanes[j];
  }
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// One row of the product: out[n] = sum of x[i * step] * b[i][n].
template <class T>
void RowTimesMatrix(const T* x, int64_t step, const T* b, int64_t stride, int64_t k, int64_t n,
                    T* out) {
  constexpr int64_t kColumns = 1024;  // of the output at a time, to stay in cache
  for (int64_t first = 0; first < n; first += kColumns) {
    int64_t count = std::min(kColumns, n - first);
    T* sums = out + first;
    std::fill_n(sums, count, T(0));
    int64_t i = 0;
    for (; i + 4 <= k; i += 4) {
      const T* rows = b + i * stride + first;
      T x0 = x[i * step];
      T x1 = x[(i + 1) * step];
      T x2 = x[(i + 2) * step];
      T x3 = x[(i + 3) * step];
      SIGNET_INDEPENDENT
      for (int64_t j = 0; j < count; ++j) {
        sums[j] += x0 * rows[j] + x1 * rows[j + stride] + x2 * rows[j + 2 * stride] +
                   x3 * rows[j + 3 * stride];
      }
    }
    for (; i < k; ++i) {
      const T* row = b + i * stride + first;
      T x0 = x[i * step];
      SIGNET_INDEPENDENT
      for (int64_t j = 0; j < count; ++j) sums[j] += x0 * row[j];
    }
  }
}

template <class T>
void PlainGemm(const GemmArguments& g) {
  const T* a = static_cast<const T*>(g.a);
  const T* b = static_cast<const T*>(g.b);
  T* c = static_cast<T*>(g.c);
  int64_t row_step = g.transpose_a ? 1 : g.a_stride;
  int64_t sum_step = g.transpose_a ? g.a_stride : 1;
  for (int64_t i = 0; i < g.m; ++i) {
    const T* x = a + i * row_step;
    T* out = c + i * g.c_stride;
    if (!g.transpose_b) {
      RowTimesMatrix(x, sum_step, b, g.b_stride, g.k, g.n, out);
    } else if (sum_step == 1) {
      for (int64_t j = 0; j < g.n; ++j) out[j] = DotProduct(x, b + j * g.b_stride, g.k);
    } else {
      for (int64_t j = 0; j < g.n; ++j) {
        T sum(0);
        for (int64_t l = 0; l < g.k; ++l) sum += x[l * sum_step] * b[j * g.b_stride + l];
        out[j] = sum;
      }
    }
  }
}

template <class T>
void RunPlain(const GemmArguments& arguments, void*) {
  PlainGemm<T>(arguments);
}

size_t NoScratch(int64_t, int64_t, int64_t) { return 0; }

// --- Eigen
// ------------------------------------------------------------------------------------------

// Eigen's products are of column-major matrices: c' = b' * a', which is n x m, summed over k.
template <class T>
class Blocking : public Eigen::internal::level3_blocking<T, T> {
 public:
  Blocking(int64_t m, int64_t n, int64_t k, void* scratch) {
    this->m_mc = n;
    this->m_nc = m;
    this->m_kc = k;
    Eigen::internal::computeProductBlockingSizes<T, T, 1>(this->m_kc, this->m_mc, this->m_nc,
                                                          Eigen::Index{1});
    size_a_ = Padded(static_cast<size_t>(this->m_mc * this->m_kc) * sizeof(T));
    size_b_ = Padded(static_cast<size_t>(this->m_kc * this->m_nc) * sizeof(T));
    if (scratch != nullptr) {
      this->m_blockA = static_cast<T*>(scratch);
      this->m_blockB = reinterpret_cast<T*>(static_cast<std::byte*>(scratch) + size_a_);
    }
  }
  size_t size() const { return size_a_ + size_b_; }

 private:
  static size_t Padded(size_t bytes) { return (bytes + 127) / 64 * 64; }

  size_t size_a_;
  size_t size_b_;
};

template <class T>
size_t BlockingSize(int64_t m, int64_t n, int64_t k) {
  return Blocking<T>(m, n, k, nullptr).size();
}

template <class T, int order_b, int order_a>
void EigenGemm(const GemmArguments& g, void* scratch) {
  Blocking<T> blocking(g.m, g.n, g.k, scratch);
  for (int64_t i = 0; i < g.m; ++i) std::fill_n(static_cast<T*>(g.c) + i * g.c_stride, g.n, T(0));
  Eigen::internal::general_matrix_matrix_product<Eigen::Index, T, order_b, false, T, order_a, false,
                                                 Eigen::ColMajor,
                                                 1>::run(g.n, g.m, g.k, static_cast<const T*>(g.b),
                                                         g.b_stride, static_cast<const T*>(g.a),
                                                         g.a_stride, static_cast<T*>(g.c), 1,
                                                         g.c_stride, T(1), blocking, nullptr);
}

template <class T>
void RunEigen(const GemmArguments& g, void* scratch) {
  // A single column is a single row of the transposed product.
  if (g.n == 1 && g.m > 1 && g.c_stride == 1 && (g.transpose_b || g.b_stride == 1)) {
    PlainGemm<T>({.a = g.b,
                  .b = g.a,
                  .c = g.c,
                  .m = 1,
                  .n = g.m,
                  .k = g.k,
                  .a_stride = g.k,
                  .b_stride = g.a_stride,
                  .c_stride = g.m,
                  .transpose_a = false,
                  .transpose_b = !g.transpose_a});
    return;
  }
  // Packing pays from a few rows on.
  if (g.m == 1 || g.m * g.n * g.k < 8192) {
    PlainGemm<T>(g);
    return;
  }
  constexpr int kColumns = Eigen::ColMajor;
  constexpr int kRows = Eigen::RowMajor;
  if (g.transpose_a) {
    g.transpose_b ? EigenGemm<T, kRows, kRows>(g, scratch)
                  : EigenGemm<T, kColumns, kRows>(g, scratch);
  } else {
    g.transpose_b ? EigenGemm<T, kRows, kColumns>(g, scratch)
                  : EigenGemm<T, kColumns, kColumns>(g, scratch);
  }
}

template <class T>
void Widen(const void* x, float* out, int64_t n) {
  Load(static_cast<const T*>(x), out, n);
}
template <class T>
void Narrow(const float* x, void* out, int64_t n) {
  Store(x, static_cast<T*>(out), n);
}

constexpr GemmTable MakeTable() {
  GemmTable table = {};
  auto entry = [&](DTypeNumber dtype) -> Gemm& { return table.by_dtype[static_cast<int>(dtype)]; };
  entry(DTypeNumber::kFloat32) = {RunEigen<float>, BlockingSize<float>, 60};
  entry(DTypeNumber::kFloat64) = {RunEigen<double>, BlockingSize<double>, 30};
  // Signed numbers wrap as unsigned ones do.
  entry(DTypeNumber::kInt32) = entry(DTypeNumber::kUInt32) = {RunPlain<uint32_t>, NoScratch, 5};
  entry(DTypeNumber::kInt64) = entry(DTypeNumber::kUInt64) = {RunPlain<uint64_t>, NoScratch, 2};
  entry(DTypeNumber::kComplex64) = {RunPlain<std::complex<float>>, NoScratch, 1};
  entry(DTypeNumber::kComplex128) = {RunPlain<std::complex<double>>, NoScratch, 1};
  table.widen_float16 = Widen<HalfBits>;
  table.widen_bfloat16 = Widen<BrainBits>;
  table.narrow_float16 = Narrow<HalfBits>;
  table.narrow_bfloat16 = Narrow<BrainBits>;
  return table;
}

}  // namespace

const GemmTable& SIGNET_ISA_NAME(GemmTable)() {
  static constexpr GemmTable table = MakeTable();
  return table;
}

}  // namespace signet
