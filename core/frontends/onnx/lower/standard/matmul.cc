// Products of matrices, and of tensors by their letters.

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

// The product in a dtype that there are products of: of short integers, in int32.
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

// `factor` times `x`; exact for integers, too.
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
// Each operand is a tensor whose dimensions have letters; those of `...` get letters of their own,
// counted from the right. Operands are multiplied from left to right: a letter that nobody needs
// any more is summed over, by a product of matrices where both have it.

using Letters = std::vector<int>;

struct Term {
  Letters letters;  // no two alike
  Operand value;
};

bool Has(const Letters& letters, int letter) {
  return std::find(letters.begin(), letters.end(), letter) != letters.end();
}

int64_t IndexOf(const Letters& letters, int letter) {
  return std::find(letters.begin(), letters.end(), letter) - letters.begin();
}

constexpr int kEllipsis = 256;  // its letters are kEllipsis + distance from the right

// The letters of `text`, one a dimension, where `...` stands for `hidden` of them.
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
      return InvalidArgument("`", Printable(text), "` of the equation; takes letters and `...`");
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
    int hidden = 0;  // dimensions behind `...`, at most
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
        return InvalidArgument("`", Printable(term), "` of the equation for `", input.spec, "`");
      }
      hidden = std::max(hidden, own);
      SIGNET_ASSIGN_OR_RETURN(named, LettersOf(term, own));
      seen.insert(seen.end(), named.begin(), named.end());
      operands.push_back(WithoutRepeats({std::move(named), input}));
    }
    if (operands.size() != inputs.size() || inputs.empty()) {
      return InvalidArgument("equation `", Printable(equation), "` for ", inputs.size(), " inputs");
    }
    Letters out;
    if (arrow == std::string_view::npos) {
      out = ImplicitOutput(seen, hidden);
    } else {
      SIGNET_ASSIGN_OR_RETURN(out, LettersOf(equation.substr(arrow + 2), hidden));
    }
    for (int letter : out) {
      if (!Has(seen, letter) || std::count(out.begin(), out.end(), letter) > 1) {
        return InvalidArgument("equation `", Printable(equation),
                               "`; takes each letter of the output once, and in an input");
      }
    }
    Term all;
    for (size_t i = 0; i < operands.size(); ++i) {
      Letters later = out;  // that are needed behind this operand
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
  // Without an arrow: the dimensions of `...`, then the letters that are there once, in order.
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

  // Dimensions of one letter become one: what is not on their diagonal becomes 0 and is summed.
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

  // The dimensions of `x` in the order of `letters`, of size 1 where it has none.
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

  // The product of both, summed over the letters that are not among `needed`.
  Term Multiplied(Term a, Term b, const Letters& needed) {
    // A dimension of size 1 that stretches is none.
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

  // [batch..., rows, columns], with all rows as one dimension, and all columns.
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
