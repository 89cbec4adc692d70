// get_item: indexes a value as Python does.
//
//   get_item(x, key=list(0, tuple(1, None, None), "name"))   as x[0, 1:, "name"]

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/index_rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/nest_children.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

using Keys = std::span<const IndexKey>;

class Indexer {
 public:
  Indexer(OpBuilder& build, std::span<const GraphValue> computed)
      : build_(build), computed_(computed) {}

  StatusOr<GraphValue> Index(const GraphValue& x, Keys keys) {
    if (!x.spec)
      return WithConstraint("C3", InvalidArgument("input 0: expected a value, found none"));
    if (keys.empty()) return x;
    switch (x.spec.kind()) {
      case TypeKind::kTensor:
      case TypeKind::kRagged:
        return IndexDims(x, keys);
      case TypeKind::kStructured:
        return x.spec.shape()->rank() == 0 ? IndexScalar(x, keys) : IndexStructure(x, keys);
      case TypeKind::kSparse:
        return Unimplemented("`get_item`: `", x.spec, "` is not supported; use `slice`");
      default:
        return IndexNest(x, keys);
    }
  }

 private:
  // Returns one element of a nest. The remaining keys index this element.
  StatusOr<GraphValue> IndexNest(const GraphValue& x, Keys keys) {
    const auto* index = std::get_if<int64_t>(&keys[0]);
    const auto* name = std::get_if<std::string>(&keys[0]);
    if (index == nullptr && name == nullptr) {
      return WithConstraint("C3", InvalidArgument("expected an integer or a name for `", x.spec,
                                                  "`, found ", KeyText(keys[0])));
    }
    SIGNET_ASSIGN_OR_RETURN(size_t child,
                            WithConstraint("C2", index != nullptr ? FindChild(x.spec, *index)
                                                                  : FindChild(x.spec, *name)));
    return Index(ChildOf(x, child), keys.subspan(1));
  }

  // Indexes a structure without dimensions: returns one field, or applies the remaining keys to all
  // fields.
  StatusOr<GraphValue> IndexScalar(const GraphValue& x, Keys keys) {
    Keys rest = keys.subspan(1);
    if (const auto* name = std::get_if<std::string>(&keys[0])) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue field, WithConstraint("C2", FieldValue(x, *name)));
      return InField(*name, Index(field, rest));
    }
    const auto* slice = std::get_if<SliceKey>(&keys[0]);
    if (slice == nullptr || !slice->is_whole()) {
      return WithConstraint("C3", InvalidArgument("expected the name of a field or `:` for `",
                                                  x.spec, "`, found ", KeyText(keys[0])));
    }
    StructureParts parts = StructurePartsOf(x);
    for (FieldPart& field : parts.fields) {
      SIGNET_ASSIGN_OR_RETURN(field.value, InField(field.name, Index(field.value, rest)));
    }
    return MakeStructureValue(build_, std::move(parts));
  }

  // Indexes a structure. After one key per dimension, the name of a field selects a column, and all
  // other keys index the column.
  StatusOr<GraphValue> IndexStructure(const GraphValue& x, Keys keys) {
    auto rank = static_cast<size_t>(x.spec.shape()->rank());
    Keys outer = keys.first(std::min(rank, keys.size()));
    for (const IndexKey& key : outer) {
      if (IsDimKey(key)) continue;
      return WithConstraint(
          "C3", InvalidArgument("expected an integer or a slice for each of the ", rank,
                                rank == 1 ? " dimension" : " dimensions", " of `", x.spec,
                                "` first, found ", KeyText(key)));
    }
    if (keys.size() <= rank) return IndexDims(x, keys);
    const auto* name = std::get_if<std::string>(&keys[rank]);
    if (name == nullptr) {
      return WithConstraint(
          "C3", InvalidArgument("expected the name of a field after the keys for the ", rank,
                                rank == 1 ? " dimension" : " dimensions", " of `", x.spec,
                                "`, found ", KeyText(keys[rank])));
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue column, WithConstraint("C2", FieldValue(x, *name)));
    std::vector<IndexKey> combined(outer.begin(), outer.end());
    combined.insert(combined.end(), keys.begin() + static_cast<std::ptrdiff_t>(rank) + 1,
                    keys.end());
    return InField(*name, Index(column, combined));
  }

  StatusOr<GraphValue> IndexDims(const GraphValue& x, Keys keys) {
    std::vector<Selector> selectors;
    size_t ellipsis = keys.size();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (std::holds_alternative<EllipsisKey>(keys[i])) {
        if (ellipsis < keys.size())
          return WithConstraint("C3", InvalidArgument("duplicate key `...`"));
        ellipsis = i;
        continue;
      }
      SIGNET_ASSIGN_OR_RETURN(Selector selector, SelectorOf(x, keys[i]));
      selectors.push_back(std::move(selector));
    }
    if (ellipsis < keys.size() && x.spec.shape()->has_rank()) {
      auto dims = std::count_if(selectors.begin(), selectors.end(), [](const Selector& selector) {
        return selector.kind != Selector::Kind::kNewAxis;
      });
      auto left = std::max<std::ptrdiff_t>(x.spec.shape()->rank() - dims, 0);
      selectors.insert(selectors.begin() + static_cast<std::ptrdiff_t>(ellipsis),
                       static_cast<size_t>(left), Selector());
    }
    return IndexRows(build_, x, selectors);
  }

  StatusOr<Selector> SelectorOf(const GraphValue& x, const IndexKey& key) {
    if (const auto* index = std::get_if<int64_t>(&key)) {
      return Selector{.kind = Selector::Kind::kElement, .index = Int64Constant(build_, *index)};
    }
    if (const auto* input = std::get_if<InputKey>(&key)) {
      return Selector{.kind = Selector::Kind::kElement, .index = computed_[input->input]};
    }
    if (const auto* slice = std::get_if<SliceKey>(&key)) {
      if (slice->is_whole()) return Selector();
      Selector selector{.kind = Selector::Kind::kSlice, .slice = *slice};
      if (slice->start_input) selector.start = computed_[*slice->start_input];
      if (slice->stop_input) selector.stop = computed_[*slice->stop_input];
      return selector;
    }
    if (std::holds_alternative<NewAxisKey>(key)) return Selector{.kind = Selector::Kind::kNewAxis};
    return WithConstraint("C3", InvalidArgument("expected integers and slices for `", x.spec,
                                                "`, found ", KeyText(key)));
  }

  static bool IsDimKey(const IndexKey& key) {
    return std::holds_alternative<int64_t>(key) || std::holds_alternative<SliceKey>(key) ||
           std::holds_alternative<InputKey>(key);
  }

  static std::string KeyText(const IndexKey& key) {
    return Cat("key `", Printable(AttributeOf(std::span(&key, 1)).children()[0].ToString()), "`");
  }

  static StatusOr<GraphValue> InField(std::string_view name, StatusOr<GraphValue> made) {
    if (made.ok()) return made;
    return At(Cat("field `", name, "`"), made.status());
  }

  OpBuilder& build_;
  const std::span<const GraphValue> computed_;  // int64[], the values of the InputKeys
};

// Resolves keys and bounds of slices that are inputs: replaces literals by what they state, and
// converts the others to int64.
class InputResolver {
 public:
  InputResolver(OpBuilder& build, std::span<const GraphValue> inputs)
      : build_(build), inputs_(inputs), computed_(inputs.begin(), inputs.end()) {}

  Status Resolve(IndexKey& key) {
    if (auto* slice = std::get_if<SliceKey>(&key)) {
      SIGNET_RETURN_IF_ERROR(ResolveBound(slice->start_input, slice->start));
      return ResolveBound(slice->stop_input, slice->stop);
    }
    const auto* input = std::get_if<InputKey>(&key);
    if (input == nullptr) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(GraphValue given, Find(input->input));
    if (!IsPlainLiteral(given)) return Convert(input->input, PartialShape(Shape{}));
    SIGNET_ASSIGN_OR_RETURN(auto plain, WithConstraint("C1", ReadIndexKeys(given.spec)));
    bool one = plain.size() == 1 && !std::holds_alternative<InputKey>(plain[0]);
    if (!one)
      return WithConstraint("C1", InvalidArgument("expected one key, found `", given.spec, "`"));
    key = std::move(plain[0]);
    return absl::OkStatus();
  }

  const std::vector<GraphValue>& computed() const { return computed_; }

 private:
  StatusOr<GraphValue> Find(size_t input) const {
    if (input < inputs_.size()) return inputs_[input];
    return WithConstraint("C1", InvalidArgument("expected keys for at most ", inputs_.size() + 1,
                                                " inputs, found a key for input ", input + 1));
  }

  Status ResolveBound(std::optional<size_t>& input, std::optional<int64_t>& bound) {
    if (!input) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(GraphValue given, Find(*input));
    if (!IsPlainLiteral(given)) return Convert(*input, {kUnknownDim});
    const Literal* literal = LookupLiteral(given.spec);
    if (literal != nullptr) bound = literal->AsInt64();
    if (!bound && (literal == nullptr || !literal->is(Literal::Kind::kNone))) {
      return WithConstraint("C1", InvalidArgument("slice: expected an integer or None as a bound, ",
                                                  "found `", given.spec, "`"));
    }
    input.reset();
    return absl::OkStatus();
  }

  // Converts an input to int64. It is an integer, or has the shape `other`.
  Status Convert(size_t input, const PartialShape& other) {
    const GraphValue& given = inputs_[input];
    const auto* tensor = given.spec ? given.spec.As<TensorSpec>() : nullptr;
    bool fits =
        tensor != nullptr && IsIndexDType(tensor->dtype()) &&
        (tensor->shape().IsCompatibleWith(Shape{}) || tensor->shape().IsCompatibleWith(other));
    if (!fits) {
      return WithConstraint(
          "C1", InvalidArgument("input ", input + 1,
                                ": expected an integer, `int32[]`, or `int64[]`, found `",
                                given.spec ? given.spec.ToString() : "None", "`"));
    }
    if (tensor->dtype() == DType::kInt64) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(computed_[input], build_.Cast(given, {.dtype = DType::kInt64}));
    return absl::OkStatus();
  }

  OpBuilder& build_;
  const std::span<const GraphValue> inputs_;
  std::vector<GraphValue> computed_;
};

StatusOr<std::vector<GraphValue>> ExpandGetItem(OpBuilder& build, const OpCall& call,
                                                std::span<const GraphValue> inputs) {
  // C1: `key` is a key, or a list of keys.
  SIGNET_ASSIGN_OR_RETURN(auto keys,
                          WithConstraint("C1", ReadIndexKeys(call.attributes.Lookup("key"))));
  InputResolver resolver(build, inputs.subspan(1));
  for (IndexKey& key : keys) SIGNET_RETURN_IF_ERROR(resolver.Resolve(key));
  // C2: the element or field of each key exists. C3: the keys fit the values that they index. C4:
  // the rows of a dimension that an integer indexes have the same length.
  return OneOutput(Indexer(build, resolver.computed()).Index(inputs[0], keys));
}

}  // namespace

OpDef GetItem() {
  return {
      .name = "get_item",
      .summary = "Indexes a value as Python does",
      .description =
          "Returns the part of x to which the keys lead. `key` is one key, or a list of keys for "
          "the dimensions from the first on; the dimensions after the last key are taken whole. "
          "References of a model write a call of `get_item` as `x[0, 1:, \"name\"]`. A key is one "
          "of: an integer, such as `2` or `-1` (below 0 counts from the end), which selects one "
          "element and removes the dimension; a slice `1:`, which is written `tuple(1, None, "
          "None)` and is cut to the dimension as in Python, with any step except 0; a name, such "
          "as `\"stars\"`, which selects a field of a structure or an element of a dict, named "
          "tuple, or extension value; `\"...\"`, which stands for all dimensions that are left; "
          "None, which adds a dimension of size 1; or `dict(input: 0)`, which stands for an input "
          "of the call: an integer `int32[]` or `int64[]` that is computed, or a literal that is "
          "the key itself. The start and the stop of a slice may be inputs, too: `x[:, :k]` is "
          "written `tuple(None, dict(input: 0), None)`.",
      .inputs = {"x", "indices..."},
      .attributes = {{"key"}},
      .result =
          "The selected part. Rows that are taken from the first dimension share memory with x, "
          "except for strings.",
      .constraints =
          {"`key` is a key or a list of at most 128 keys, no step is 0, and each input that a key "
           "names exists.",
           "The elements and names that the keys select exist (OUT_OF_RANGE, NOT_FOUND).",
           "The keys fit the value: there are at most as many keys as dimensions, one ellipsis, "
           "and names only where names are possible.",
           "After a slice, an integer does not index a ragged dimension."},
      .composites =
          "Tensors and ragged values accept integers, slices, an ellipsis, and new axes. A slice "
          "of a ragged dimension selects a part of each row, cut to that row; its computed bounds "
          "are one integer for all rows, or a vector with one integer per row. After a slice, an "
          "integer on a ragged dimension is rejected by its type, even if there are no rows, "
          "unless the type states that all rows have the same length. A structure with dimensions "
          "accepts an integer or a slice per dimension, then the name of a field; further keys "
          "index the column of the field. A structure without dimensions accepts a name, or `:`, "
          "which applies the other keys to each field. A nest accepts an integer or a name and "
          "passes the other keys on to the element; lists and tuples do not accept slices.",
      .expand = ExpandGetItem,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
