// OnnxImporter: ONNX models in the native form.
//
//   model.onnx  =>  a message as model.textproto holds it, and captures
//
// The graph becomes the function `main`: its inputs are parameters, in order; those that have an
// initializer (IR 4 and later) are optional, with it as default. One output is the result itself,
// several are a dict. An operator of ONNX is the op `onnx.<Operator>` (of ai.onnx.ml:
// `onnx.ml.<Operator>`; core/frontends/onnx/lower), with the attributes that its op declares;
// attributes that the op declares as inputs (tensors, long lists), and initializers, become
// captures. If, Loop and Scan become `cond` and `loop` over functions of their own, `_then`,
// `_else`, `_body`. Functions in the model are put in the place of their calls.
// docs/reference/onnx.md tells it to users.
//
// A door: nothing of the file is trusted. Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/formats/common/mapped_file.h"
#include "core/graph/body/graph.h"
#include "signet/v1/model.pb.h"

namespace signet {

struct ImportedModel {
  v1::Model model;  // without captures
  Captures captures;
  std::vector<std::shared_ptr<const MappedFile>> files;  // that captures may borrow
};

// UNIMPLEMENTED lists every operator that there is no op for; INVALID_ARGUMENT for a model that is
// malformed, with the place.
StatusOr<ImportedModel> ImportOnnx(const std::filesystem::path& path);

}  // namespace signet
