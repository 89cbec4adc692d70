// Operators of ai.onnx.ml: attributes that are inputs, rows, labels, and
// transformations of scores.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/ops/build/op_builder.h"
#include "signet/tensor.h"

namespace signet {

// Reads the attributes of an operator that are inputs of its op, by name.
class ListInputs {
 public:
  ListInputs(const OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs)
      : build_(build), call_(call), inputs_(inputs) {}

  // Returns the value, without a type if it is missing.
  GraphValue Get(std::string_view name) const;
  bool Has(std::string_view name) const { return static_cast<bool>(Get(name).spec); }
  // Returns the tensor, or null if it is missing. Returns UNIMPLEMENTED if it is not known yet.
  StatusOr<const Tensor*> Known(std::string_view name) const;
  // Return a list, which is empty if it is missing. Return INVALID_ARGUMENT for other dtypes.
  StatusOr<std::vector<int64_t>> Ints(std::string_view name) const;    // of integers
  StatusOr<std::vector<double>> Numbers(std::string_view name) const;  // of float32 or float64
  StatusOr<std::vector<std::string>> Strings(std::string_view name) const;
  // Returns `name` or `name`_as_tensor, whichever is set.
  StatusOr<std::vector<double>> NumbersOrTensor(std::string_view name) const;

 private:
  const OpBuilder& build_;
  const OpCall& call_;
  const std::span<const GraphValue> inputs_;
};

// Returns `inputs`, and `name?` for each of `lists`, which are attributes in the standard.
std::vector<std::string> InputsAndLists(std::vector<std::string> inputs,
                                        std::initializer_list<std::string_view> lists);

template <class T>
GraphValue VectorConstant(OpBuilder& build, std::span<const T> elements) {
  return build.Constant(Tensor::Of<T>(Shape{static_cast<int64_t>(elements.size())}, elements));
}
// Makes a constant of float32 or float64.
GraphValue NumbersConstant(OpBuilder& build, DType dtype, std::span<const double> numbers,
                           PartialShape shape = {});
// Makes a scalar of float32, float64, int32, or int64.
GraphValue NumberConstant(OpBuilder& build, DType dtype, double number);

// Returns input 0 as a matrix of rows. A vector is one row. Integers are cast to float32.
StatusOr<GraphValue> FloatRows(OpBuilder& build, std::span<const GraphValue> inputs);
// Returns the same, cast to float32.
StatusOr<GraphValue> Float32Rows(OpBuilder& build, std::span<const GraphValue> inputs);

// The labels of classes.
struct ClassLabels {
  GraphValue labels;  // a vector of int64 or string
  int64_t count = 0;
};
// Returns the labels in the list `ints` or classlabels_strings, one of which is set.
StatusOr<ClassLabels> LabelsOf(const ListInputs& lists, std::string_view ints);
// Returns the label of each index, `int64[?]`.
StatusOr<GraphValue> LabelAt(OpBuilder& build, const ClassLabels& labels, const GraphValue& index);

// Returns the column of the greatest element of each row.
StatusOr<GraphValue> GreatestColumn(OpBuilder& build, const GraphValue& scores);

// Applies `post_transform`: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, or PROBIT.
StatusOr<GraphValue> PostTransform(OpBuilder& build, const GraphValue& scores,
                                   std::string_view transform);

// Returns `text` as a scalar.
GraphValue TextConstant(OpBuilder& build, std::string_view text);

}  // namespace signet
