#include "core/graph/body/captured_value.h"

#include <mutex>
#include <utility>

#include "core/values/tensor_bytes.h"

namespace signet {

struct CapturedValue::Copy {
  std::mutex mutex;
  std::weak_ptr<const Tensor> tensor;  // aligned; none while nothing uses it
};

CapturedValue::CapturedValue(Value value) : value_(std::move(value)) {}
CapturedValue::CapturedValue(Tensor tensor) : value_(std::move(tensor)) {}

StatusOr<CapturedValue> CapturedValue::OfBytes(DType dtype, Shape shape, Buffer data) {
  SIGNET_RETURN_IF_ERROR(CheckTensorBytes(dtype, shape, data.size()));
  bool is_aligned = data.IsAligned(AlignmentOf(dtype));
  CapturedValue out(Tensor::Trusted(dtype, std::move(shape), std::move(data)));
  if (!is_aligned) out.copy_ = std::make_shared<Copy>();
  return out;
}

size_t CapturedValue::num_bytes() const {
  size_t bytes = 0;
  for (const Tensor& tensor : value_.components()) bytes += tensor.num_bytes();
  return bytes;
}

StatusOr<Value> CapturedValue::Get() const {
  if (copy_ == nullptr) return value_;
  std::lock_guard lock(copy_->mutex);
  auto copy = copy_->tensor.lock();
  if (copy == nullptr) {
    const Tensor& tensor = value_.tensor();
    SIGNET_ASSIGN_OR_RETURN(Tensor aligned,
                            Tensor::Make(tensor.dtype(), tensor.shape(), tensor.data()));
    copy = std::make_shared<const Tensor>(std::move(aligned));
    copy_->tensor = copy;
  }
  // Who holds the buffer holds the copy.
  return Value(
      Tensor::Trusted(copy->dtype(), copy->shape(), Buffer::Borrow(copy->data().bytes(), copy)));
}

}  // namespace signet
