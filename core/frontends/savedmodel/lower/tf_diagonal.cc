// Operators on diagonals of matrices: a single one, or a band of several as rows of a matrix.

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

// The diagonals `low` to `high`. Diagonal d has the elements [i, i + d] of a matrix.
struct Band {
  Expr low;
  Expr high;
  bool is_one = true;  // the diagonal has no dimension for the diagonals of the band
  int64_t count = 1;
  bool upper_left = true;  // diagonals above the main one start at position 0, not end at the end
  bool lower_left = true;
};

// Reads `k` from input `i`, which may be missing, and the attribute `align`.
StatusOr<Band> BandOf(OpBuilder& build, const OpCall& call, TfInputs in, size_t i) {
  Expr zero = build.AsExpr(Int64Constant(build, 0));
  Band band{.low = zero, .high = zero};
  if (in.size() <= i) return band;
  if (auto known = KnownInts(build, in, i)) {
    if (known->empty() || known->size() > 2) {
      return InvalidArgument("`k`: expected one or two diagonals, found ", known->size());
    }
    if (known->back() < known->front()) {
      return InvalidArgument("`k`: expected ascending diagonals, found ", known->front(), " and ",
                             known->back());
    }
    band.low = build.AsExpr(Int64Constant(build, known->front()));
    band.high = build.AsExpr(Int64Constant(build, known->back()));
    band.count = known->back() - known->front() + 1;
    band.is_one = band.count == 1;
  } else {
    // Of two unknown diagonals, it is not known whether the result has a dimension for them.
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* k, TensorAt(in, i));
    const auto size = k->shape().num_elements();
    if (!size || *size != 1) return Unimplemented("`k`: expected a constant");
    band.low = AsScalar(build, AsInt64(build, in[i]));
    band.high = band.low;
  }
  if (call.attributes.Has("align")) {
    SIGNET_ASSIGN_OR_RETURN(std::string align, call.attributes.String("align"));
    if (align != "LEFT_LEFT" && align != "LEFT_RIGHT" && align != "RIGHT_LEFT" &&
        align != "RIGHT_RIGHT") {
      return InvalidArgument(
          "`align`: expected LEFT_LEFT, LEFT_RIGHT, RIGHT_LEFT, or RIGHT_RIGHT, found `",
          Printable(align), "`");
    }
    band.upper_left = align.starts_with("LEFT");
    band.lower_left = align.ends_with("LEFT");
  }
  return band;
}

// The length of the longest diagonal, and what depends on the number `d` of a diagonal.
struct BandSizes {
  Expr rows;
  Expr columns;
  Expr longest;
};

Expr LongestOf(OpBuilder& build, const Band& band, const Operand& rows, const Operand& columns) {
  return build.Maximum(build.Minimum(build.Add(rows, build.Minimum(band.high, 0)),
                                     build.Sub(columns, build.Maximum(band.low, 0))),
                       0);
}

Expr LengthOf(OpBuilder& build, const BandSizes& sizes, const Expr& d) {
  return build.Minimum(build.Add(sizes.rows, build.Minimum(d, 0)),
                       build.Sub(sizes.columns, build.Maximum(d, 0)));
}

// The position at which diagonal `d` starts in its row of the band.
Expr OffsetOf(OpBuilder& build, const Band& band, const BandSizes& sizes, const Expr& d) {
  Expr none = build.ZerosLike(d);
  if (band.upper_left && band.lower_left) return none;
  Expr space = build.Sub(sizes.longest, LengthOf(build, sizes, d));
  if (!band.upper_left && !band.lower_left) return space;
  // The main diagonal starts at position 0 if the diagonals on either side do.
  return build.Select(band.upper_left ? build.Less(d, 0) : build.Greater(d, 0), space, none);
}

Status CheckBand(OpBuilder& build, const Band& band, const Expr& rows, const Expr& columns) {
  Expr is_above =
      build.LogicalOr(build.Greater(band.low, build.Neg(rows)), build.Equal(band.low, 0));
  Expr is_below = build.LogicalOr(build.Less(band.high, columns), build.Equal(band.high, 0));
  return CheckCondition(build, build.LogicalAnd(is_above, is_below),
                        InvalidArgument("`k`: expected diagonals within the matrices"));
}

TfOutputs ExpandDiagPart(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(Band band, BandOf(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  Expr rows = DimSize(build, in[0], rank - 2);
  Expr columns = DimSize(build, in[0], rank - 1);
  SIGNET_RETURN_IF_ERROR(CheckBand(build, band, rows, columns));
  const BandSizes sizes{rows, columns, LongestOf(build, band, rows, columns)};
  // One row per diagonal, the highest first.
  Expr d = band.is_one ? build.AsExpr(band.high)
                       : build.ExpandDims(
                             build.Sub(band.high, build.Range({Int64Constant(build, band.count)})),
                             {.axis = 1});
  Expr at = build.Sub(build.Range({sizes.longest}), OffsetOf(build, band, sizes, d));
  Expr row = build.Add(at, build.Maximum(build.Neg(d), 0));
  Expr column = build.Add(at, build.Maximum(d, 0));
  Expr is_inside =
      build.LogicalAnd(build.GreaterEqual(at, 0), build.Less(at, LengthOf(build, sizes, d)));
  Expr place = build.Select(is_inside, build.Add(build.Mul(row, columns), column), 0);
  // There are no places in matrices without elements.
  Expr flat = build.Flatten(in[0], {.first = rank - 2, .last = rank - 1});
  Expr found = build.Gather(flat, place, {.axis = rank - 2});
  if (band.is_one) return found;
  Expr padding = in.size() > 2 ? AsScalar(build, in[2]) : Zero(build, DTypeAt(in, 0));
  return build.Select(is_inside, found, padding);
}

// Returns diagonals as matrices, with the elements of `around` elsewhere.
Expr PlaceDiagonals(OpBuilder& build, const Band& band, const BandSizes& sizes,
                    const GraphValue& diagonal, int rank, const Operand& around) {
  Expr row = build.ExpandDims(build.Range({sizes.rows}), {.axis = 1});
  Expr column = build.Range({sizes.columns});
  Expr d = build.Sub(column, row);
  Expr is_inside = build.LogicalAnd(build.GreaterEqual(d, band.low), build.LessEqual(d, band.high));
  Expr position =
      build.Add(build.Sub(column, build.Maximum(d, 0)), OffsetOf(build, band, sizes, d));
  Expr flat = build.AsExpr(diagonal);
  if (!band.is_one) {
    position = build.Add(position, build.Mul(build.Sub(band.high, d), sizes.longest));
    flat = build.Flatten(diagonal, {.first = rank - 2, .last = rank - 1});
    --rank;
  }
  if (KnownSize(flat, rank - 1) < 1) {
    // One more element, because a diagonal without elements is a part of matrices with elements.
    std::vector<int64_t> before(static_cast<size_t>(rank), 0);
    std::vector<int64_t> after = before;
    after.back() = 1;
    flat = build.Pad(flat, {.before = before, .after = after});
  }
  Expr found = build.Gather(flat, build.Select(is_inside, position, 0), {.axis = rank - 1});
  return build.Select(is_inside, found, around);
}

TfOutputs ExpandDiag(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(Band band, BandOf(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < (band.is_one ? 1 : 2)) {
    return InvalidArgument("expected one row per diagonal, found `", in[0].spec, "`");
  }
  Expr longest = DimSize(build, in[0], rank - 1);
  Expr least_rows = build.Sub(longest, build.Minimum(band.high, 0));
  Expr least_columns = build.Add(longest, build.Maximum(band.low, 0));
  Expr square = build.Maximum(least_rows, least_columns);
  auto number = [&](size_t i) {
    return in.size() > i ? AsScalar(build, AsInt64(build, in[i]))
                         : build.AsExpr(Int64Constant(build, -1));
  };
  // Sizes below 0 are not given. If none is given, the matrices are square.
  Expr given_rows = number(2);
  Expr given_columns = number(3);
  Expr has_rows = build.GreaterEqual(given_rows, 0);
  Expr has_columns = build.GreaterEqual(given_columns, 0);
  Expr rows = build.Select(has_rows, given_rows, build.Select(has_columns, least_rows, square));
  Expr columns =
      build.Select(has_columns, given_columns, build.Select(has_rows, least_columns, square));
  Expr fits = build.LogicalAnd(
      build.LogicalAnd(build.GreaterEqual(rows, least_rows),
                       build.GreaterEqual(columns, least_columns)),
      build.LogicalOr(build.Equal(rows, least_rows), build.Equal(columns, least_columns)));
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, fits, InvalidArgument("expected matrices in which the diagonals end at an edge")));
  if (!band.is_one) {
    SIGNET_RETURN_IF_ERROR(
        CheckSameSize(build, *DimSize(build, in[0], rank - 2), Int64Constant(build, band.count),
                      InvalidArgument("expected one row per diagonal, found `", in[0].spec, "`")));
  }
  Expr padding = in.size() > 4 ? AsScalar(build, in[4]) : Zero(build, DTypeAt(in, 0));
  return PlaceDiagonals(build, band, {rows, columns, longest}, in[0], rank, padding);
}

TfOutputs ExpandSetDiag(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(Band band, BandOf(build, call, in, 2));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int own, RankAt(in, 1));
  if (rank < 2 || own != (band.is_one ? rank - 1 : rank)) {
    return InvalidArgument("expected matrices and their diagonals, found `", in[0].spec, "` and `",
                           in[1].spec, "`");
  }
  Expr rows = DimSize(build, in[0], rank - 2);
  Expr columns = DimSize(build, in[0], rank - 1);
  SIGNET_RETURN_IF_ERROR(CheckBand(build, band, rows, columns));
  Expr longest = LongestOf(build, band, rows, columns);
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.Equal(DimSize(build, in[1], own - 1), longest),
                     InvalidArgument("expected diagonals with the length of the longest one")));
  return PlaceDiagonals(build, band, {rows, columns, longest}, in[1], own, in[0]);
}

// Diag and DiagPart: of a tensor of any rank, as the diagonal of a tensor of twice that rank.
TfOutputs ExpandTensorDiag(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank == 0) return InvalidArgument("expected rank 1 or more, found `", in[0].spec, "`");
  Expr flat = build.Reshape(in[0], {.shape = {-1}});
  Expr row = build.Range({DimSize(build, flat, 0)});
  Expr is_diagonal = build.Equal(build.ExpandDims(row, {.axis = 1}), row);
  Expr matrix = build.Select(is_diagonal, flat, Zero(build, DTypeAt(in, 0)));
  std::vector<Operand> dims;
  for (int axis = 0; axis < 2 * rank; ++axis) dims.push_back(DimSize(build, in[0], axis % rank));
  return ReshapeTo(build, matrix, Operands(dims));
}

TfOutputs ExpandTensorDiagPart(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank == 0 || rank % 2 != 0) {
    return InvalidArgument("expected an even rank of 2 or more, found `", in[0].spec, "`");
  }
  const int half = rank / 2;
  std::vector<Operand> dims;
  for (int axis = 0; axis < half; ++axis) {
    Expr size = DimSize(build, in[0], axis);
    SIGNET_RETURN_IF_ERROR(
        CheckCondition(build, build.Equal(size, DimSize(build, in[0], axis + half)),
                       InvalidArgument("expected equal sizes of dimensions ", axis, " and ",
                                       axis + half, ", found `", in[0].spec, "`")));
    dims.push_back(size);
  }
  Expr size = DimProduct(build, in[0], 0, half);
  Expr at = build.Mul(build.Range({size}), build.Add(size, 1));
  return ReshapeTo(build, build.Gather(build.Reshape(in[0], {.shape = {-1}}), at, {.axis = 0}),
                   Operands(dims));
}

}  // namespace

std::vector<OpDef> TfDiagonalOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const AttributeDef align = {"align", AttributeOf("RIGHT_LEFT")};
  const std::vector<std::string> making = {"diagonal", "k", "num_rows", "num_cols",
                                           "padding_value"};
  const std::vector<std::string> reading = {"input", "k", "padding_value"};
  const std::vector<std::string> setting = {"input", "diagonal", "k"};
  add("MatrixDiag", "Creates matrices from their main diagonals", {"diagonal"}, {}, ExpandDiag);
  add("MatrixDiagV2", "Creates matrices from their diagonals", making, {}, ExpandDiag);
  add("MatrixDiagV3", "Creates matrices from their diagonals", making, {align}, ExpandDiag);
  add("MatrixDiagPart", "Returns main diagonals", {"input"}, {}, ExpandDiagPart);
  add("MatrixDiagPartV2", "Returns diagonals", reading, {}, ExpandDiagPart);
  add("MatrixDiagPartV3", "Returns diagonals", reading, {align}, ExpandDiagPart);
  add("MatrixSetDiag", "Replaces main diagonals", {"input", "diagonal"}, {}, ExpandSetDiag);
  add("MatrixSetDiagV2", "Replaces diagonals", setting, {}, ExpandSetDiag);
  add("MatrixSetDiagV3", "Replaces diagonals", setting, {align}, ExpandSetDiag);
  add("Diag", "Creates a tensor of twice the rank from its diagonal", {"diagonal"}, {},
      ExpandTensorDiag);
  add("DiagPart", "Returns the diagonal of a tensor as a tensor of half the rank", {"input"}, {},
      ExpandTensorDiagPart);
  return ops;
}

}  // namespace signet
