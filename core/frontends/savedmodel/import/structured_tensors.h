// StructuredTensors: values of tf.StructuredTensor in the signatures of functions, which are
// structures here.
//
//   tf.StructuredTensor.Spec with the field a, ragged numbers of rank 2, and one row partition
//   =>  [[{a: float32[]}]]
//
// A value is passed as tensors in this order: the tensors of each field, sorted by name; the row
// splits of the structure, from the outermost ragged dimension to the innermost; the inner shape.
// The tensors of a field repeat the row splits of its structure. In a result, both are checked to
// be equal. Stateless; thread-safe.

#pragma once

#include "core/frontends/savedmodel/import/extension_classes.h"
#include "core/frontends/savedmodel/import/function_import.h"
#include "signet/type_spec.h"
#include "tensorflow/struct.pb.h"

namespace signet {

bool IsStructuredTensor(const tensorflow::TypeSpecProto& spec);

// These functions do for a StructuredTensor what the functions in structured_types.h do for all
// types.
StatusOr<TypeSpec> TypeOfStructuredTensor(const tensorflow::TypeSpecProto& spec,
                                          const ExtensionClasses& classes, int depth);
Status AppendStructuredTensor(FunctionImporter& importer, const tensorflow::TypeSpecProto& spec,
                              const Bound& value, BoundList& out);
StatusOr<Bound> StructuredTensorOfComponents(FunctionImporter& importer,
                                             const tensorflow::TypeSpecProto& spec,
                                             const BoundList& components, size_t& next);

}  // namespace signet
