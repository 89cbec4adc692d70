// Batching: converts many values of one type to one batch, and back.
//
//   auto row = signet::ParseTypeSpec("{a: int32[]}");
//   const signet::Value rows[] = {*signet::ParseValue("{a: int32[]} {a: 1}"),
//                                 *signet::ParseValue("{a: int32[]} {a: 2}")};
//   auto batch = signet::Batch(*row, rows);  // [{a: int32[]}] [{a: 1}, {a: 2}]
//   auto again = signet::Unbatch(*batch);
//
//   Batch(ragged<rank=0> int32[?], {[1, 2], [3]})  =>  ragged int32[2, (?)] [[1, 2], [3]]
//   Batch({a: int32[]}, {{a: 1}, {a: 2}})          =>  {a: int32[]}[2] [{a: 1}, {a: 2}]
//
// The type of a batch is StackedType of the element type: leaves have one
// more leading dimension, nests are batched leaf by leaf, and extension values component by
// component. The element type determines which sizes may differ: the rows that it declares ragged,
// including vectors (`ragged<rank=0>`), but not the dimensions that it declares dense. Sparse
// values are batched with the largest of their shapes, and Unbatch returns them with that shape.
// For any values:
//
//   Unbatch(Batch(T, v)) = v                 Boxed::Stack(boxes of v) = the boxes of Batch(T, v)
//   ConcatBatches(Batch(T, v), Batch(T, w)) = Batch(T, v and w)
//
// Source: RFC StructuredTensor, stackable types; docs/reference/types.md. Stateless; thread-safe.

#pragma once

#include <span>
#include <vector>

#include "signet/value.h"

namespace signet {

class ExtensionTypes;

// Batches values of type `element`, in order. Values of a subtype are cast.
// Returns INVALID_ARGUMENT for other values and for dense leaves of different shape. Returns
// UNIMPLEMENTED for an extension type of `types` that does not support batches. In an empty batch,
// sizes that the type leaves open are 0.
StatusOr<Value> Batch(const TypeSpec& element, std::span<const Value> values,
                      const ExtensionTypes* types = nullptr);

// Returns the elements, whose type is UnstackedType of the type of the batch.
StatusOr<std::vector<Value>> Unbatch(const Value& batch);

// Returns one batch of all elements. The batches, at least one, have the same type except for
// sizes.
StatusOr<Value> ConcatBatches(std::span<const Value> batches);

// Returns batches of `size` elements, at least 1. The last batch may have fewer, unless
// `drop_remainder` is true.
StatusOr<std::vector<Value>> SplitBatches(const Value& batch, int64_t size, bool drop_remainder);

// Returns a batch of batches of `size` elements, at least 1, which must divide the number of
// elements.
StatusOr<Value> FoldRows(const Value& batch, int64_t size);

// Boxed: values of one type as elements of a box of any shape. A box can be stacked, concatenated,
// unstacked, and reshaped like a tensor. Immutable; thread-safe.
class Boxed {
 public:
  // Returns a box without dimensions that contains one value.
  static StatusOr<Boxed> Box(const TypeSpec& element, const Value& value,
                             const ExtensionTypes* types = nullptr);
  // Returns a box of one dimension with the elements of a batch.
  static StatusOr<Boxed> BoxBatch(const TypeSpec& element, const Value& batch);

  const Shape& shape() const { return shape_; }
  // Returns one batch per leaf, in the order of BoxedLayout.
  std::vector<Value> columns() const;

  // Stacks boxes of the same shape along a new leading dimension.
  static StatusOr<Boxed> Stack(std::span<const Boxed> boxes);
  // Concatenates boxes along dimension 0, whose size may differ.
  static StatusOr<Boxed> Concat(std::span<const Boxed> boxes);
  // Splits the box along dimension 0, which is removed.
  StatusOr<std::vector<Boxed>> Unstack() const;
  // `shape` must have the same number of elements.
  StatusOr<Boxed> Reshape(Shape shape) const;

  // Returns the value of a box without dimensions, the batch of a box of one dimension, or nested
  // batches.
  StatusOr<Value> Unbox() const;

 private:
  Boxed(TypeSpec element, Shape shape, Value batch)
      : element_(std::move(element)), shape_(std::move(shape)), batch_(std::move(batch)) {}

  TypeSpec element_;
  Shape shape_;
  Value batch_;  // shape_.num_elements() elements; the last dimension varies fastest
};

}  // namespace signet
