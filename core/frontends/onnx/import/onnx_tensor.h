// OnnxTensor: tensors of ONNX messages as values.

#pragma once

#include "core/frontends/onnx/import/onnx_file.h"
#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/graph/body/captured_value.h"

namespace signet {

// `proto` as a tensor. Elements in files are borrowed. Sizes are checked before memory is taken:
// shape against the bytes that are there.
StatusOr<CapturedValue> CaptureFromOnnx(const onnx::TensorProto& proto, ExternalFiles& files);
// The same, aligned.
StatusOr<Tensor> TensorFromOnnx(const onnx::TensorProto& proto, ExternalFiles& files);
// The same, dense, as ExternalFiles::TakeMemory allows.
StatusOr<CapturedValue> CaptureFromOnnx(const onnx::SparseTensorProto& proto, ExternalFiles& files);

}  // namespace signet
