// Sequences and optional values.
//
// A sequence is a list, whose length is part of its type, or an open list, whose length is known
// only when the function runs. An optional value is an `onnx.Optional`
// (core/ops/build/optional_value.h). As an argument, it is the value itself, or None.

#include <algorithm>
#include <limits>
#include <optional>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/open_lists.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/optional_value.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/literal_dtype.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

constexpr int64_t kMaxElements = 65536;  // of a sequence

GraphValue ListOfValues(std::span<const GraphValue> elements) {
  std::vector<TypeSpec> types;
  for (const GraphValue& element : elements) types.push_back(element.spec);
  return Joined(ListType(std::move(types)), elements);
}

// Returns the elements of input `i`, a list or tuple.
StatusOr<Values> ElementsOf(std::span<const GraphValue> inputs, size_t i) {
  if (i >= inputs.size() || !inputs[i].spec || !IsSequence(inputs[i].spec)) {
    return InvalidArgument("input ", i, ": expected a list, found `",
                           i < inputs.size() && inputs[i].spec ? inputs[i].spec.ToString() : "None",
                           "`");
  }
  Values elements;
  for (size_t k = 0; k < inputs[i].spec.children().size(); ++k) {
    elements.push_back(ChildOf(inputs[i], k));
  }
  return elements;
}

bool IsOpen(std::span<const GraphValue> inputs) {
  return !inputs.empty() && IsOpenList(inputs[0].spec);
}

// Returns a position as int64[].
StatusOr<GraphValue> PositionAt(OpBuilder& build, std::span<const GraphValue> inputs, size_t i) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
  return build.Cast(build.Reshape(inputs[i], {.shape = {}}), {.dtype = DType::kInt64});
}

// Returns `position`, counted from the start, if it is known. It must be below `count`.
StatusOr<std::optional<size_t>> KnownPosition(const OpBuilder& build, const GraphValue& position,
                                              size_t count) {
  const Tensor* known = build.LookupConstant(position.components[0]);
  if (known == nullptr) return std::optional<size_t>();
  auto number = known->scalar<int64_t>();
  auto size = static_cast<int64_t>(count);
  if (number < -size || number >= size) {
    return InvalidArgument("expected a position from ", -size, " to ", size - 1,
                           " in the sequence, found ", number);
  }
  return static_cast<size_t>(number < 0 ? number + size : number);
}

// Returns `position` in a sequence of `count` elements (PositionIn).
StatusOr<GraphValue> FromFront(OpBuilder& build, const GraphValue& position, size_t count,
                               size_t places) {
  return PositionIn(build, position, Int64Constant(build, static_cast<int64_t>(count)),
                    Int64Constant(build, static_cast<int64_t>(places)),
                    Cat("a position outside of a sequence of ", count, " elements"));
}

StatusOr<GraphValue> Pick(OpBuilder& build, const GraphValue& index, Values values) {
  values.insert(values.begin(), index);
  SIGNET_ASSIGN_OR_RETURN(Values picked, build.Call("pick", values, {}));
  return std::move(picked[0]);
}

StatusOr<Values> ExpandConstruct(OpBuilder&, const OpCall&, std::span<const GraphValue> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
  return Values{ListOfValues(inputs)};
}

StatusOr<Values> ExpandEmpty(OpBuilder&, const OpCall&, std::span<const GraphValue>) {
  return Values{ListOfValues({})};
}

StatusOr<Values> ExpandLength(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  if (IsOpen(inputs)) return OneOutput(CountRows(build, inputs[0]));
  SIGNET_ASSIGN_OR_RETURN(Values elements, ElementsOf(inputs, 0));
  return Values{Int64Constant(build, static_cast<int64_t>(elements.size()))};
}

StatusOr<Values> ExpandAt(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue position, PositionAt(build, inputs, 1));
  if (IsOpen(inputs)) return OneOutput(ElementAt(build, inputs[0], position));
  SIGNET_ASSIGN_OR_RETURN(Values elements, ElementsOf(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(auto known, KnownPosition(build, position, elements.size()));
  if (known) return Values{elements[*known]};
  if (elements.empty()) return InvalidArgument("expected a sequence with at least one element");
  return OneOutput(Pick(build, position, std::move(elements)));
}

// Expands a further input of SequenceMap: the element of a list, or else the tensor itself.
StatusOr<Values> ExpandMapElement(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  bool is_list = IsOpen(inputs) || (inputs[0].spec && IsSequence(inputs[0].spec));
  if (is_list) return ExpandAt(build, call, inputs);
  return Values{inputs[0]};
}

StatusOr<Values> ExpandInsert(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  const GraphValue& added = inputs[1];
  if (IsOpen(inputs)) {
    GraphValue place;
    if (IsGiven(inputs, 2)) {
      SIGNET_ASSIGN_OR_RETURN(place, PositionAt(build, inputs, 2));
    }
    return OneOutput(InsertAt(build, inputs[0], added, place));
  }
  SIGNET_ASSIGN_OR_RETURN(Values elements, ElementsOf(inputs, 0));
  size_t count = elements.size();
  if (count >= static_cast<size_t>(kMaxElements)) {
    return ResourceExhausted("a sequence exceeds the limit of ", kMaxElements, " elements");
  }
  std::optional<size_t> known = count;
  GraphValue position;
  if (IsGiven(inputs, 2)) {
    SIGNET_ASSIGN_OR_RETURN(position, PositionAt(build, inputs, 2));
    SIGNET_ASSIGN_OR_RETURN(known, KnownPosition(build, position, count + 1));
    // Positions from the end count existing elements: -1 is before the last element.
    const Tensor* number = build.LookupConstant(position.components[0]);
    if (number != nullptr && number->scalar<int64_t>() < 0) {
      if (number->scalar<int64_t>() < -static_cast<int64_t>(count)) {
        return InvalidArgument("expected a position in a sequence of ", count, " elements, found ",
                               number->scalar<int64_t>());
      }
      known = *known - 1;
    }
  }
  if (known) {
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*known), added);
    return Values{ListOfValues(elements)};
  }
  SIGNET_ASSIGN_OR_RETURN(position, FromFront(build, position, count, count + 1));
  Values out;
  for (size_t i = 0; i <= count; ++i) {
    // The position of the new element is after, at, or before element `i`.
    GraphValue place = Int64Constant(build, static_cast<int64_t>(i));
    SIGNET_ASSIGN_OR_RETURN(GraphValue side,
                            build.Sign(build.Sub(place, position)) + Int64Constant(build, 1));
    SIGNET_ASSIGN_OR_RETURN(GraphValue picked, Pick(build, side,
                                                    {i < count ? elements[i] : added, added,
                                                     i > 0 ? elements[i - 1] : added}));
    out.push_back(std::move(picked));
  }
  return Values{ListOfValues(out)};
}

StatusOr<Values> ExpandErase(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  GraphValue position;
  if (IsGiven(inputs, 1)) {
    SIGNET_ASSIGN_OR_RETURN(position, PositionAt(build, inputs, 1));
  }
  if (IsOpen(inputs)) return OneOutput(EraseAt(build, inputs[0], position));
  SIGNET_ASSIGN_OR_RETURN(Values elements, ElementsOf(inputs, 0));
  if (elements.empty()) return InvalidArgument("expected a sequence with at least one element");
  std::optional<size_t> known = elements.size() - 1;
  if (position.spec) {
    SIGNET_ASSIGN_OR_RETURN(known, KnownPosition(build, position, elements.size()));
  }
  if (known) {
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*known));
    return Values{ListOfValues(elements)};
  }
  SIGNET_ASSIGN_OR_RETURN(position, FromFront(build, position, elements.size(), elements.size()));
  Values out;
  for (size_t i = 0; i + 1 < elements.size(); ++i) {
    GraphValue place = Int64Constant(build, static_cast<int64_t>(i));
    SIGNET_ASSIGN_OR_RETURN(GraphValue moved,
                            build.Cast(build.LessEqual(position, place), {.dtype = DType::kInt64}));
    SIGNET_ASSIGN_OR_RETURN(GraphValue picked, Pick(build, moved, {elements[i], elements[i + 1]}));
    out.push_back(std::move(picked));
  }
  return Values{ListOfValues(out)};
}

StatusOr<Values> ExpandConcatFrom(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t new_axis, call.attributes.Int("new_axis"));
  if (IsOpen(inputs)) {
    SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
    return OneOutput(JoinElements(build, inputs[0], axis, new_axis != 0));
  }
  SIGNET_ASSIGN_OR_RETURN(Values elements, ElementsOf(inputs, 0));
  if (elements.empty()) return InvalidArgument("expected a sequence with at least one element");
  return build.Call(new_axis != 0 ? OpName("stack") : "concat", elements,
                    Attributes({{"axis", call.attributes.Lookup("axis")}}));
}

// Returns the sizes of the parts of SplitToSequence along a dimension of `size`. Returns nothing if
// they are not known now, or if all parts have one size and `size` is not known.
StatusOr<std::optional<std::vector<int64_t>>> PartSizes(const OpBuilder& build,
                                                        std::span<const GraphValue> inputs,
                                                        int64_t size) {
  using Sizes = std::optional<std::vector<int64_t>>;
  int64_t part = 1;
  if (IsGiven(inputs, 1)) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 1));
    if (rank > 1) {
      return InvalidArgument("input 1: expected a scalar or a vector, found `", inputs[1].spec,
                             "`");
    }
    auto known = KnownInts(build, inputs, 1);
    if (!known) return Sizes();
    if (rank == 1) return Sizes(*known);
    part = (*known)[0];
  }
  if (part <= 0) return InvalidArgument("expected parts of size at least 1, found ", part);
  if (size == kUnknownDim) return Sizes();
  if (size / part > kMaxElements) {
    return ResourceExhausted(size / part, " parts exceed the limit of ", kMaxElements);
  }
  std::vector<int64_t> sizes(static_cast<size_t>(size / part), part);
  if (size % part != 0) sizes.push_back(size % part);
  return Sizes(std::move(sizes));
}

// Returns parts whose sizes are known only when the function runs. The number of sizes is known.
StatusOr<Values> ComputedParts(OpBuilder& build, const GraphValue& x, const GraphValue& sizes,
                               int axis) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue ends, build.Cumsum(sizes, {.axis = 0}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue starts, build.Sub(ends, sizes));
  auto at = [&](const GraphValue& list, int64_t i) {
    int64_t limit = i + 1;
    return build.Slice(list, {.starts = std::span<const int64_t>(&i, 1),
                              .limits = std::span<const int64_t>(&limit, 1)});
  };
  int64_t along = axis;
  Values parts;
  for (int64_t i = 0; i < sizes.spec.shape()->dim(0); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue start, at(starts, i));
    SIGNET_ASSIGN_OR_RETURN(GraphValue end, at(ends, i));
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue part,
        build.Slice(x, start, end, {}, {}, {.axes = std::span<const int64_t>(&along, 1)}));
    parts.push_back(std::move(part));
  }
  return parts;
}

StatusOr<Values> ExpandSplitTo(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
  SIGNET_ASSIGN_OR_RETURN(int64_t keep, call.attributes.Int("keepdims"));
  const bool has_sizes = IsGiven(inputs, 1);
  const bool keeps_dim = keep != 0 || has_sizes;
  int64_t size = inputs[0].spec.shape()->dim(axis);
  SIGNET_ASSIGN_OR_RETURN(auto sizes, PartSizes(build, inputs, size));
  if (!sizes && has_sizes) {
    SIGNET_ASSIGN_OR_RETURN(int sizes_rank, RankAt(inputs, 1));
    if (sizes_rank == 1 && inputs[1].spec.shape()->dim(0) != kUnknownDim) {
      SIGNET_ASSIGN_OR_RETURN(Values parts, ComputedParts(build, inputs[0], inputs[1], axis));
      return Values{ListOfValues(parts)};
    }
  }
  if (!sizes) {
    CutForm form{axis, has_sizes ? inputs[1] : GraphValue(), keeps_dim};
    return OneOutput(CutIntoOpenList(build, inputs[0], form));
  }
  Values parts;
  if (!sizes->empty()) {
    SIGNET_ASSIGN_OR_RETURN(parts, build.Split(inputs[0], {.axis = axis, .sizes = *sizes}));
  }
  if (!keeps_dim) {
    int64_t along = axis;
    for (GraphValue& part : parts) {
      SIGNET_ASSIGN_OR_RETURN(part,
                              build.Squeeze(part, {.axes = std::span<const int64_t>(&along, 1)}));
    }
  }
  return Values{ListOfValues(parts)};
}

// Marks a sequence or an optional value as a result (core/runtime/returned_value.h).
StatusOr<GraphValue> MarkResult(const GraphValue& value) {
  if (IsOptionalValue(value.spec)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue held, MarkResult(ValueOf(value)));
    const GraphValue parts[] = {PresentOf(value), held};
    return Joined(OptionalType(parts[0].spec, held.spec), parts);
  }
  if (!IsOpenList(value.spec)) return value;
  GraphValue elements = value;
  if (!IsMixedList(value.spec)) {
    SIGNET_ASSIGN_OR_RETURN(elements, ColumnOf(value));
  }
  return GraphValue{ReturnedListType(elements.spec), elements.components};
}

StatusOr<Values> ExpandResult(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  if (!IsGiven(inputs, 0)) return Values{build.Constant(Value::None())};
  return OneOutput(MarkResult(inputs[0]));
}

bool IsOptional(std::span<const GraphValue> inputs) {
  return IsGiven(inputs, 0) && IsOptionalValue(inputs[0].spec);
}

StatusOr<Values> ExpandOptional(OpBuilder& build, const OpCall&,
                                std::span<const GraphValue> inputs) {
  if (IsGiven(inputs, 0)) return Values{AsOptional(inputs[0])};
  return Values{AsOptional(build.Constant(Value::None()))};
}

StatusOr<Values> ExpandHasElement(OpBuilder& build, const OpCall&,
                                  std::span<const GraphValue> inputs) {
  if (!IsOptional(inputs)) return Values{build.Constant(Tensor::Scalar(IsGiven(inputs, 0)))};
  GraphValue present = PresentOf(inputs[0]);
  const auto* known = present.spec.As<LiteralSpec>();
  if (known == nullptr) return Values{std::move(present)};
  return Values{build.Constant(Tensor::Scalar(known->literal().bool_value()))};
}

StatusOr<Values> ExpandGetElement(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  constexpr std::string_view kAbsent = "expected an optional value that is present, found None";
  if (!IsGiven(inputs, 0)) return InvalidArgument(kAbsent);
  if (!IsOptional(inputs)) return Values{inputs[0]};
  GraphValue held = ValueOf(inputs[0]);
  if (IsNone(held.spec)) return InvalidArgument(kAbsent);
  SIGNET_ASSIGN_OR_RETURN(Values present, ExpandHasElement(build, call, inputs));
  SIGNET_RETURN_IF_ERROR(build.CheckTrue(present[0], {.message = kAbsent}).status());
  return Values{std::move(held)};
}

OpDef AnyTypeOp(std::string name, std::string summary, std::vector<std::string> inputs,
                std::vector<AttributeDef> attributes, ExpandFn expand) {
  OpDef op = OnnxOpOnValues(std::move(name), std::move(summary), std::move(inputs),
                            std::move(attributes), expand);
  op.any_type = true;
  return op;
}

}  // namespace

std::vector<OpDef> OnnxSequenceOps() {
  std::vector<OpDef> ops;
  ops.push_back(
      AnyTypeOp("onnx.SequenceConstruct", "Makes a list", {"inputs..."}, {}, ExpandConstruct));
  ops.push_back(AnyTypeOp("onnx.SequenceEmpty", "Makes a list without elements", {},
                          {{"dtype", NoneAttribute()}}, ExpandEmpty));
  ops.push_back(AnyTypeOp("onnx.SequenceLength", "Counts the elements of a list",
                          {"input_sequence"}, {}, ExpandLength));
  ops.push_back(AnyTypeOp("onnx.SequenceAt", "Gives an element of a list",
                          {"input_sequence", "position"}, {}, ExpandAt));
  ops.push_back(AnyTypeOp("onnx.SequenceMapElement", "Gives an element of a list, or a tensor",
                          {"input", "position"}, {}, ExpandMapElement));
  ops.push_back(AnyTypeOp("onnx.SequenceInsert", "Adds an element to a list",
                          {"input_sequence", "tensor", "position?"}, {}, ExpandInsert));
  ops.push_back(AnyTypeOp("onnx.SequenceErase", "Leaves an element of a list out",
                          {"input_sequence", "position?"}, {}, ExpandErase));
  ops.push_back(AnyTypeOp("onnx.ConcatFromSequence", "Joins the elements of a list",
                          {"input_sequence"}, {{"axis"}, {"new_axis", AttributeOf(0)}},
                          ExpandConcatFrom));
  ops.push_back(AnyTypeOp("onnx.SplitToSequence", "Cuts a tensor into a list", {"input", "split?"},
                          {{"axis", AttributeOf(0)}, {"keepdims", AttributeOf(1)}}, ExpandSplitTo));
  ops.push_back(AnyTypeOp("onnx.SequenceResult",
                          "Marks a sequence or an optional value as a result of the function",
                          {"input?"}, {}, ExpandResult));
  ops.push_back(
      AnyTypeOp("onnx.Optional", "Makes an optional value", {"input?"}, {}, ExpandOptional));
  ops.push_back(AnyTypeOp("onnx.OptionalGetElement", "Returns the value of an optional value",
                          {"input?"}, {}, ExpandGetElement));
  ops.push_back(AnyTypeOp("onnx.OptionalHasElement", "Returns whether an optional value is present",
                          {"input?"}, {}, ExpandHasElement));
  return ops;
}

}  // namespace signet
