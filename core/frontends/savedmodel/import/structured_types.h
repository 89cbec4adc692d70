// StructuredTypes: the types and plain values in the signatures of functions, from the messages of
// TensorFlow, and the tensors that values of these types consist of. Stateless; thread-safe.

#pragma once

#include "core/frontends/savedmodel/import/extension_classes.h"
#include "core/frontends/savedmodel/import/function_import.h"
#include "signet/type_spec.h"
#include "signet/value.h"
#include "tensorflow/struct.pb.h"

namespace signet {

// Returns the type: a tensor, ragged, sparse, or extension type, a nest, or a literal.
// UNIMPLEMENTED for a type that no caller can send. `classes` has the extension types in `value`.
StatusOr<TypeSpec> TypeFromStructured(const tensorflow::StructuredValue& value,
                                      const ExtensionClasses& classes, int depth = 0);
// Returns a default value: plain values, tensors, and nests of both.
StatusOr<Value> ValueFromStructured(const tensorflow::StructuredValue& value, int depth = 0);

// Appends the tensors of `value`, in the order in which functions of TensorFlow receive them.
Status AppendComponents(FunctionImporter& importer, const tensorflow::StructuredValue& type,
                        const Bound& value, BoundList& out);
// Returns a value built from tensors, which are taken from `components` starting at `next`.
StatusOr<Bound> ValueOfComponents(FunctionImporter& importer,
                                  const tensorflow::StructuredValue& type,
                                  const BoundList& components, size_t& next);

}  // namespace signet
