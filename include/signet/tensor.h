// Tensor: a dense array: dtype, shape and bytes, row-major and little-endian.
//
//   auto matrix = signet::Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
//   std::span<const float> elements = matrix.elements<float>();  // row-major: 1, 2, 3, 4
//
// A string tensor of n elements has two buffers, like large_utf8 in Arrow: n + 1 int64 offsets, of
// which the first is 0 and none decreases, and the bytes that they refer to. Element i is bytes
// [offsets[i], offsets[i + 1]). A copy of a tensor shares its buffers. Every tensor is consistent.

#pragma once

#include <concepts>
#include <span>
#include <string_view>

#include "signet/buffer.h"
#include "signet/dtype.h"
#include "signet/shape.h"
#include "signet/type_spec.h"

namespace signet {

class Tensor {
 public:
  Tensor() = default;  // no tensor; assign one before use

  // Returns a tensor over `data`. The size of `data` must be the size of the shape; otherwise the
  // INVALID_ARGUMENT error states both sizes. Misaligned data is copied. Not for strings.
  static StatusOr<Tensor> Make(DType dtype, Shape shape, Buffer data);
  // Returns a string tensor. Checks the offsets against `bytes`.
  static StatusOr<Tensor> MakeString(Shape shape, Buffer offsets, Buffer bytes);
  // Allocates uninitialized elements; write mutable_data() before sharing. Returns the errors of
  // CheckShape.
  static StatusOr<Tensor> Allocate(DType dtype, Shape shape);
  // Like Make and MakeString, without checks: for kernels and decoders that have checked their
  // data.
  static Tensor Trusted(DType dtype, Shape shape, Buffer data, Buffer bytes = {});

  // Build tensors from elements: Of<float>({2}, {1, 2}); Scalar(3.0f); Strings({2}, {"a", "b"}).
  template <class T>
  static Tensor Of(Shape shape, std::span<const T> elements);
  template <class T>
  static Tensor Of(Shape shape, std::initializer_list<T> elements) {
    return Of<T>(std::move(shape), std::span<const T>(elements.begin(), elements.size()));
  }
  template <class T>
  static Tensor Scalar(T value) {
    return ScalarOf(DTypeOf<T>::value, &value);
  }
  static Tensor Strings(Shape shape, std::span<const std::string_view> elements);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t num_elements() const { return num_elements_; }
  bool is_string() const { return dtype_ == DType::kString; }
  bool has_value() const { return num_elements_ >= 0; }
  size_t num_bytes() const { return data_.size() + bytes_.size(); }

  // The elements. T must be the type of the dtype. Not for strings.
  template <class T>
  std::span<const T> elements() const {
    SIGNET_CHECK(dtype_ == DTypeOf<T>::value);
    return {reinterpret_cast<const T*>(data_.data()), static_cast<size_t>(num_elements_)};
  }
  template <class T>
  T scalar() const {
    return elements<T>()[0];
  }
  template <class T>
  T* mutable_elements() {
    return reinterpret_cast<T*>(data_.mutable_data());
  }
  const Buffer& data() const { return data_; }  // elements, or the offsets of a string tensor
  Buffer& data() { return data_; }
  const Buffer& bytes() const { return bytes_; }  // the bytes of a string tensor
  std::span<const int64_t> offsets() const {
    return {reinterpret_cast<const int64_t*>(data_.data()), static_cast<size_t>(num_elements_) + 1};
  }
  std::string_view string_at(int64_t i) const {
    auto begin = static_cast<size_t>(offsets()[static_cast<size_t>(i)]);
    auto end = static_cast<size_t>(offsets()[static_cast<size_t>(i) + 1]);
    return bytes_.text().substr(begin, end - begin);
  }

  // Returns the same elements with another shape of the same number of elements; shares the
  // buffers.
  Tensor Reshaped(Shape shape) const;
  // Returns the tensor with its own copy of each buffer that is a view.
  StatusOr<Tensor> Owned() const;
  // Returns the type of exactly this tensor: `float32[2, 3]`.
  TypeSpec spec() const;

 private:
  static Tensor ScalarOf(DType dtype, const void* element);

  DType dtype_{};
  Shape shape_;
  int64_t num_elements_ = -1;  // -1: no tensor
  Buffer data_;
  Buffer bytes_;
};

// Returns true if dtype, shape, and bytes are the same. NaNs are compared by their bits.
bool SameTensor(const Tensor& a, const Tensor& b);

template <class T>
Tensor Tensor::Of(Shape shape, std::span<const T> elements) {
  auto tensor = Allocate(DTypeOf<T>::value, std::move(shape));
  SIGNET_CHECK(tensor.ok() && tensor->num_elements() == static_cast<int64_t>(elements.size()));
  T* out = tensor->template mutable_elements<T>();
  for (const T& element : elements) *out++ = element;
  return *std::move(tensor);
}

}  // namespace signet
