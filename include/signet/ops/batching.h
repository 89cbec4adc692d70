// Batching: many values of one type as one value, and back.
//
//   Batch(ragged<rank=0> int32[?], {[1, 2], [3]})  =>  ragged int32[2, (?)] [[1, 2], [3]]
//   Batch({a: int32[]}, {{a: 1}, {a: 2}})          =>  {a: int32[]}[2] [{a: 1}, {a: 2}]
//
// A batch is of the type that StackedType makes of its elements' (core/types/stacking.h): leaves
// have one dimension more, in front; nests are batched leaf by leaf, extension values component by
// component. The element type decides what may differ: rows that it declares ragged, also a vector
// (`ragged<rank=0>`), never what it declares dense. Sparse values are batched into the largest of
// their shapes, and come back in it. What holds, of any values:
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

// Values of `element`, in order; those below it by a cast (core/function/cast.h). INVALID_ARGUMENT
// for other values, and for dense leaves of different shape. UNIMPLEMENTED for an extension type of
// `types` that does not batch. Of no values: sizes that the type leaves open are 0.
StatusOr<Value> Batch(const TypeSpec& element, std::span<const Value> values,
                      const ExtensionTypes* types = nullptr);

// The elements, of the type that UnstackedType makes.
StatusOr<std::vector<Value>> Unbatch(const Value& batch);

// One batch of the elements of all, which are of one type but for sizes. At least one.
StatusOr<Value> ConcatBatches(std::span<const Value> batches);

// Batches of `size`, at least 1, elements each; the last may have fewer, unless those are dropped.
StatusOr<std::vector<Value>> SplitBatches(const Value& batch, int64_t size, bool drop_remainder);

// A batch of batches of `size`, at least 1, elements each, which must make up the batch.
StatusOr<Value> FoldRows(const Value& batch, int64_t size);

// Boxed: values of one type as elements of a box of any shape, which can be stacked, joined, taken
// apart and reshaped like a tensor, whatever is in it. Immutable; thread-safe.
class Boxed {
 public:
  // One value, in a box without dimensions.
  static StatusOr<Boxed> Box(const TypeSpec& element, const Value& value,
                             const ExtensionTypes* types = nullptr);
  // The elements of a batch, in a box of one dimension.
  static StatusOr<Boxed> BoxBatch(const TypeSpec& element, const Value& batch);

  const Shape& shape() const { return shape_; }
  // For each leaf, in the order of BoxedLayout, what all elements have there, in one dimension.
  std::vector<Value> columns() const;

  // Boxes of one shape, along a new dimension in front.
  static StatusOr<Boxed> Stack(std::span<const Boxed> boxes);
  // Along dimension 0, which may differ.
  static StatusOr<Boxed> Concat(std::span<const Boxed> boxes);
  // Along dimension 0, which goes.
  StatusOr<std::vector<Boxed>> Unstack() const;
  // As many elements as before.
  StatusOr<Boxed> Reshape(Shape shape) const;

  // The value; of one dimension, the batch; of more, batches of batches.
  StatusOr<Value> Unbox() const;

 private:
  Boxed(TypeSpec element, Shape shape, Value batch)
      : element_(std::move(element)), shape_(std::move(shape)), batch_(std::move(batch)) {}

  TypeSpec element_;
  Shape shape_;
  Value batch_;  // of shape_.num_elements() elements, the last dimension's closest together
};

}  // namespace signet
