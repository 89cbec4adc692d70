#include "core/kernels/linalg/few_rows.h"

#include <optional>
#include <utility>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/small_matrix.h"
#include "core/ops/linalg/linear.h"

namespace signet {
namespace {

constexpr int64_t kFewColumns = 16;
constexpr int64_t kFewNumbers = 4096;               // elements of a small matrix
constexpr int64_t kMostNumbers = int64_t{1} << 18;  // elements of a matrix of few columns
constexpr int64_t kFewRows = 4;

class FewRowsKernel final : public Kernel {
 public:
  FewRowsKernel(SmallMatrix matrix, Clip clip, std::unique_ptr<Kernel> otherwise)
      : matrix_(std::move(matrix)), clip_(clip), otherwise_(std::move(otherwise)) {
    set_cost(otherwise_->Cost());
  }

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const Tensor* bias = Extra(context, 2);
    bool fits = x.rank() == 2 && x.shape().dim(0) <= kFewRows && x.shape().dim(1) == matrix_.k() &&
                (bias == nullptr || (bias->rank() == 1 && bias->num_elements() == matrix_.n())) &&
                Extra(context, 3) == nullptr;
    if (!fits) return otherwise_->Run(context);
    const int64_t rows = x.shape().dim(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows, matrix_.n()}));
    const auto* in = reinterpret_cast<const float*>(x.data().data());
    auto* out = reinterpret_cast<float*>(made->data().mutable_data());
    const float* added = nullptr;
    if (bias != nullptr) added = reinterpret_cast<const float*>(bias->data().data());
    for (int64_t row = 0; row < rows; ++row) {
      matrix_.Run(in + row * matrix_.k(), out);
      if (added != nullptr) {
        for (int64_t j = 0; j < matrix_.n(); ++j) out[j] += added[j];
      }
      // The comparisons keep NaN.
      if (clip_.low) {
        for (int64_t j = 0; j < matrix_.n(); ++j)
          out[j] = out[j] < *clip_.low ? *clip_.low : out[j];
      }
      if (clip_.high) {
        for (int64_t j = 0; j < matrix_.n(); ++j) {
          out[j] = out[j] > *clip_.high ? *clip_.high : out[j];
        }
      }
      out += matrix_.n();
    }
    return absl::OkStatus();
  }

 private:
  static const Tensor* Extra(KernelContext& context, size_t i) {
    bool given = i < context.num_inputs() && context.input(i).has_value();
    return given ? &context.input(i) : nullptr;
  }

  const SmallMatrix matrix_;
  const Clip clip_;
  const std::unique_ptr<Kernel> otherwise_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> ForFewRows(const KernelRequest& request,
                                             std::unique_ptr<Kernel> otherwise) {
  const OpCall& call = request.call;
  const Tensor* matrix = call.constant(1);
  if (matrix == nullptr || matrix->dtype() != DType::kFloat32 || matrix->rank() != 2 ||
      matrix->num_elements() == 0 || DTypeIn(call.inputs[0]) != DType::kFloat32) {
    return otherwise;
  }
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool transpose_b, call.attributes.Bool("transpose_b"));
  const int64_t columns = matrix->shape().dim(transpose_b ? 0 : 1);
  const int64_t most = columns <= kFewColumns ? kMostNumbers : kFewNumbers;
  if (transpose_a || matrix->num_elements() > most) return otherwise;
  Clip clip;
  if (call.op.name == "linear") {
    SIGNET_ASSIGN_OR_RETURN(clip, ClipOf(call));
  }
  SIGNET_ASSIGN_OR_RETURN(SmallMatrix packed,
                          SmallMatrix::Make(*matrix, transpose_b, SmallMatrix::Use::kProducts));
  return std::make_unique<FewRowsKernel>(std::move(packed), clip, std::move(otherwise));
}

}  // namespace signet
