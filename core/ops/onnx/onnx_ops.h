// OnnxOps: the operators of ONNX as ops: `onnx.Conv`, of ai.onnx.ml `onnx.ml.Scaler`.
//
// Each is an expansion into other ops, made when a function is specialised and types, ranks and
// many values are known; nothing of it is left when the function runs. Inputs and attributes are
// called as the standard has it (https://onnx.ai/onnx/operators), with these conventions, which the
// importer (core/model/onnx) follows:
//
//   attribute `opset`     the version of the operator's domain that the model imports
//   attribute `node`      the number of the node in the model: a seed, where none is given
//   attribute `outputs`   how many outputs the node has, but for trailing ones that nobody reads
//   input `name?`         behind those of the standard, called as an attribute of it: its value, a
//                         tensor (`value` of ConstantOfShape) or a list too long for an attribute
//   None                  an input left out
//
// To add one: a row of a table or an OpDef in a family's file here, and its family in OnnxOps.
// docs/reference/onnx.md lists what the node suite of the standard says of each. Stateless;
// thread-safe.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

std::vector<OpDef> OnnxOps();

// Families.
std::vector<OpDef> OnnxActivationOps();
std::vector<OpDef> OnnxAttentionOps();
std::vector<OpDef> OnnxContribAttentionOps();
std::vector<OpDef> OnnxContribOps();
std::vector<OpDef> OnnxConversionOps();
std::vector<OpDef> OnnxConvolutionOps();
std::vector<OpDef> OnnxCuttingOps();
std::vector<OpDef> OnnxDecodingOps();
std::vector<OpDef> OnnxDetectionOps();
std::vector<OpDef> OnnxElementwiseOps();
std::vector<OpDef> OnnxIndexingOps();
std::vector<OpDef> OnnxLossOps();
std::vector<OpDef> OnnxMakingOps();
std::vector<OpDef> OnnxPoolingOps();
std::vector<OpDef> OnnxQuantizationOps();
std::vector<OpDef> OnnxQuantizedContribOps();
std::vector<OpDef> OnnxQuantizedConvOps();
std::vector<OpDef> OnnxResizeOps();
std::vector<OpDef> OnnxMatmulOps();
std::vector<OpDef> OnnxNormalizationOps();
std::vector<OpDef> OnnxRandomOps();
std::vector<OpDef> OnnxReductionOps();
std::vector<OpDef> OnnxRecurrentOps();
std::vector<OpDef> OnnxSequenceOps();
std::vector<OpDef> OnnxShapeOps();
std::vector<OpDef> OnnxSignalOps();
std::vector<OpDef> OnnxTrainingOps();
std::vector<OpDef> OnnxTransformerOps();

}  // namespace signet
