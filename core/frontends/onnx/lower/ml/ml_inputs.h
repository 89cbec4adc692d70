// MlInputs: what expansions of ai.onnx.ml share: attributes that are inputs, rows, labels, and the
// transformation of scores.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/ops/build/op_builder.h"
#include "signet/tensor.h"

namespace signet {

// The attributes of an operator that are inputs of its op, by name.
class ListInputs {
 public:
  ListInputs(const OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs)
      : build_(build), call_(call), inputs_(inputs) {}

  // None when left out.
  GraphValue Get(std::string_view name) const;
  bool Has(std::string_view name) const { return static_cast<bool>(Get(name).spec); }
  // Its elements; null when left out. UNIMPLEMENTED when they are not known yet.
  StatusOr<const Tensor*> Known(std::string_view name) const;
  // The same as a list, empty when left out. INVALID_ARGUMENT for other dtypes.
  StatusOr<std::vector<int64_t>> Ints(std::string_view name) const;    // of integers
  StatusOr<std::vector<double>> Numbers(std::string_view name) const;  // of float32 or float64
  StatusOr<std::vector<std::string>> Strings(std::string_view name) const;
  // Of `name` and `name`_as_tensor, the one that is given.
  StatusOr<std::vector<double>> NumbersOrTensor(std::string_view name) const;

 private:
  const OpBuilder& build_;
  const OpCall& call_;
  const std::span<const GraphValue> inputs_;
};

// `name?` of each: inputs that are attributes in the standard.
std::vector<std::string> InputsAndLists(std::vector<std::string> inputs,
                                        std::initializer_list<std::string_view> lists);

template <class T>
GraphValue VectorConstant(OpBuilder& build, std::span<const T> elements) {
  return build.Constant(Tensor::Of<T>(Shape{static_cast<int64_t>(elements.size())}, elements));
}
// Of float32 or float64.
GraphValue NumbersConstant(OpBuilder& build, DType dtype, std::span<const double> numbers,
                           PartialShape shape = {});
// A scalar of float32, float64, int32 or int64.
GraphValue NumberConstant(OpBuilder& build, DType dtype, double number);

// Input 0 as a matrix of rows: a vector is one row. Integers become float32.
StatusOr<GraphValue> FloatRows(OpBuilder& build, std::span<const GraphValue> inputs);
// The same, of float32.
StatusOr<GraphValue> Float32Rows(OpBuilder& build, std::span<const GraphValue> inputs);

// The labels of classes.
struct ClassLabels {
  GraphValue labels;  // a vector of int64 or string
  int64_t count = 0;
};
// From the lists `ints` and `strings`, of which one is given.
StatusOr<ClassLabels> LabelsOf(const ListInputs& lists, std::string_view ints);
// The label of each index, `int64[?]`.
StatusOr<GraphValue> LabelAt(OpBuilder& build, const ClassLabels& labels, const GraphValue& index);

// Where each row is greatest.
StatusOr<GraphValue> GreatestColumn(OpBuilder& build, const GraphValue& scores);

// What `post_transform` says: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT.
StatusOr<GraphValue> PostTransform(OpBuilder& build, const GraphValue& scores,
                                   std::string_view transform);

// Returns `text` as a scalar.
GraphValue TextConstant(OpBuilder& build, std::string_view text);

}  // namespace signet
