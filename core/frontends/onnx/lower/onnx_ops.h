// OnnxOps: the operators of ONNX as ops, such as `onnx.Conv`, and `onnx.ml.Scaler` of ai.onnx.ml.
//
// Each op has only an expansion into other ops. The expansion runs when a function is specialized,
// and types, ranks, and many values are known. Inputs and attributes have the names of the standard
// (https://onnx.ai/onnx/operators), with these conventions, which the importer
// (core/frontends/onnx/import) follows:
//
//   attribute `opset`     the version of the operator's domain that the model imports
//   attribute `node`      the number of the node in the model, used as a seed if none is set
//   attribute `outputs`   the number of outputs, without trailing outputs that are not read
//   input `name?`         after the inputs of the standard: the value of the attribute `name`, a
//                         tensor (`value` of ConstantOfShape) or a list too long for an attribute
//   None                  an omitted input
//
// To add one, write a row of a table or an OpDef in a file of its domain; a new file gets a line in
// standard_ops.h, ml_ops.h, or contrib_ops.h. docs/reference/onnx.md lists the results of the node
// suite of the standard for each operator. Stateless; thread-safe.

#pragma once

#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

std::vector<OpDef> OnnxOps();

}  // namespace signet
