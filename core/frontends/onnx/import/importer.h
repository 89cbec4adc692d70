// ImportOnnx: imports an ONNX model as functions with graphs.
//
//   model.onnx  =>  ModelDef: functions, captures, metadata
//
//   1. The graph becomes the function `main`. Its inputs are the parameters, in order. An input
//      with an initializer (IR 4 and later) is optional, and the initializer is its default value.
//   2. If the graph has one output, it is the result. Several outputs are a dict.
//   3. An operator is the op `onnx.<Operator>`, or `onnx.ml.<Operator>` in the domain ai.onnx.ml
//      (core/frontends/onnx/lower), with the attributes that the op declares. Attributes that the
//      op declares as inputs (tensors, long lists) and initializers become captures.
//   4. If, Loop, and Scan become `cond` and `loop` over further functions, `_then`, `_else`,
//      `_body`. Functions of the ONNX model are imported at each call.
//
// docs/reference/onnx.md describes this for users. A parser of untrusted input. Stateless;
// thread-safe.

#pragma once

#include <filesystem>

#include "core/graph/lower/extension_types.h"
#include "core/model/model_def.h"

namespace signet {

// `types` are extension types that the program defines. Errors do not name the file. UNIMPLEMENTED
// lists all operators without an op. INVALID_ARGUMENT for a malformed model, with the place.
StatusOr<ModelDef> ImportOnnx(const std::filesystem::path& path,
                              const ExtensionProtocols& types = {});

}  // namespace signet
