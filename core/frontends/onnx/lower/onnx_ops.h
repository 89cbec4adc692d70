// OnnxOps: the operators of ONNX as ops: `onnx.Conv`, of ai.onnx.ml `onnx.ml.Scaler`.
//
// Each is an expansion into other ops, made when a function is specialised and types, ranks and
// many values are known; nothing of it is left when the function runs. Inputs and attributes are
// called as the standard has it (https://onnx.ai/onnx/operators), with these conventions, which the
// importer (core/frontends/onnx) follows:
//
//   attribute `opset`     the version of the operator's domain that the model imports
//   attribute `node`      the number of the node in the model: a seed, where none is given
//   attribute `outputs`   how many outputs the node has, but for trailing ones that nobody reads
//   input `name?`         behind those of the standard, called as an attribute of it: its value, a
//                         tensor (`value` of ConstantOfShape) or a list too long for an attribute
//   None                  an input left out
//
// To add one, write a row of a table or an OpDef in a file of its domain; a new file gets a line in
// standard_ops.h, ml_ops.h, or contrib_ops.h. docs/reference/onnx.md lists what the node suite of
// the standard says of each. Stateless; thread-safe.

#pragma once

#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

std::vector<OpDef> OnnxOps();

}  // namespace signet
