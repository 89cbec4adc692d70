// Formula: an expansion written as the arithmetic it is. The first refusal is remembered, and what
// comes behind it is left out.
//
//   Formula f(build);
//   GraphValue mask = f("less", {f.Range(f.Size(x, 0)), limit});
//   return f.Give(f("select", {mask, x, f.Zero(dtype)}));
//
// After a refusal, values have no type: look at `ok` before the type of a value made here. One
// thread.

#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

class Formula {
 public:
  explicit Formula(OpBuilder& build) : build_(build) {}

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  // The value; a refusal is remembered, and gives nothing.
  template <class T>
  T Take(StatusOr<T> value) {
    if (value.ok()) return *std::move(value);
    status_.Update(value.status());
    return T();
  }
  // What an expansion gives.
  StatusOr<std::vector<GraphValue>> Give(GraphValue value) const;
  StatusOr<std::vector<GraphValue>> Give(std::vector<GraphValue> values) const;

  // Calls of ops; the form with brackets is of ops with one output.
  GraphValue operator()(std::string_view op, std::initializer_list<GraphValue> inputs,
                        const Attributes& attributes = {});
  std::vector<GraphValue> Call(std::string_view op, std::span<const GraphValue> inputs,
                               const Attributes& attributes = {});

  // Constants: int64[], int64[n], and 0, False or "" as a scalar.
  GraphValue Int(int64_t value);
  GraphValue Ints(std::span<const int64_t> values);
  GraphValue Zero(DType dtype);
  // The elements of a tensor of integers, when they are known now.
  std::optional<std::vector<int64_t>> Known(const GraphValue& value) const;
  std::optional<int64_t> KnownInt(const GraphValue& value) const;  // of one element

  // Dimension `axis` of a tensor of known rank, int64[]; dimensions [begin, end), int64[n]; and the
  // product of those.
  GraphValue Size(const GraphValue& x, int axis);
  GraphValue Sizes(const GraphValue& x, int begin, int end);
  GraphValue Product(const GraphValue& x, int begin, int end);
  // 0, 1 .. count - 1, int64.
  GraphValue Range(const GraphValue& count);
  // int64[] values as int64[n].
  GraphValue Stack(std::span<const GraphValue> sizes);

  GraphValue Cast(const GraphValue& x, DType dtype);  // or `x` as it is
  GraphValue Reshape(const GraphValue& x, std::span<const int64_t> dims);
  GraphValue Reshape(const GraphValue& x, std::initializer_list<int64_t> dims) {
    return Reshape(x, std::span<const int64_t>(dims.begin(), dims.size()));
  }
  // To sizes, int64[], whose product is the number of elements, whatever they are when it runs.
  GraphValue ReshapeTo(const GraphValue& x, std::span<const GraphValue> sizes);
  GraphValue Transpose(const GraphValue& x, std::initializer_list<int64_t> perm);
  GraphValue Gather(const GraphValue& x, const GraphValue& indices, int axis);
  // Indices of a dimension of `size`, int64[] or a vector along their last dimension, counted from
  // the start, also those below 0.
  GraphValue FromStart(const GraphValue& indices, const GraphValue& size);

 protected:
  OpBuilder& build() { return build_; }

 private:
  OpBuilder& build_;
  Status status_;
};

// Attributes of one list.
Attributes ListOf(std::string_view name, std::span<const int64_t> values);

}  // namespace signet
