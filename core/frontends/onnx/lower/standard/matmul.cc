// Matrix products, and products of tensors by the letters of an equation (Einsum).

#include <algorithm>
#include <map>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Returns the product, computed in a dtype that `matmul` supports: int32 for short integers.
Expr Product(OpBuilder& build, const Operand& a, const Operand& b,
             const MatmulAttributes& attributes = {}) {
  DType dtype = TensorDType(a);
  bool is_short = IsInteger(dtype) && SizeOf(dtype) < sizeof(int32_t);
  if (!is_short) return build.Matmul(a, b, attributes);
  auto wide = [&](const Operand& x) { return CastTo(build, x, DType::kInt32); };
  Expr rows = wide(a);
  return CastTo(build, build.Matmul(rows, wide(b), attributes), dtype);
}

StatusOr<Values> ExpandMatMul(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  return Product(build, inputs[0], inputs[1]);
}

// Returns `factor` times `x`, which is exact also for integers.
Expr Scaled(OpBuilder& build, const Operand& x, double factor) {
  if (factor == 1) return build.AsExpr(x);
  Expr wide = AsFloat(build, x);
  return CastTo(build, wide * Number(build, factor, wide), TensorDType(x));
}

StatusOr<Values> ExpandGemm(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  SIGNET_ASSIGN_OR_RETURN(double beta, call.attributes.Float("beta"));
  SIGNET_ASSIGN_OR_RETURN(int64_t transpose_a, call.attributes.Int("transA"));
  SIGNET_ASSIGN_OR_RETURN(int64_t transpose_b, call.attributes.Int("transB"));
  Expr product = Product(build, inputs[0], inputs[1],
                         {.transpose_a = transpose_a != 0, .transpose_b = transpose_b != 0});
  Expr y = Scaled(build, product, alpha);
  return IsGiven(inputs, 2) && beta != 0 ? y + Scaled(build, inputs[2], beta) : y;
}

StatusOr<Values> ExpandDet(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  return CastTo(build, build.Det(AsWideFloat(build, inputs[0])), TensorDType(inputs[0]));
}

// --- Einsum -------------------------------------------------------------------------------------
//
// Each operand is a tensor whose dimensions have letters. The dimensions of `...` have separate
// letters, counted from the right. Operands are multiplied from left to right. A letter that is no
// longer needed is summed over, by a matrix product if both operands have it.

using Letters = std::vector<int>;

struct Term {
  Letters letters;  // distinct
  Operand value;
};

bool Has(const Letters& letters, int letter) {
  return std::find(letters.begin(), letters.end(), letter) != letters.end();
}

int64_t IndexOf(const Letters& letters, int letter) {
  return std::find(letters.begin(), letters.end(), letter) - letters.begin();
}

constexpr int kEllipsis = 256;  // the letters of `...` are kEllipsis + distance from the right

// Returns the letters of `text`, one per dimension. `...` represents `hidden` dimensions.
StatusOr<Letters> LettersOf(std::string_view text, int hidden) {
  Letters letters;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text.substr(i, 3) == "...") {
      for (int left = hidden; left > 0; --left) letters.push_back(kEllipsis + left);
      i += 2;
    } else if ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')) {
      letters.push_back(text[i]);
    } else {
      return InvalidArgument("equation: expected letters and `...`, found `", Printable(text), "`");
    }
  }
  return letters;
}

class Einsum {
 public:
  explicit Einsum(OpBuilder& build) : build_(build) {}

  StatusOr<Values> Run(std::string_view equation, std::span<const GraphValue> inputs) {
    size_t arrow = equation.find("->");
    std::string_view left = equation.substr(0, arrow);
    std::vector<Term> operands;
    int hidden = 0;  // maximum number of dimensions of `...`
    Letters seen;
    for (const GraphValue& input : inputs) {
      size_t comma = std::min(left.find(','), left.size());
      std::string_view term = left.substr(0, comma);
      bool is_last = operands.size() + 1 == inputs.size();
      if (is_last != (comma == left.size())) break;
      left.remove_prefix(is_last ? comma : comma + 1);
      SIGNET_ASSIGN_OR_RETURN(Letters named, LettersOf(term, 0));
      bool has_ellipsis = term.find("...") != std::string_view::npos;
      SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(input));
      int own = rank - static_cast<int>(named.size());
      if (own < 0 || (own > 0 && !has_ellipsis)) {
        return InvalidArgument("equation: expected one letter per dimension of `", input.spec,
                               "`, found `", Printable(term), "`");
      }
      hidden = std::max(hidden, own);
      SIGNET_ASSIGN_OR_RETURN(named, LettersOf(term, own));
      seen.insert(seen.end(), named.begin(), named.end());
      operands.push_back(WithoutRepeats({std::move(named), input}));
    }
    if (operands.size() != inputs.size() || inputs.empty()) {
      return InvalidArgument("equation `", Printable(equation),
                             "`: expected one term per input, found ", inputs.size(), " inputs");
    }
    Letters out;
    if (arrow == std::string_view::npos) {
      out = ImplicitOutput(seen, hidden);
    } else {
      SIGNET_ASSIGN_OR_RETURN(out, LettersOf(equation.substr(arrow + 2), hidden));
    }
    for (int letter : out) {
      if (!Has(seen, letter) || std::count(out.begin(), out.end(), letter) > 1) {
        return InvalidArgument(
            "equation `", Printable(equation),
            "`: expected letters of the output that are distinct and in an input");
      }
    }
    Term all;
    for (size_t i = 0; i < operands.size(); ++i) {
      Letters later = out;  // the letters that are needed after this operand
      for (size_t j = i + 1; j < operands.size(); ++j) {
        later.insert(later.end(), operands[j].letters.begin(), operands[j].letters.end());
      }
      all = i == 0 ? std::move(operands[0])
                   : Multiplied(std::move(all), std::move(operands[i]), later);
      all = SummedTo(std::move(all), later);
    }
    return Ordered(all, out);
  }

 private:
  // Returns the output without an arrow: the dimensions of `...`, then the letters that occur once.
  static Letters ImplicitOutput(const Letters& seen, int hidden) {
    Letters out;
    for (int left = hidden; left > 0; --left) out.push_back(kEllipsis + left);
    std::map<int, int> counts;
    for (int letter : seen) ++counts[letter];
    for (auto [letter, count] : counts) {
      if (letter < kEllipsis && count == 1) out.push_back(letter);
    }
    return out;
  }

  // Merges dimensions with the same letter: elements off the diagonal are set to 0 and summed over.
  Term WithoutRepeats(Term x) {
    for (size_t i = 0; i < x.letters.size(); ++i) {
      for (size_t j = x.letters.size() - 1; j > i; --j) {
        if (x.letters[j] != x.letters[i]) continue;
        int rank = static_cast<int>(x.letters.size());
        auto places = [&](size_t axis) {
          int at = static_cast<int>(axis);
          return WithTrailingOnes(build_, build_.Range({DimSize(build_, x.value, at)}),
                                  rank - 1 - at);
        };
        Expr diagonal = build_.Equal(places(i), places(j));
        Expr kept = build_.Select(diagonal, x.value, Number(build_, 0, x.value));
        x.value = build_.ReduceSum(kept, {.axes = j, .keepdims = false});
        x.letters.erase(x.letters.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
    return x;
  }

  Term SummedTo(Term x, const Letters& needed) {
    std::vector<int64_t> axes;
    Letters kept;
    for (size_t i = 0; i < x.letters.size(); ++i) {
      if (Has(needed, x.letters[i])) {
        kept.push_back(x.letters[i]);
      } else {
        axes.push_back(static_cast<int64_t>(i));
      }
    }
    if (axes.empty()) return x;
    return {std::move(kept), build_.ReduceSum(x.value, {.axes = axes, .keepdims = false})};
  }

  // Returns `x` with dimensions in the order of `letters`, and size 1 for letters that it lacks.
  Expr Ordered(const Term& x, const Letters& letters) {
    std::vector<int64_t> perm;
    for (int letter : letters) {
      if (Has(x.letters, letter)) perm.push_back(IndexOf(x.letters, letter));
    }
    Expr out = Permute(build_, x.value, perm);
    for (size_t i = 0; i < letters.size(); ++i) {
      if (Has(x.letters, letters[i])) continue;
      out = build_.ExpandDims(out, {.axis = static_cast<int64_t>(i)});
    }
    return out;
  }

  bool IsOne(const Term& x, int letter) const {
    return KnownSize(x.value, static_cast<int>(IndexOf(x.letters, letter))) == 1;
  }

  // Returns the product of both, summed over the letters that are not in `needed`.
  Term Multiplied(Term a, Term b, const Letters& needed) {
    // A dimension of size 1 that is broadcast is removed.
    for (auto [x, y] : {std::pair{&a, &b}, {&b, &a}}) {
      Letters stretched;
      for (int letter : x->letters) {
        if (Has(y->letters, letter) && IsOne(*x, letter)) stretched.push_back(letter);
      }
      Letters rest;
      for (int letter : x->letters) {
        if (!Has(stretched, letter)) rest.push_back(letter);
      }
      *x = SummedTo(std::move(*x), rest);
    }
    Letters summed_once = needed;
    for (int letter : a.letters) {
      if (Has(b.letters, letter)) summed_once.push_back(letter);
    }
    a = SummedTo(std::move(a), summed_once);
    b = SummedTo(std::move(b), summed_once);
    Letters both, only_a, only_b, summed;
    for (int letter : a.letters) {
      bool shared = Has(b.letters, letter);
      (!shared ? only_a : Has(needed, letter) ? both : summed).push_back(letter);
    }
    for (int letter : b.letters) {
      if (!Has(a.letters, letter)) only_b.push_back(letter);
    }
    Term out;
    for (const Letters* part : {&both, &only_a, &only_b}) {
      out.letters.insert(out.letters.end(), part->begin(), part->end());
    }
    if (summed.empty()) {
      out.value = Ordered(a, out.letters) * Ordered(b, out.letters);
      return out;
    }
    Expr left = AsMatrices(a, both, only_a, summed);
    Expr right = AsMatrices(b, both, summed, only_b);
    Expr product = Product(build_, left, right);
    std::vector<Operand> sizes;
    for (size_t i = 0; i < both.size(); ++i) {
      sizes.push_back(DimSize(build_, product, static_cast<int>(i)));
    }
    for (int letter : only_a) sizes.push_back(SizeOf(a, letter));
    for (int letter : only_b) sizes.push_back(SizeOf(b, letter));
    out.value =
        only_a.size() == 1 && only_b.size() == 1 ? product : ReshapeTo(build_, product, sizes);
    return out;
  }

  Expr SizeOf(const Term& x, int letter) {
    return DimSize(build_, x.value, static_cast<int>(IndexOf(x.letters, letter)));
  }

  // Returns [batch..., rows, columns], with all rows in one dimension and all columns in another.
  Expr AsMatrices(const Term& x, const Letters& batch, const Letters& rows,
                  const Letters& columns) {
    Letters order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    Expr ordered = Ordered(x, order);
    if (rows.size() == 1 && columns.size() == 1) return ordered;
    auto begin = static_cast<int>(batch.size());
    int middle = begin + static_cast<int>(rows.size());
    std::vector<Operand> sizes;
    for (int axis = 0; axis < begin; ++axis) sizes.push_back(DimSize(build_, ordered, axis));
    sizes.push_back(DimProduct(build_, ordered, begin, middle));
    sizes.push_back(DimProduct(build_, ordered, middle, static_cast<int>(order.size())));
    return ReshapeTo(build_, ordered, sizes);
  }

  OpBuilder& build_;
};

StatusOr<Values> ExpandEinsum(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string equation, call.attributes.String("equation"));
  return Einsum(build).Run(equation, inputs);
}

}  // namespace

std::vector<OpDef> OnnxMatmulOps() {
  std::vector<OpDef> ops;
  ops.push_back(OnnxOp("onnx.MatMul", "Multiplies matrices", {"A", "B"}, {}, ExpandMatMul));
  ops.push_back(OnnxOp("onnx.Gemm", "Multiplies matrices and adds a third", {"A", "B", "C?"},
                       {{"alpha", AttributeOf(1.0)},
                        {"beta", AttributeOf(1.0)},
                        {"transA", AttributeOf(0)},
                        {"transB", AttributeOf(0)},
                        {"broadcast", AttributeOf(0)}},
                       ExpandGemm));
  ops.push_back(OnnxOp("onnx.Det", "Takes determinants", {"X"}, {}, ExpandDet));
  ops.push_back(OnnxOp("onnx.Einsum", "Multiplies and sums tensors by the letters of an equation",
                       {"Inputs..."}, {{"equation"}}, ExpandEinsum));
  return ops;
}

}  // namespace signet
