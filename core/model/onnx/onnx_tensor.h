// OnnxTensor: tensors of ONNX messages as values.

#pragma once

#include "core/model/onnx/onnx_file.h"
#include "core/ops/onnx/dtypes.h"
#include "core/values/tensor.h"

namespace signet {

// `proto` as a tensor. Elements in files are borrowed where they are aligned. Sizes are checked
// before memory is taken: shape against the bytes that are there.
StatusOr<Tensor> TensorFromOnnx(const onnx::TensorProto& proto, ExternalFiles& files);
// The same, dense, as ExternalFiles::TakeMemory allows.
StatusOr<Tensor> TensorFromOnnx(const onnx::SparseTensorProto& proto, ExternalFiles& files);

}  // namespace signet
