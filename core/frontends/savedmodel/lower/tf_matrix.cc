// Operators on matrices in the last two dimensions.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

TfOutputs ExpandMatMul(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool b, call.attributes.Bool("transpose_b"));
  if (call.op.name != "tf.SparseMatMul") {
    return build.Matmul(in[0], in[1], {.transpose_a = a, .transpose_b = b});
  }
  // Its inputs are float32 or bfloat16, and its result is always float32.
  return build.Matmul(CastTo(build, in[0], DType::kFloat32), CastTo(build, in[1], DType::kFloat32),
                      {.transpose_a = a, .transpose_b = b});
}

TfOutputs ExpandBatchMatMul(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool a, call.attributes.Bool("adj_x"));
  SIGNET_ASSIGN_OR_RETURN(bool b, call.attributes.Bool("adj_y"));
  Operand x = in[0];
  Operand y = in[1];
  if (IsComplex(DTypeAt(in, 0))) {
    auto conjugate = [&](const Operand& value) {
      const ComplexParts parts = ComplexPartsOf(build, value);
      return ComplexOf(build, {parts.real, build.Neg(parts.imaginary)});
    };
    if (a) x = conjugate(x);
    if (b) y = conjugate(y);
  }
  Expr out = build.Matmul(x, y, {.transpose_a = a, .transpose_b = b});
  if (call.attributes.Has("Tout") && !IsNone(call.attributes, "Tout")) {
    SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "Tout"));
    return CastTo(build, out, dtype);
  }
  return out;
}

TfOutputs ExpandEinsum(OpBuilder& build, const OpCall& call, TfInputs in) {
  return build.Call("onnx.Einsum", in,
                    Attributes({{"equation", call.attributes.Lookup("equation")}}));
}

// True where column - row is between -lower and upper; a number below 0 means no bound.
Expr BandMask(OpBuilder& build, const Operand& x, int rank, const Operand& lower,
              const Operand& upper) {
  Expr rows = build.ExpandDims(build.Range({DimSize(build, x, rank - 2)}), {.axis = 1});
  Expr columns = build.Range({DimSize(build, x, rank - 1)});
  Expr below = build.Sub(rows, columns);
  Expr above = build.Sub(columns, rows);
  auto within = [&](const Expr& distance, const Operand& bound) {
    return build.LogicalOr(build.Less(bound, 0), build.LessEqual(distance, bound));
  };
  return build.LogicalAnd(within(below, lower), within(above, upper));
}

TfOutputs ExpandMatrixBandPart(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  Expr mask = BandMask(build, in[0], rank, AsInt64(build, in[1]), AsInt64(build, in[2]));
  return build.Select(mask, in[0], Zero(build, DTypeAt(in, 0)));
}

// --- factors and linear equations ----------------------------------------------------------------
// The steps are unrolled, so the size of a matrix must be known and small.

constexpr int64_t kMaxSize = 64;  // rows of a matrix

// Returns the number of rows of the square matrices in input 0.
StatusOr<int64_t> SizeOfSquare(TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (!IsFloat(DTypeAt(in, 0))) {
    return Unimplemented("unsupported dtype `", NameOf(DTypeAt(in, 0)), "`");
  }
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  const int64_t rows = KnownSize(in[0], rank - 2);
  const int64_t columns = KnownSize(in[0], rank - 1);
  if (rows == kUnknownDim || columns == kUnknownDim || rows > kMaxSize) {
    return Unimplemented("expected matrices of a known size of at most ", kMaxSize, ", found `",
                         in[0].spec, "`");
  }
  if (rows != columns) return InvalidArgument("expected square matrices, found `", in[0].spec, "`");
  return rows;
}

Expr RowsOf(OpBuilder& build, const Expr& x, int64_t begin, int64_t end) {
  return build.Slice(x, {.starts = {begin}, .limits = {end}, .axes = {-2}});
}
Expr ColumnsOf(OpBuilder& build, const Expr& x, int64_t begin, int64_t end) {
  return build.Slice(x, {.starts = {begin}, .limits = {end}, .axes = {-1}});
}
Expr Transposed(OpBuilder& build, const Expr& x, int rank) {
  std::vector<int64_t> perm;
  for (int axis = 0; axis < rank; ++axis) perm.push_back(axis);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return build.Transpose(x, {.perm = perm});
}

TfOutputs ExpandCholesky(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeOfSquare(in));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (size == 0) return build.Identity(in[0]);
  // Column by column: the outer product of a column is subtracted from the rest.
  Expr rest = build.AsExpr(in[0]);
  std::vector<Operand> columns;
  for (int64_t k = 0; k < size; ++k) {
    Expr pivot = ColumnsOf(build, RowsOf(build, rest, 0, 1), 0, 1);
    SIGNET_RETURN_IF_ERROR(
        CheckCondition(build, build.ReduceAll(build.Greater(pivot, Number(build, 0, pivot))),
                       InvalidArgument("expected positive definite matrices")));
    Expr column = build.Div(ColumnsOf(build, rest, 0, 1), build.Sqrt(pivot));
    std::vector<int64_t> before(static_cast<size_t>(rank), 0);
    const std::vector<int64_t> after = before;
    before[before.size() - 2] = k;
    columns.push_back(k == 0 ? column : build.Pad(column, {.before = before, .after = after}));
    if (k + 1 == size) break;
    Expr below = RowsOf(build, column, 1, INT64_MAX);
    Expr part = ColumnsOf(build, RowsOf(build, rest, 1, INT64_MAX), 1, INT64_MAX);
    rest = build.Sub(part, build.Mul(below, Transposed(build, below, rank)));
  }
  return build.Concat(Operands(columns), {.axis = -1});
}

TfOutputs ExpandTriangularSolve(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool is_lower, call.attributes.Bool("lower"));
  SIGNET_ASSIGN_OR_RETURN(bool adjoint, call.attributes.Bool("adjoint"));
  SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeOfSquare(in));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (size == 0) return build.Identity(in[1]);
  Expr matrix = build.AsExpr(in[0]);
  Expr rest = build.AsExpr(in[1]);
  if (adjoint) {
    matrix = Transposed(build, matrix, rank);
    is_lower = !is_lower;
  }
  // An upper matrix is a lower one if both of its dimensions are reversed.
  if (!is_lower) {
    matrix = build.Reverse(matrix, {.axes = {-2, -1}});
    rest = build.Reverse(rest, {.axes = {-2}});
  }
  std::vector<Operand> rows;
  for (int64_t k = 0; k < size; ++k) {
    Expr column = ColumnsOf(build, RowsOf(build, matrix, k, INT64_MAX), k, k + 1);
    Expr row = build.Div(RowsOf(build, rest, 0, 1), RowsOf(build, column, 0, 1));
    rows.push_back(row);
    if (k + 1 == size) break;
    rest = build.Sub(RowsOf(build, rest, 1, INT64_MAX),
                     build.Mul(RowsOf(build, column, 1, INT64_MAX), row));
  }
  Expr out = build.Concat(Operands(rows), {.axis = -2});
  return is_lower ? out : build.Reverse(out, {.axes = {-2}});
}

// Solves equations by elimination, with the largest element of each column as its pivot.
TfOutputs Solve(OpBuilder& build, const Expr& matrix, const Expr& right, int64_t size) {
  Expr rest = build.Concat({matrix, right}, {.axis = -1});
  Expr zero = Number(build, 0, rest);
  std::vector<Expr> eliminated;  // row k without its first k elements, which are 0
  for (int64_t k = 0; k < size; ++k) {
    Expr column = build.Squeeze(ColumnsOf(build, rest, 0, 1), {.axes = {-1}});
    Expr largest = build.Argmax(build.Abs(column), {.axis = -1, .keepdims = true});
    Expr places = build.Range({Int64Constant(build, size - k)});
    Expr mark = build.ExpandDims(build.Equal(places, AsInt64(build, largest)), {.axis = -1});
    Expr row = build.ReduceSum(build.Select(mark, rest, zero), {.axes = {-2}, .keepdims = true});
    Expr pivot = ColumnsOf(build, row, 0, 1);
    SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.ReduceAll(build.NotEqual(pivot, zero)),
                                          InvalidArgument("expected invertible matrices")));
    eliminated.push_back(row);
    if (k + 1 == size) break;
    // The first row takes the place of the row of the pivot.
    Expr others = RowsOf(build, build.Select(mark, RowsOf(build, rest, 0, 1), rest), 1, INT64_MAX);
    Expr factors = build.Div(ColumnsOf(build, others, 0, 1), pivot);
    rest = ColumnsOf(build, build.Sub(others, build.Mul(factors, row)), 1, INT64_MAX);
  }
  Expr out = right;
  for (int64_t k = size; k-- > 0;) {
    const Expr& row = eliminated[static_cast<size_t>(k)];
    const int64_t known = size - k - 1;  // unknowns after this one
    Expr value = ColumnsOf(build, row, 1 + known, INT64_MAX);
    if (known > 0) {
      value = build.Sub(value, build.Matmul(ColumnsOf(build, row, 1, 1 + known), out));
    }
    value = build.Div(value, ColumnsOf(build, row, 0, 1));
    out = known == 0 ? value : build.Concat({value, out}, {.axis = -2});
  }
  return out;
}

TfOutputs ExpandSolve(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool adjoint, call.attributes.Bool("adjoint"));
  SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeOfSquare(in));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (size == 0) return build.Identity(in.back());
  Expr matrix = build.AsExpr(in[0]);
  if (adjoint) matrix = Transposed(build, matrix, rank);
  if (in.size() > 1) return Solve(build, matrix, build.AsExpr(in[1]), size);
  // The inverse solves the equations of the unit matrix.
  Expr places = build.Range({Int64Constant(build, size)});
  Expr unit =
      CastTo(build, build.Equal(build.ExpandDims(places, {.axis = 1}), places), DTypeAt(in, 0));
  return Solve(build, matrix, build.Add(build.ZerosLike(matrix), unit), size);
}

// The sign and the logarithm of the size of determinants, by elimination.
TfOutputs ExpandLogDeterminant(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t size, SizeOfSquare(in));
  const DType dtype = DTypeAt(in, 0);
  Expr rest = CastTo(build, in[0], DType::kFloat64);
  if (size == 0) {
    Expr sum = build.ReduceSum(in[0], {.axes = {-2, -1}});
    return AllOf({build.OnesLike(sum), sum});
  }
  Expr one = Number(build, 1, rest);
  Expr zero = Number(build, 0, rest);
  Expr log = build.ZerosLike(ColumnsOf(build, RowsOf(build, rest, 0, 1), 0, 1));
  Expr sign = build.OnesLike(log);
  for (int64_t k = 0; k < size; ++k) {
    Expr column = build.Squeeze(ColumnsOf(build, rest, 0, 1), {.axes = {-1}});
    Expr largest = AsInt64(build, build.Argmax(build.Abs(column), {.axis = -1, .keepdims = true}));
    Expr places = build.Range({Int64Constant(build, size - k)});
    Expr mark = build.ExpandDims(build.Equal(places, largest), {.axis = -1});
    Expr row = build.ReduceSum(build.Select(mark, rest, zero), {.axes = {-2}, .keepdims = true});
    Expr pivot = ColumnsOf(build, row, 0, 1);
    // The first row and the row of the pivot are exchanged, unless they are the same.
    Expr is_first = build.ExpandDims(build.Equal(largest, 0), {.axis = -1});
    Expr turn = build.Select(is_first, one, build.Neg(one));
    sign = build.Mul(sign, build.Mul(turn, build.Sign(pivot)));
    log = build.Add(log, build.Log(build.Abs(pivot)));
    if (k + 1 == size) break;
    Expr others = RowsOf(build, build.Select(mark, RowsOf(build, rest, 0, 1), rest), 1, INT64_MAX);
    Expr divisor = build.Select(build.Equal(pivot, zero), one, pivot);
    Expr factors = build.Div(ColumnsOf(build, others, 0, 1), divisor);
    rest = ColumnsOf(build, build.Sub(others, build.Mul(factors, row)), 1, INT64_MAX);
  }
  auto of_matrices = [&](const Expr& x) {
    return CastTo(build, build.Squeeze(x, {.axes = {-2, -1}}), dtype);
  };
  return AllOf({of_matrices(sign), of_matrices(log)});
}

// Matrices of floats, whose size is known and not 0.
struct KnownMatrix {
  DType dtype{};
  int rank = 0;
  int64_t rows = 0;
  int64_t columns = 0;
};

// Returns what is known of input 0. At most kMaxSize of its rows and columns are accepted if
// `limits_both`, and otherwise of the smaller number.
StatusOr<KnownMatrix> KnownMatrixAt(TfInputs in, bool limits_both) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const DType dtype = DTypeAt(in, 0);
  if (!IsFloat(dtype)) return Unimplemented("unsupported dtype `", NameOf(dtype), "`");
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  const int64_t rows = KnownSize(in[0], rank - 2);
  const int64_t columns = KnownSize(in[0], rank - 1);
  const int64_t limited = limits_both ? std::max(rows, columns) : std::min(rows, columns);
  if (rows == kUnknownDim || columns == kUnknownDim || limited > kMaxSize) {
    return Unimplemented("expected matrices of a known size with at most ", kMaxSize, " rows ",
                         limits_both ? "and" : "or", " columns, found `", in[0].spec, "`");
  }
  if (rows == 0 || columns == 0) {
    return InvalidArgument("expected matrices with elements, found `", in[0].spec, "`");
  }
  return KnownMatrix{dtype, rank, rows, columns};
}

// Qr(input): an orthogonal matrix and an upper triangular one. Householder reflections, with signs
// as LAPACK chooses them: a number on the diagonal of R has the sign opposite to the number there
// before the step.
TfOutputs ExpandQr(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool is_full, call.attributes.Bool("full_matrices"));
  SIGNET_ASSIGN_OR_RETURN(const KnownMatrix known, KnownMatrixAt(in, true));
  const auto [dtype, rank, rows, columns] = known;
  Expr r = CastTo(build, in[0], DType::kFloat64);
  Expr zero = Number(build, 0, r);
  Expr one = Number(build, 1, r);
  Expr places = build.ExpandDims(build.Range({Int64Constant(build, rows)}), {.axis = 1});
  Expr unit = CastTo(build, build.Equal(places, build.Range({Int64Constant(build, rows)})),
                     DType::kFloat64);
  // One unit matrix per matrix of the batch.
  Expr q =
      build.Add(build.Mul(build.ReduceSum(r, {.axes = {-2, -1}, .keepdims = true}), zero), unit);
  for (int64_t k = 0; k < std::min(rows - 1, columns); ++k) {
    // The reflection moves the column from element k on, x, to a multiple of the first unit vector.
    Expr x = build.Select(build.Less(places, k), zero, ColumnsOf(build, r, k, k + 1));
    Expr first = RowsOf(build, x, k, k + 1);
    Expr rest = build.ReduceSum(build.Square(build.Select(build.Equal(places, k), zero, x)),
                                {.axes = {-2}, .keepdims = true});
    Expr size = build.Sqrt(build.Add(build.Square(first), rest));
    Expr moved = build.Select(build.Less(first, zero), size, build.Neg(size));
    Expr v = build.Sub(x, build.Select(build.Equal(places, k), moved, zero));
    // If the rest is 0, there is nothing to do.
    Expr is_done = build.Equal(rest, zero);
    Expr norm = build.ReduceSum(build.Square(v), {.axes = {-2}, .keepdims = true});
    Expr scale = build.Select(is_done, zero,
                              build.Div(Number(build, 2, r), build.Select(is_done, one, norm)));
    Expr flipped = Transposed(build, v, rank);
    r = build.Sub(r, build.Mul(build.Mul(scale, v), build.Matmul(flipped, r)));
    q = build.Sub(q, build.Mul(build.Mul(scale, build.Matmul(q, v)), flipped));
  }
  const int64_t kept = is_full ? rows : std::min(rows, columns);
  Expr upper =
      build.Select(build.Greater(places, build.Range({Int64Constant(build, columns)})), zero, r);
  return AllOf({CastTo(build, ColumnsOf(build, q, 0, kept), dtype),
                CastTo(build, RowsOf(build, upper, 0, kept), dtype)});
}

// Least squares by the normal equations, in float64. The regularizer is added to their diagonal.
TfOutputs ExpandLeastSquares(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool is_fast, call.attributes.Bool("fast"));
  SIGNET_ASSIGN_OR_RETURN(const KnownMatrix known, KnownMatrixAt(in, false));
  const auto [dtype, rank, rows, columns] = known;
  Expr matrix = CastTo(build, in[0], DType::kFloat64);
  Expr right = CastTo(build, in[1], DType::kFloat64);
  Expr flipped = Transposed(build, matrix, rank);
  const bool is_tall = rows >= columns;
  const int64_t size = is_tall ? columns : rows;
  Expr square = is_tall ? build.Matmul(flipped, matrix) : build.Matmul(matrix, flipped);
  if (is_fast) {
    Expr places = build.Range({Int64Constant(build, size)});
    Expr unit =
        CastTo(build, build.Equal(build.ExpandDims(places, {.axis = 1}), places), DType::kFloat64);
    Expr added = AsScalar(build, CastTo(build, in[2], DType::kFloat64));
    square = build.Add(square, build.Mul(unit, added));
  }
  SIGNET_ASSIGN_OR_RETURN(
      auto solved, Solve(build, square, is_tall ? build.Matmul(flipped, right) : right, size));
  Expr out = build.AsExpr(solved[0]);
  return CastTo(build, is_tall ? out : build.Matmul(flipped, out), dtype);
}

}  // namespace

std::vector<OpDef> TfMatrixOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const std::vector<AttributeDef> transposes = {{"transpose_a", AttributeOf(false)},
                                                {"transpose_b", AttributeOf(false)}};
  const std::vector<AttributeDef> adjoints = {{"adj_x", AttributeOf(false)},
                                              {"adj_y", AttributeOf(false)}};
  std::vector<AttributeDef> with_type = adjoints;
  with_type.push_back({"Tout", NoneAttribute()});
  add("MatMul", "Multiplies matrices", {"a", "b"}, transposes, ExpandMatMul);

  add("SparseMatMul", "Multiplies matrices", {"a", "b"}, transposes, ExpandMatMul);

  add("BatchMatMul", "Multiplies matrices", {"x", "y"}, adjoints, ExpandBatchMatMul);

  add("BatchMatMulV2", "Multiplies matrices", {"x", "y"}, adjoints, ExpandBatchMatMul);

  add("BatchMatMulV3", "Multiplies matrices", {"x", "y"}, with_type, ExpandBatchMatMul);

  add("Einsum", "Sums products as an equation says", {"inputs..."}, {{"equation"}}, ExpandEinsum);

  add("MatrixBandPart", "Keeps the diagonals near the main one",
      {"input", "num_lower", "num_upper"}, {}, ExpandMatrixBandPart);

  const AttributeDef adjoint = {"adjoint", AttributeOf(false)};
  const std::vector<OpDef> solvers = {
      TfOp("Cholesky", "Factors positive definite matrices", {"input"}, {}, ExpandCholesky),
      TfOp("MatrixTriangularSolve", "Solves linear equations of triangular matrices",
           {"matrix", "rhs"}, {{"lower", AttributeOf(true)}, adjoint}, ExpandTriangularSolve),
      TfOp("LogMatrixDeterminant", "Computes logarithms of determinants", {"input"}, {},
           ExpandLogDeterminant),
      TfOp("MatrixSolveLs", "Solves linear equations by least squares",
           {"matrix", "rhs", "l2_regularizer"}, {{"fast", AttributeOf(true)}}, ExpandLeastSquares),
      TfOp("Qr", "Factors matrices into an orthogonal and a triangular one", {"input"},
           {{"full_matrices", AttributeOf(false)}}, ExpandQr),
      TfOp("MatrixSolve", "Solves linear equations", {"matrix", "rhs"}, {adjoint}, ExpandSolve),
      TfOp("MatrixInverse", "Inverts matrices", {"input"}, {adjoint}, ExpandSolve)};
  ops.insert(ops.end(), solvers.begin(), solvers.end());
  return ops;
}

}  // namespace signet
