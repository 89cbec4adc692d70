#include "signet/tensor.h"

#include <algorithm>
#include <cstring>

#include "core/values/tensor_bytes.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

const Shape kScalar;

// An empty string tensor still has one offset.
const int64_t kZeroOffset = 0;
Buffer ZeroOffset() { return Buffer::Copy(std::as_bytes(std::span(&kZeroOffset, 1))); }

StatusOr<Buffer> Aligned(Buffer data, size_t alignment) {
  if (data.IsAligned(alignment)) return data;
  if (data.empty()) return Buffer();
  SIGNET_ASSIGN_OR_RETURN(Buffer copy, Buffer::Allocate(data.size()));
  std::memcpy(copy.mutable_data(), data.data(), data.size());
  return copy;
}

}  // namespace

Tensor Tensor::Trusted(DType dtype, Shape shape, Buffer data, Buffer bytes) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.num_elements_ = shape.num_elements();
  tensor.shape_ = std::move(shape);
  tensor.data_ = std::move(data);
  tensor.bytes_ = std::move(bytes);
  return tensor;
}

Status CheckTensorBytes(DType dtype, const Shape& shape, size_t size) {
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), SizeOf(dtype)));
  size_t expected = static_cast<size_t>(shape.num_elements()) * SizeOf(dtype);
  if (size == expected) return absl::OkStatus();
  return InvalidArgument("expected ", expected, " bytes of content for `", NameOf(dtype), shape,
                         "`, found ", size);
}

StatusOr<Tensor> Tensor::Make(DType dtype, Shape shape, Buffer data) {
  SIGNET_RETURN_IF_ERROR(CheckTensorBytes(dtype, shape, data.size()));
  SIGNET_ASSIGN_OR_RETURN(data, Aligned(std::move(data), AlignmentOf(dtype)));
  return Trusted(dtype, std::move(shape), std::move(data));
}

StatusOr<Tensor> Tensor::MakeString(Shape shape, Buffer offsets, Buffer bytes) {
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), sizeof(int64_t)));
  size_t n = static_cast<size_t>(shape.num_elements());
  if (offsets.empty() && n == 0) offsets = ZeroOffset();
  if (offsets.size() != (n + 1) * sizeof(int64_t)) {
    return InvalidArgument("expected ", n + 1, " string offsets for `string", shape, "`, found ",
                           offsets.size() / sizeof(int64_t));
  }
  SIGNET_ASSIGN_OR_RETURN(offsets, Aligned(std::move(offsets), sizeof(int64_t)));
  const auto* at = reinterpret_cast<const int64_t*>(offsets.data());
  if (at[0] != 0) return InvalidArgument("string offsets: expected 0 as the first, found ", at[0]);
  for (size_t i = 0; i < n; ++i) {
    if (at[i + 1] < at[i]) {
      return InvalidArgument("string offsets decrease at element ", i, ", from ", at[i], " to ",
                             at[i + 1]);
    }
  }
  if (static_cast<size_t>(at[n]) != bytes.size()) {
    return InvalidArgument("string offsets end at ", at[n], "; there are ", bytes.size(),
                           " bytes of text");
  }
  return Trusted(DType::kString, std::move(shape), std::move(offsets), std::move(bytes));
}

StatusOr<Tensor> Tensor::Allocate(DType dtype, Shape shape) {
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), dtype == DType::kString ? 8 : SizeOf(dtype)));
  auto n = static_cast<size_t>(shape.num_elements());
  size_t size = dtype == DType::kString ? (n + 1) * sizeof(int64_t) : n * SizeOf(dtype);
  SIGNET_ASSIGN_OR_RETURN(Buffer data, Buffer::Allocate(size));
  return Trusted(dtype, std::move(shape), std::move(data));
}

Tensor Tensor::ScalarOf(DType dtype, const void* element) {
  auto tensor = Allocate(dtype, kScalar);
  SIGNET_CHECK(tensor.ok() && SizeOf(dtype) > 0);
  std::memcpy(tensor->data_.mutable_data(), element, SizeOf(dtype));
  return *std::move(tensor);
}

Tensor Tensor::Strings(Shape shape, std::span<const std::string_view> elements) {
  auto tensor = Allocate(DType::kString, std::move(shape));
  SIGNET_CHECK(tensor.ok() && tensor->num_elements() == static_cast<int64_t>(elements.size()));
  int64_t* offsets = tensor->mutable_elements<int64_t>();
  std::string text;
  *offsets++ = 0;
  for (std::string_view element : elements) {
    text.append(element);
    *offsets++ = static_cast<int64_t>(text.size());
  }
  tensor->bytes_ = Buffer::Copy(text);
  return *std::move(tensor);
}

Tensor Tensor::Reshaped(Shape shape) const {
  SIGNET_CHECK(shape.num_elements() == num_elements_);
  Tensor out = *this;
  out.shape_ = std::move(shape);
  return out;
}

StatusOr<Tensor> Tensor::Owned() const {
  Tensor out = *this;
  for (Buffer* buffer : {&out.data_, &out.bytes_}) {
    if (buffer->is_owned()) continue;
    SIGNET_ASSIGN_OR_RETURN(Buffer copy, Buffer::Allocate(buffer->size()));
    std::memcpy(copy.mutable_data(), buffer->data(), buffer->size());
    *buffer = std::move(copy);
  }
  return out;
}

TypeSpec Tensor::spec() const { return TensorType(dtype_, shape_); }

bool SameTensor(const Tensor& a, const Tensor& b) {
  auto same = [](const Buffer& x, const Buffer& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size()) == 0);
  };
  return a.dtype() == b.dtype() && a.shape() == b.shape() && same(a.data(), b.data()) &&
         same(a.bytes(), b.bytes());
}

}  // namespace signet
