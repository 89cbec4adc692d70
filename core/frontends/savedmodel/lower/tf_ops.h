// TfOps: the operators of TensorFlow as ops, such as `tf.Conv2D`.
//
// Each op has only an expansion into other ops, which runs when a function is specialized, and
// types, ranks, and many values are known. Inputs and attributes have the names of the operator
// registry of TensorFlow, and attributes have its defaults, because writers of SavedModels leave
// defaults out. The importer (core/frontends/savedmodel/import) follows these conventions:
//
//   attribute `node`      the number of the node in the model, used as a seed
//   attribute `num_..`    the sizes of lists of inputs, as in TensorFlow
//   tables                the inputs `table_keys` and `table_values` replace a table
//
// To add one, write a row of a table or an OpDef in the file of its family. Stateless; thread-safe.

#pragma once

#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

std::vector<OpDef> TfOps();

}  // namespace signet
