// ReplaceCaptures: makes a model with other values of its captures, without loading it anew.
//
//   auto replaced = ReplaceCaptures(model, "new/captures.safetensors");
//   (*replaced).model->FindFunction("score")    // already has the concrete functions of `model`
//
// 1. The new file has the captures of the old captures.safetensors: the same names and types.
// 2. The other files of the model have not changed since it was loaded.
// 3. A concrete function that uses no capture is used on. For one that uses captures by reference,
//    the kernels are made again, which packs weights. One whose graph depends on the old values,
//    because a call on a capture was folded, is specialized again.
// 4. The results equal the results of a model that is loaded with the new file.
// 5. If the file has the bytes that the model already uses, the model is returned unchanged.
//
// The new model maps the new file. The old model is not changed and can serve calls meanwhile.
// Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <memory>

#include "core/model/loaded_model.h"

namespace signet {

struct ReplacedCaptures {
  std::shared_ptr<const LoadedModel> model;
  AdoptedFunctions functions;
  bool changed = true;  // false if `model` is the old model, because the values are the same
};

// Returns a model with the tensors in the file `captures` and the options of `old`. Returns
// FAILED_PRECONDITION if `old` is an ONNX model or a model of the program, if its other files have
// changed, or if the model rejects the new values; INVALID_ARGUMENT or NOT_FOUND for a file that is
// not a safetensors file, or whose names or types are not those of `old`:
//   capture `w`: expected `float32[4, 2]`, found `float32[2, 4]`
StatusOr<ReplacedCaptures> ReplaceCaptures(const std::shared_ptr<const LoadedModel>& old,
                                           const std::filesystem::path& captures);

// Returns `old` with the captures of the models that `find_model` returns in place of the captures
// that it imported before. Has the errors of ReplaceCaptures.
StatusOr<ReplacedCaptures> ReplaceImportedCaptures(const std::shared_ptr<const LoadedModel>& old,
                                                   const ModelFinder& find_model);

// Performs only the checks of ReplaceCaptures that need no specialization. Returns whether the
// values differ from those of `old`.
StatusOr<bool> CheckCaptures(const LoadedModel& old, const std::filesystem::path& captures);

}  // namespace signet
