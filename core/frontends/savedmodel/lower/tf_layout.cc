// Operators on the layout of tensors: the order of dimensions, blocks, offsets, and rows that are
// replaced.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

TfOutputs ExpandUnravelIndex(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank > 1) return InvalidArgument("expected rank 0 or 1, found `", in[0].spec, "`");
  Expr dims = AsInt64(build, in[1]);
  Expr flat = build.Reshape(AsInt64(build, in[0]), {.shape = {-1}});
  Expr inside =
      build.LogicalAnd(build.GreaterEqual(flat, 0), build.Less(flat, build.ReduceProd(dims)));
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.ReduceAll(inside),
                                        InvalidArgument("expected indices within the shape")));
  Expr found = CastTo(build, build.UnravelIndices(flat, dims), DTypeAt(in, 0));
  if (rank == 0) return build.Reshape(found, {.shape = {-1}});
  return build.Transpose(found, {.perm = {1, 0}});
}

TfOutputs ExpandConcatOffset(OpBuilder& build, const OpCall&, TfInputs in) {
  if (in.size() < 2) return InvalidArgument("expected at least 2 inputs, found ", in.size());
  const DType dtype = DTypeAt(in, 1);
  Expr rank = DimSize(build, in[1], 0);
  Expr given = AsScalar(build, AsInt64(build, in[0]));
  Expr axis = build.Select(build.Less(given, 0), build.Add(given, rank), given);
  Expr mark = AsInt64(build, build.Equal(build.Range({rank}), axis));
  Expr sum = build.ZerosLike(mark);
  std::vector<Operand> out;
  for (size_t i = 1; i < in.size(); ++i) {
    out.push_back(CastTo(build, sum, dtype));
    sum = build.Add(sum, build.Mul(AsInt64(build, in[i]), mark));
  }
  return AllOf(Operands(out));
}

TfOutputs ExpandInplace(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 1));
  Expr at = build.Reshape(AsInt64(build, in[1]), {.shape = {-1, 1}});
  Expr rows = rank == 0 ? build.ExpandDims(in[2], {.axis = 0}) : build.AsExpr(in[2]);
  if (call.op.name == "tf.InplaceUpdate") return build.ScatterNd(in[0], at, rows);
  if (call.op.name == "tf.InplaceSub") rows = build.Neg(rows);
  return build.ScatterNd(in[0], at, rows, {.reduction = "add"});
}

// SpaceToBatch and BatchToSpace: square blocks of images.
TfOutputs ExpandSquareBlocks(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t block, call.attributes.Int("block_size"));
  const std::vector<int64_t> sizes = {block, block};
  return build.CallAll(Cat(call.op.name, "ND"), {in[0], Ints(build, sizes), in[1]});
}

TfOutputs ExpandParallelConcat(OpBuilder& build, const OpCall&, TfInputs in) {
  if (in.empty()) return InvalidArgument("expected at least one input");
  return build.Concat(Operands(in), {.axis = 0});
}

TfOutputs ExpandEmpty(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "dtype"));
  if (auto dims = KnownInts(build, in, 0)) {
    return build.Fill(Zero(build, dtype), {.shape = *dims});
  }
  return build.Fill(Zero(build, dtype), AsInt64(build, in[0]));
}

struct Formats {
  std::string from;
  std::string to;
};

StatusOr<Formats> FormatsOf(const OpCall& call) {
  Formats out;
  SIGNET_ASSIGN_OR_RETURN(out.from, call.attributes.String("src_format"));
  SIGNET_ASSIGN_OR_RETURN(out.to, call.attributes.String("dst_format"));
  if (out.from.empty() || out.from.size() > 5 ||
      !std::is_permutation(out.from.begin(), out.from.end(), out.to.begin(), out.to.end())) {
    return InvalidArgument("expected two orders of the same dimensions, found `",
                           Printable(out.from), "` and `", Printable(out.to), "`");
  }
  return out;
}

TfOutputs ExpandDimMap(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(Formats formats, FormatsOf(call));
  std::vector<int64_t> places;
  for (char c : formats.from) places.push_back(static_cast<int64_t>(formats.to.find(c)));
  const auto size = static_cast<int64_t>(places.size());
  Expr x = AsInt64(build, in[0]);
  Expr from_start = build.Select(build.Less(x, 0), build.Add(x, size), x);
  return CastTo(build, build.Gather(Ints(build, places), from_start, {.axis = 0}), DTypeAt(in, 0));
}

TfOutputs ExpandVecPermute(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(Formats formats, FormatsOf(call));
  const int64_t size = KnownSize(in[0], 0);
  if (size == kUnknownDim) return Unimplemented("expected a known size, found `", in[0].spec, "`");
  if (size + 2 == static_cast<int64_t>(formats.from.size())) {
    // Only the spatial dimensions.
    for (std::string* format : {&formats.from, &formats.to}) {
      std::erase_if(*format, [](char c) { return c == 'N' || c == 'C'; });
    }
  }
  if (size != static_cast<int64_t>(formats.from.size())) {
    return InvalidArgument("expected one row per dimension of `", formats.from, "`, found `",
                           in[0].spec, "`");
  }
  std::vector<int64_t> order;
  for (char c : formats.to) order.push_back(static_cast<int64_t>(formats.from.find(c)));
  return build.Gather(in[0], Ints(build, order), {.axis = 0});
}

TfOutputs ExpandApproxTopK(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t k, call.attributes.Int("k"));
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("reduction_dimension"));
  SIGNET_ASSIGN_OR_RETURN(bool largest, call.attributes.Bool("is_max_k"));
  auto found = build.TopK(in[0], {.axis = axis, .k = k, .largest = largest});
  SIGNET_RETURN_IF_ERROR(found.status());
  return AllOf({(*found)[0], CastTo(build, (*found)[1], DType::kInt32)});
}

}  // namespace

std::vector<OpDef> TfLayoutOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("UnravelIndex", "Converts positions to coordinates", {"indices", "dims"}, {},
      ExpandUnravelIndex);
  add("ConcatOffset", "Computes where values start after they are joined",
      {"concat_dim_and_shapes..."}, {}, ExpandConcatOffset);
  add("InplaceUpdate", "Replaces rows", {"x", "i", "v"}, {}, ExpandInplace);
  add("InplaceAdd", "Adds to rows", {"x", "i", "v"}, {}, ExpandInplace);
  add("InplaceSub", "Subtracts from rows", {"x", "i", "v"}, {}, ExpandInplace);
  add("SpaceToBatch", "Moves blocks of images to the batch", {"input", "paddings"},
      {{"block_size"}}, ExpandSquareBlocks);
  add("BatchToSpace", "Moves blocks of images from the batch", {"input", "crops"}, {{"block_size"}},
      ExpandSquareBlocks);
  add("ParallelConcat", "Joins values along the first axis", {"values..."}, {},
      ExpandParallelConcat);
  add("Empty", "Creates a tensor of zeros", {"shape"}, {{"dtype"}}, ExpandEmpty);
  const std::vector<AttributeDef> formats = {{"src_format", AttributeOf("NHWC")},
                                             {"dst_format", AttributeOf("NCHW")}};
  add("DataFormatDimMap", "Converts numbers of dimensions to another order", {"x"}, formats,
      ExpandDimMap);
  add("DataFormatVecPermute", "Reorders one row per dimension", {"x"}, formats, ExpandVecPermute);
  add("ApproxTopK", "Finds the largest elements", {"input"},
      {{"k"}, {"reduction_dimension", AttributeOf(-1)}, {"is_max_k", AttributeOf(true)}},
      ExpandApproxTopK);
  return ops;
}

}  // namespace signet
