// Operators on sets. The last dimension of a tensor or of a sparse value contains one set per index
// of the other dimensions. A value that occurs several times in a set counts once.

#include <cctype>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// The values of all sets of an input.
struct SetValues {
  Expr values;
  Expr sets;   // the number of the set of each value, in row-major order
  Expr shape;  // the sizes of the dimensions except for the last one
};

Status CheckSetRank(int64_t rank) {
  if (rank == kUnknownDim || rank >= 2) return absl::OkStatus();
  return InvalidArgument("expected sets of rank 2 or more, found rank ", rank);
}

StatusOr<SetValues> DenseSets(OpBuilder& build, TfInputs in, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, i));
  SIGNET_RETURN_IF_ERROR(CheckSetRank(rank));
  Expr count = DimProduct(build, in[i], 0, rank - 1);
  Expr splits = build.UniformRowSplits(count, DimSize(build, in[i], rank - 1));
  return SetValues{build.Reshape(in[i], {.shape = {-1}}), build.SegmentIds(splits),
                   DimSizes(build, in[i], 0, rank - 1)};
}

// Reads a sparse value, which is the inputs from `i`: indices, values, and a dense shape.
StatusOr<SetValues> SparseSets(OpBuilder& build, const OpCall& call, TfInputs in, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(bool checks, call.attributes.Bool("validate_indices"));
  Expr indices = AsInt64(build, in[i]);
  Expr shape = AsInt64(build, in[i + 2]);
  SIGNET_RETURN_IF_ERROR(CheckSetRank(KnownSize(in[i], 1)));
  SIGNET_RETURN_IF_ERROR(CheckSetRank(KnownSize(in[i + 2], 0)));
  const Status no_sets = InvalidArgument("expected sets of rank 2 or more");
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.GreaterEqual(DimSize(build, shape, 0), 2), no_sets));
  SIGNET_ASSIGN_OR_RETURN(GraphValue num_values, DimSize(build, in[i + 1], 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue num_indices, DimSize(build, indices, 0));
  SIGNET_RETURN_IF_ERROR(CheckSameSize(build, num_values, num_indices,
                                       InvalidArgument("expected one index per value of a set")));
  SIGNET_RETURN_IF_ERROR(CheckSparseIndices(build, indices, shape, checks));
  Expr outer = build.Slice(shape, {.starts = {0}, .limits = {-1}, .axes = {0}});
  Expr set = build.Slice(indices, {.starts = {0}, .limits = {-1}, .axes = {1}});
  return SetValues{build.AsExpr(in[i + 1]), build.RavelIndices(set, outer), outer};
}

// The different pairs of a set and a value, sorted by both.
struct SetPairs {
  Expr sets;
  Expr values;
  Expr of;     // the number of the pair of each value
  Expr count;  // of pairs
};

StatusOr<SetPairs> PairsOf(OpBuilder& build, const Expr& values, const Expr& sets) {
  // Numbers of different sets and of different values, so that a pair has a number that int64
  // holds.
  auto value = build.Unique(values, {.sorted = true});
  SIGNET_RETURN_IF_ERROR(value.status());
  auto set = build.Unique(sets, {.sorted = true});
  SIGNET_RETURN_IF_ERROR(set.status());
  Expr width = build.Maximum(DimSize(build, (*value)[0], 0), 1);
  auto pair = build.Unique(build.Add(build.Mul((*set)[2], width), (*value)[2]), {.sorted = true});
  SIGNET_RETURN_IF_ERROR(pair.status());
  return SetPairs{build.Gather((*set)[0], build.Floordiv((*pair)[0], width), {.axis = 0}),
                  build.Gather((*value)[0], build.Mod((*pair)[0], width), {.axis = 0}),
                  build.AsExpr((*pair)[2]), DimSize(build, (*pair)[0], 0)};
}

TfOutputs ExpandSetOperation(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string operation, call.attributes.String("set_operation"));
  for (char& c : operation) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (operation != "a-b" && operation != "b-a" && operation != "intersection" &&
      operation != "union") {
    return InvalidArgument("`set_operation`: expected a-b, b-a, intersection, or union, found `",
                           Printable(operation), "`");
  }
  const std::string_view name = std::string_view(call.op.name).substr(3);
  const bool is_first_sparse = name.starts_with("Sparse");
  SIGNET_ASSIGN_OR_RETURN(
      SetValues a, is_first_sparse ? SparseSets(build, call, in, 0) : DenseSets(build, in, 0));
  const size_t second = is_first_sparse ? 3 : 1;
  SIGNET_ASSIGN_OR_RETURN(SetValues b, name.find("ToSparse") != std::string_view::npos
                                           ? SparseSets(build, call, in, second)
                                           : DenseSets(build, in, second));
  if (TensorDType(a.values) != TensorDType(b.values)) {
    return InvalidArgument("expected sets of one dtype, found `", NameOf(TensorDType(a.values)),
                           "` and `", NameOf(TensorDType(b.values)), "`");
  }
  const Status other_shape =
      InvalidArgument("expected sets of one shape, except for the last dimension");
  SIGNET_ASSIGN_OR_RETURN(GraphValue rank, DimSize(build, a.shape, 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue other_rank, DimSize(build, b.shape, 0));
  SIGNET_RETURN_IF_ERROR(CheckSameSize(build, rank, other_rank, other_shape));
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.Equal(a.shape, b.shape)), other_shape));
  SIGNET_ASSIGN_OR_RETURN(SetPairs pairs,
                          PairsOf(build, build.Concat({a.values, b.values}, {.axis = 0}),
                                  build.Concat({a.sets, b.sets}, {.axis = 0})));
  Expr places = build.Range({DimSize(build, pairs.of, 0)});
  Expr is_first = build.Less(places, DimSize(build, a.sets, 0));
  Expr in_a = build.GroupAny(is_first, pairs.of, pairs.count);
  Expr in_b = build.GroupAny(build.LogicalNot(is_first), pairs.of, pairs.count);
  Expr keep = operation == "a-b"     ? build.LogicalNot(in_b)
              : operation == "b-a"   ? build.LogicalNot(in_a)
              : operation == "union" ? build.LogicalOr(in_a, in_b)
                                     : build.LogicalAnd(in_a, in_b);
  // Each set of the result is a run of pairs. A value has its place in the run as its last index.
  Expr sets = build.BooleanMask(pairs.sets, keep);
  Expr splits = build.GroupEqual(sets);
  Expr starts = build.Gather(splits, build.SegmentIds(splits), {.axis = 0});
  Expr columns = build.Sub(build.Range({DimSize(build, sets, 0)}), starts);
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr longest = build.ReduceMax(build.Concat({build.RowLengths(splits), zero}, {.axis = 0}));
  return AllOf(
      {build.Concat({build.UnravelIndices(sets, a.shape), build.ExpandDims(columns, {.axis = 1})},
                    {.axis = 1}),
       build.BooleanMask(pairs.values, keep),
       build.Concat({a.shape, build.ExpandDims(longest, {.axis = 0})}, {.axis = 0})});
}

TfOutputs ExpandSetSize(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(SetValues all, SparseSets(build, call, in, 0));
  SIGNET_ASSIGN_OR_RETURN(SetPairs pairs, PairsOf(build, all.values, all.sets));
  Expr sizes = build.GroupSum(build.OnesLike(pairs.sets), pairs.sets, build.ReduceProd(all.shape));
  return CastTo(build, build.Reshape(sizes, all.shape), DType::kInt32);
}

}  // namespace

std::vector<OpDef> TfSetOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    attributes.push_back({"validate_indices", AttributeOf(true)});
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const char* summary = "Computes the union, the intersection, or a difference of sets";
  add("DenseToDenseSetOperation", summary, {"set1", "set2"}, {{"set_operation"}},
      ExpandSetOperation);
  add("DenseToSparseSetOperation", summary, {"set1", "set2_indices", "set2_values", "set2_shape"},
      {{"set_operation"}}, ExpandSetOperation);
  add("SparseToSparseSetOperation", summary,
      {"set1_indices", "set1_values", "set1_shape", "set2_indices", "set2_values", "set2_shape"},
      {{"set_operation"}}, ExpandSetOperation);
  add("SetSize", "Counts the values of sets", {"set_indices", "set_values", "set_shape"}, {},
      ExpandSetSize);
  return ops;
}

}  // namespace signet
