#include "signet/ops/batching.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "core/eager/builtin_library.h"
#include "core/function/cast.h"
#include "core/graph/lower/evaluator.h"
#include "core/graph/lower/extension_types.h"
#include "core/ops/build/leaves.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/joins.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/types/stacking.h"
#include "core/values/builders/value_builder.h"
#include "signet/extension_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Leaves = std::span<const GraphValue>;
using Changed = StatusOr<std::vector<GraphValue>>;

bool IsContainer(const TypeSpec& spec) { return IsNest(spec) || spec.is(TypeKind::kExtension); }

Changed ChangeLeavesOf(Leaves values, ChangeLeaves change) {
  if (!IsContainer(values[0].spec)) return change(values);
  return MapChildren(values, [&](Leaves within) { return ChangeLeavesOf(within, change); });
}

// Applies `change` to each leaf of `values` and packs the results.
StatusOr<std::vector<Value>> RunOnLeaves(std::span<const Value> values,
                                         absl::FunctionRef<Changed(OpBuilder&, Leaves)> change) {
  Evaluator run(BuiltinLibrary());
  std::vector<GraphValue> given;
  for (const Value& value : values) {
    if (!value || value.is_placeholder())
      return InvalidArgument("expected a value, found only a type");
    given.push_back(run.Constant(value));
  }
  SIGNET_ASSIGN_OR_RETURN(
      auto made, ChangeLeavesOf(given, [&](Leaves leaves) { return change(run, leaves); }));
  std::vector<Value> results;
  for (const GraphValue& value : made) results.push_back(run.ValueOf(value));
  return results;
}

StatusOr<Value> RunToOne(std::span<const Value> values,
                         absl::FunctionRef<Changed(OpBuilder&, Leaves)> change) {
  SIGNET_ASSIGN_OR_RETURN(auto results, RunOnLeaves(values, change));
  return std::move(results[0]);
}

Status CheckBatches(const TypeSpec& spec, const ExtensionTypes* types) {
  if (types == nullptr) return absl::OkStatus();
  if (const auto* extension = spec.As<ExtensionSpec>()) {
    const ExtensionProtocol* type = types->Lookup(extension->name());
    if (type != nullptr && !type->declaration().batches) {
      return Unimplemented("values of `", extension->name(),
                           "` cannot be batched, according to the declaration of the type");
    }
  }
  for (const TypeSpec& child : spec.children()) {
    SIGNET_RETURN_IF_ERROR(CheckBatches(child, types));
  }
  return absl::OkStatus();
}

// Returns a batch of `type` without elements.
StatusOr<Value> EmptyBatch(const TypeSpec& type) {
  if (IsStatic(type)) return Value::Trusted(type, {});
  if (IsContainer(type)) {
    std::vector<Value> children;
    for (const TypeSpec& child : type.children()) {
      SIGNET_ASSIGN_OR_RETURN(Value value, EmptyBatch(child));
      children.push_back(std::move(value));
    }
    return WithChildren(type, children);
  }
  const auto* sparse = type.As<SparseSpec>();
  if (sparse == nullptr) {
    SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(type));
    SIGNET_RETURN_IF_ERROR(builder.BeginList());
    SIGNET_RETURN_IF_ERROR(builder.EndList());
    return builder.Finish();
  }
  // If the rank is unknown, a batch has the lowest possible rank.
  const PartialShape shape = sparse->shape().has_rank() ? sparse->shape() : PartialShape{0};
  std::vector<int64_t> sizes;
  for (int64_t size : shape.dims()) sizes.push_back(std::max<int64_t>(size, 0));
  const auto rank = static_cast<int64_t>(sizes.size());
  SIGNET_ASSIGN_OR_RETURN(Value none, EmptyBatch(TensorType(sparse->dtype(), {0})));
  Value batch = Value::Trusted(type, {Tensor::Of<int64_t>({0, rank}, {}), none.tensor(),
                                      Tensor::Of<int64_t>({rank}, sizes)});
  TypeSpec exact = ExactSpecOf(batch);
  return Value::Trusted(std::move(exact), {batch.components().begin(), batch.components().end()});
}

// Returns a leaf of `value`, or nothing if there are only plain values.
std::optional<Value> FirstLeaf(const Value& value) {
  if (IsStatic(value.spec())) return std::nullopt;
  if (!IsContainer(value.spec())) return value;
  for (const Value& child : ChildrenOf(value)) {
    if (auto leaf = FirstLeaf(child)) return leaf;
  }
  return std::nullopt;
}

// Returns the number of elements of a batch.
StatusOr<int64_t> SizeOf(const Value& batch) {
  if (!batch) return InvalidArgument("expected a batch, found no value");
  auto leaf = FirstLeaf(batch);
  TypeSpec exact = leaf ? ExactSpecOf(*leaf) : TypeSpec();
  if (exact && exact.shape()->rank() > 0) return exact.shape()->dim(0);
  return InvalidArgument("expected a batch, which has a leading dimension, found `", batch.spec(),
                         "`");
}

StatusOr<std::vector<Value>> Cut(const Value& batch, std::span<const int64_t> sizes, bool drop) {
  if (sizes.empty()) return std::vector<Value>();
  const auto num = static_cast<int64_t>(sizes.size());
  const Attributes attributes =
      Attributes().With(drop ? "num" : "sizes", drop ? AttributeOf(num) : AttributeOf(sizes));
  return RunOnLeaves(std::span(&batch, 1), [&](OpBuilder& build, Leaves leaf) {
    return build.Call(drop ? OpName("unstack") : "split", leaf, attributes);
  });
}

// Returns `rows` rows of `size` elements each.
StatusOr<Value> Fold(const Value& batch, int64_t rows, int64_t size) {
  return RunToOne(std::span(&batch, 1), [&](OpBuilder& build, Leaves leaf) -> Changed {
    return build.PartitionOuterDimension(leaf[0], {.uniform_row_length = size, .nrows = rows});
  });
}

void AppendColumns(const Value& value, std::vector<Value>& out) {
  if (IsStatic(value.spec())) return;
  if (IsContainer(value.spec())) {
    for (const Value& child : ChildrenOf(value)) AppendColumns(child, out);
  } else if (const auto* structured = value.spec().As<StructuredSpec>()) {
    for (const std::string& name : structured->field_names()) {
      AppendColumns(*FieldOf(value, name), out);
    }
  } else {
    out.push_back(value);
  }
}

int64_t ProductOf(std::span<const int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

StatusOr<Value> Batch(const TypeSpec& element, std::span<const Value> values,
                      const ExtensionTypes* types) {
  SIGNET_RETURN_IF_ERROR(CheckBatches(element, types));
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, StackedType(element, static_cast<int64_t>(values.size())));
  if (values.empty()) return EmptyBatch(type);
  std::vector<Value> cast;
  for (size_t i = 0; i < values.size(); ++i) {
    auto value = CastTo(values[i], element);
    if (!value.ok()) return At(Cat("value ", i), value.status());
    cast.push_back(*std::move(value));
  }
  if (IsStatic(element)) return cast[0];
  return RunToOne(cast, [](OpBuilder& build, Leaves leaves) { return build.Stack(leaves); });
}

StatusOr<std::vector<Value>> Unbatch(const Value& batch) {
  SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeOf(batch));
  SIGNET_ASSIGN_OR_RETURN(TypeSpec element, UnstackedType(batch.spec()));
  std::vector<int64_t> sizes(static_cast<size_t>(size), 1);
  SIGNET_ASSIGN_OR_RETURN(auto values, Cut(batch, sizes, /*drop=*/true));
  for (Value& value : values) {
    // Dimensions that were declared ragged are ragged again, although one element has no rows to
    // show it.
    Value declared =
        Value::Trusted(element, {value.components().begin(), value.components().end()});
    TypeSpec exact = ExactSpecOf(declared);
    value = Value::Trusted(std::move(exact),
                           {declared.components().begin(), declared.components().end()});
  }
  return values;
}

StatusOr<Value> ConcatBatches(std::span<const Value> batches) {
  if (batches.empty()) return InvalidArgument("expected at least one batch, found none");
  // An empty batch does not have the sizes of the other batches.
  bool alike = std::all_of(batches.begin(), batches.end(), [&](const Value& batch) {
    return batch.spec().structure() == batches[0].spec().structure();
  });
  std::vector<Value> some;
  for (const Value& batch : batches) {
    SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeOf(batch));
    if (size > 0 || !alike) some.push_back(batch);
  }
  if (some.empty()) return batches[0];
  return RunToOne(some, [](OpBuilder& build, Leaves leaves) {
    bool sparse = leaves[0].spec.is(TypeKind::kSparse);
    return OneOutput(sparse ? JoinSparseRows(build, leaves)
                            : ConcatValues(build, leaves, 0, /*ragged=*/false));
  });
}

StatusOr<std::vector<Value>> SplitBatches(const Value& batch, int64_t size, bool drop_remainder) {
  if (size < 1) return InvalidArgument("expected batches of at least 1 element, found ", size);
  SIGNET_ASSIGN_OR_RETURN(int64_t count, SizeOf(batch));
  std::vector<int64_t> sizes(static_cast<size_t>(count / size), size);
  const size_t whole = sizes.size();
  if (count % size > 0) sizes.push_back(count % size);
  SIGNET_ASSIGN_OR_RETURN(auto parts, Cut(batch, sizes, /*drop=*/false));
  if (drop_remainder) parts.resize(whole);
  return parts;
}

StatusOr<Value> FoldRows(const Value& batch, int64_t size) {
  if (size < 1) return InvalidArgument("expected batches of at least 1 element, found ", size);
  SIGNET_ASSIGN_OR_RETURN(int64_t count, SizeOf(batch));
  if (count % size == 0) return Fold(batch, count / size, size);
  return InvalidArgument("expected a size that divides the ", count,
                         " elements of the batch, found ", size);
}

StatusOr<Boxed> Boxed::Box(const TypeSpec& element, const Value& value,
                           const ExtensionTypes* types) {
  SIGNET_ASSIGN_OR_RETURN(Value batch, Batch(element, std::span(&value, 1), types));
  return Boxed(element, Shape(), std::move(batch));
}

StatusOr<Boxed> Boxed::BoxBatch(const TypeSpec& element, const Value& batch) {
  SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeOf(batch));
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, StackedType(element, size));
  SIGNET_ASSIGN_OR_RETURN(Value cast, CastTo(batch, type));
  return Boxed(element, {size}, std::move(cast));
}

std::vector<Value> Boxed::columns() const {
  std::vector<Value> columns;
  AppendColumns(batch_, columns);
  return columns;
}

StatusOr<Boxed> Boxed::Stack(std::span<const Boxed> boxes) {
  std::vector<Boxed> rows;
  for (const Boxed& box : boxes) {
    if (box.shape_ != boxes[0].shape_) {
      return InvalidArgument("expected boxes of the same shape, found `", boxes[0].shape_,
                             "` and `", box.shape_, "`");
    }
    Dims dims = {1};
    for (int64_t size : box.shape_.dims()) dims.push_back(size);
    rows.push_back(Boxed(box.element_, Shape(std::span<const int64_t>(dims)), box.batch_));
  }
  return Concat(rows);
}

StatusOr<Boxed> Boxed::Concat(std::span<const Boxed> boxes) {
  if (boxes.empty()) return InvalidArgument("expected at least one box, found none");
  Shape shape = boxes[0].shape_;
  int64_t rows = 0;
  std::vector<Value> batches;
  for (const Boxed& box : boxes) {
    bool fits =
        box.shape_.rank() > 0 && box.shape_.rank() == shape.rank() &&
        std::equal(shape.dims().begin() + 1, shape.dims().end(), box.shape_.dims().begin() + 1) &&
        box.element_.structure() == boxes[0].element_.structure();
    if (!fits) {
      return InvalidArgument(
          "expected boxes of the same type and with the same shape after dimension 0, found `",
          boxes[0].element_, "` with shape `", shape, "` and `", box.element_, "` with shape `",
          box.shape_, "`");
    }
    rows += box.shape_.dim(0);
    batches.push_back(box.batch_);
  }
  SIGNET_ASSIGN_OR_RETURN(Value batch, ConcatBatches(batches));
  shape.set_dim(0, rows);
  return Boxed(boxes[0].element_, std::move(shape), std::move(batch));
}

StatusOr<std::vector<Boxed>> Boxed::Unstack() const {
  if (shape_.rank() == 0)
    return InvalidArgument("expected a box with at least one dimension, found none");
  const Shape rest(shape_.dims().subspan(1));
  std::vector<int64_t> sizes(static_cast<size_t>(shape_.dim(0)), ProductOf(rest.dims()));
  SIGNET_ASSIGN_OR_RETURN(auto batches, Cut(batch_, sizes, /*drop=*/false));
  std::vector<Boxed> boxes;
  for (Value& batch : batches) boxes.push_back(Boxed(element_, rest, std::move(batch)));
  return boxes;
}

StatusOr<Boxed> Boxed::Reshape(Shape shape) const {
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), 1));
  if (ProductOf(shape.dims()) == ProductOf(shape_.dims())) {
    return Boxed(element_, std::move(shape), batch_);
  }
  return InvalidArgument("expected a shape with the number of elements of `", shape_, "`, found `",
                         shape, "`");
}

StatusOr<Value> Boxed::Unbox() const {
  if (shape_.rank() == 0) {
    SIGNET_ASSIGN_OR_RETURN(auto values, Unbatch(batch_));
    return std::move(values[0]);
  }
  Value value = batch_;
  for (int axis = shape_.rank() - 1; axis > 0; --axis) {
    SIGNET_ASSIGN_OR_RETURN(
        value,
        Fold(value, ProductOf(shape_.dims().first(static_cast<size_t>(axis))), shape_.dim(axis)));
  }
  return value;
}

}  // namespace signet
