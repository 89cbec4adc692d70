// Linear models and support vector machines of ai.onnx.ml. Where the standard does not define the
// behavior, they behave as in ONNX Runtime.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/frontends/onnx/lower/ml/ml_inputs.h"
#include "core/frontends/onnx/lower/ml/ml_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Returns x times the transposed matrix of `rows` rows in `coefficients`, plus `intercepts`, which
// has one element for all rows or one per row.
StatusOr<GraphValue> Products(OpBuilder& build, const GraphValue& x,
                              std::span<const double> coefficients, int64_t rows,
                              std::span<const double> intercepts) {
  auto size = static_cast<int64_t>(coefficients.size());
  if (rows < 1 || size % rows != 0) {
    return InvalidArgument("expected a number of coefficients divisible by ", rows, " rows, found ",
                           size);
  }
  if (intercepts.size() > 1 && static_cast<int64_t>(intercepts.size()) != rows) {
    return InvalidArgument("expected one intercept, or one per row of ", rows,
                           " rows of coefficients, found ", intercepts.size());
  }
  // One column per row: the matrix is transposed now.
  int64_t columns = size / rows;
  std::vector<double> turned(coefficients.size());
  for (int64_t i = 0; i < size; ++i) {
    turned[static_cast<size_t>(i % columns * rows + i / columns)] =
        coefficients[static_cast<size_t>(i)];
  }
  GraphValue matrix = NumbersConstant(build, DType::kFloat32, turned, {columns, rows});
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, build.Matmul(x, matrix));
  bool adds = std::any_of(intercepts.begin(), intercepts.end(), [](double b) { return b != 0; });
  if (!adds) return out;
  return build.Add(out, NumbersConstant(build, DType::kFloat32, intercepts));
}

StatusOr<Values> ExpandLinearRegressor(OpBuilder& build, const OpCall& call,
                                       std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(GraphValue x, Float32Rows(build, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto coefficients, lists.Numbers("coefficients"));
  SIGNET_ASSIGN_OR_RETURN(auto intercepts, lists.Numbers("intercepts"));
  SIGNET_ASSIGN_OR_RETURN(int64_t targets, call.attributes.Int("targets"));
  SIGNET_ASSIGN_OR_RETURN(std::string transform, call.attributes.String("post_transform"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue scores, Products(build, x, coefficients, targets, intercepts));
  // A single score is transformed only by PROBIT.
  if (targets == 1 && transform != "PROBIT") transform = "NONE";
  return OneOutput(PostTransform(build, scores, transform));
}

// Returns two scores for one score s: the probabilities of -s and s if `transform` is LOGISTIC.
// Otherwise, 1 - s and s if the scores are shares, and -s and s if they are not.
StatusOr<GraphValue> WithOpposite(OpBuilder& build, const GraphValue& scores, bool shares,
                                  std::string_view transform) {
  auto row = [&](double first, double second) {
    return NumbersConstant(build, DType::kFloat32, std::vector<double>{first, second});
  };
  SIGNET_ASSIGN_OR_RETURN(GraphValue both, build.Mul(scores, row(-1, 1)));
  if (shares && transform != "LOGISTIC") {
    SIGNET_ASSIGN_OR_RETURN(both, build.Add(both, row(1, 0)));
  }
  return PostTransform(build, both, transform == "LOGISTIC" ? "LOGISTIC" : "NONE");
}

// Returns class 1 for each score above 0, and class 0 otherwise.
StatusOr<GraphValue> SignClass(OpBuilder& build, const GraphValue& scores) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue above,
                          build.Greater(scores, NumberConstant(build, DType::kFloat32, 0)));
  SIGNET_ASSIGN_OR_RETURN(above, build.Squeeze(above, {.axes = 1}));
  return CastTo(build, above, DType::kInt64);
}

StatusOr<Values> ExpandLinearClassifier(OpBuilder& build, const OpCall& call,
                                        std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(GraphValue x, Float32Rows(build, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto coefficients, lists.Numbers("coefficients"));
  SIGNET_ASSIGN_OR_RETURN(auto intercepts, lists.Numbers("intercepts"));
  SIGNET_ASSIGN_OR_RETURN(ClassLabels labels, LabelsOf(lists, "classlabels_ints"));
  SIGNET_ASSIGN_OR_RETURN(std::string transform, call.attributes.String("post_transform"));
  // Each row has one score per intercept or, without intercepts, one per label.
  int64_t classes = intercepts.empty() ? labels.count : static_cast<int64_t>(intercepts.size());
  SIGNET_ASSIGN_OR_RETURN(GraphValue scores, Products(build, x, coefficients, classes, intercepts));
  if (classes == 1) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue label, SignClass(build, scores));
    if (labels.count == 2) {
      SIGNET_ASSIGN_OR_RETURN(label, LabelAt(build, labels, label));
    }
    if (transform == "PROBIT") {
      SIGNET_ASSIGN_OR_RETURN(scores, PostTransform(build, scores, transform));
    } else if (labels.count == 2) {
      SIGNET_ASSIGN_OR_RETURN(scores, WithOpposite(build, scores, true, transform));
    }
    return Values{label, scores};
  }
  if (classes > labels.count) {
    return InvalidArgument("expected ", labels.count, " scores, one per label, found ", classes);
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue index, GreatestColumn(build, scores));
  SIGNET_ASSIGN_OR_RETURN(GraphValue label, LabelAt(build, labels, index));
  SIGNET_ASSIGN_OR_RETURN(scores, PostTransform(build, scores, transform));
  return Values{label, scores};
}

// --- support vector machines --------------------------------------------------------------------

struct SvmKernel {
  std::string type;
  double gamma = 0;
  double offset = 0;
  double degree = 3;
};

StatusOr<SvmKernel> SvmKernelOf(const ListInputs& lists, const OpCall& call) {
  SvmKernel kernel;
  SIGNET_ASSIGN_OR_RETURN(kernel.type, call.attributes.String("kernel_type"));
  SIGNET_ASSIGN_OR_RETURN(auto parameters, lists.Numbers("kernel_params"));
  if (!parameters.empty() && parameters.size() < 3) {
    return InvalidArgument("kernel_params: expected gamma, coef0, and degree, found ",
                           parameters.size(), " numbers");
  }
  if (!parameters.empty()) {
    kernel.gamma = parameters[0];
    kernel.offset = parameters[1];
    kernel.degree = parameters[2];
  }
  if (kernel.type == "LINEAR" || kernel.type == "POLY" || kernel.type == "RBF" ||
      kernel.type == "SIGMOID") {
    return kernel;
  }
  return InvalidArgument("kernel_type: expected LINEAR, POLY, RBF, or SIGMOID, found `",
                         Printable(kernel.type), "`");
}

// Returns the kernel of each row of x with each of `rows` vectors.
StatusOr<GraphValue> Apply(OpBuilder& build, const SvmKernel& kernel, const GraphValue& x,
                           std::span<const double> vectors, int64_t rows) {
  auto number = [&](double value) { return NumberConstant(build, DType::kFloat32, value); };
  auto size = static_cast<int64_t>(vectors.size());
  if (kernel.type == "RBF") {
    if (rows < 1 || size % rows != 0)
      return InvalidArgument("expected a number of elements divisible by ", rows,
                             " vectors, found ", size);
    GraphValue matrix = NumbersConstant(build, DType::kFloat32, vectors, {rows, size / rows});
    SIGNET_ASSIGN_OR_RETURN(GraphValue distance, build.SquaredDistances(x, matrix));
    return build.Exp(build.Mul(distance, number(-kernel.gamma)));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue product, Products(build, x, vectors, rows, {}));
  if (kernel.type == "LINEAR") return product;
  SIGNET_ASSIGN_OR_RETURN(product, build.Mul(product, number(kernel.gamma)));
  SIGNET_ASSIGN_OR_RETURN(product, build.Add(product, number(kernel.offset)));
  if (kernel.type == "SIGMOID") return build.Tanh(product);
  constexpr double kMostMultiplied = 4;
  if (kernel.degree < 1 || kernel.degree > kMostMultiplied ||
      kernel.degree != std::floor(kernel.degree)) {
    return build.Pow(product, number(kernel.degree));
  }
  GraphValue power = product;
  for (double degree = 1; degree < kernel.degree; ++degree) {
    SIGNET_ASSIGN_OR_RETURN(power, build.Mul(power, product));
  }
  return power;
}

// Returns the scores of rows: the sum over `vectors` of the kernel times the coefficient, plus rho.
// `coefficients` has one row for each of `rows` scores.
StatusOr<GraphValue> Scores(OpBuilder& build, const SvmKernel& kernel, const GraphValue& x,
                            std::span<const double> vectors, int64_t count,
                            std::span<const double> coefficients, int64_t rows,
                            std::span<const double> rho) {
  constexpr int64_t kMostFolded = int64_t{1} << 28;  // multiplications
  auto size = static_cast<int64_t>(vectors.size());
  auto given = static_cast<int64_t>(coefficients.size());
  bool fits = count > 0 && size % count == 0 && given == rows * count;
  // A linear machine is one matrix product, which is used unless its matrix would be larger.
  const int64_t width = fits ? size / count : 0;
  if (kernel.type == "LINEAR" && fits && rows <= count && size * rows <= kMostFolded) {
    std::vector<double> folded(static_cast<size_t>(rows * width));
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t v = 0; v < count; ++v) {
        const double weight = coefficients[static_cast<size_t>(row * count + v)];
        for (int64_t i = 0; i < width; ++i) {
          folded[static_cast<size_t>(row * width + i)] +=
              weight * vectors[static_cast<size_t>(v * width + i)];
        }
      }
    }
    return Products(build, x, folded, rows, rho);
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue kernels, Apply(build, kernel, x, vectors, count));
  return Products(build, kernels, coefficients, rows, rho);
}

// The attributes that both machines have.
struct Svm {
  GraphValue x;
  SvmKernel kernel;
  std::vector<double> coefficients;
  std::vector<double> vectors;
  std::vector<double> rho;  // at least one
};
StatusOr<Svm> SvmOf(OpBuilder& build, const ListInputs& lists, const OpCall& call,
                    std::span<const GraphValue> inputs) {
  Svm svm;
  SIGNET_ASSIGN_OR_RETURN(svm.x, Float32Rows(build, inputs));
  SIGNET_ASSIGN_OR_RETURN(svm.kernel, SvmKernelOf(lists, call));
  SIGNET_ASSIGN_OR_RETURN(svm.coefficients, lists.Numbers("coefficients"));
  SIGNET_ASSIGN_OR_RETURN(svm.vectors, lists.Numbers("support_vectors"));
  SIGNET_ASSIGN_OR_RETURN(svm.rho, lists.Numbers("rho"));
  if (svm.rho.empty()) svm.rho = {0};
  return svm;
}

StatusOr<Values> ExpandSvmRegressor(OpBuilder& build, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(Svm svm, SvmOf(build, lists, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(int64_t supports, call.attributes.Int("n_supports"));
  SIGNET_ASSIGN_OR_RETURN(int64_t one_class, call.attributes.Int("one_class"));
  svm.rho.resize(1);
  auto made = supports > 0 ? Scores(build, svm.kernel, svm.x, svm.vectors, supports,
                                    svm.coefficients, 1, svm.rho)
                           : Products(build, svm.x, svm.coefficients, 1, svm.rho);
  SIGNET_ASSIGN_OR_RETURN(GraphValue scores, std::move(made));
  if (one_class == 0) return Values{scores};
  auto number = [&](double value) { return NumberConstant(build, DType::kFloat32, value); };
  SIGNET_ASSIGN_OR_RETURN(GraphValue above, build.Greater(scores, number(0)));
  return OneOutput(build.Select(above, number(1), number(-1)));
}

// Support vectors by class, and the coefficients of each pair of classes.
struct Pairs {
  int64_t classes = 0;
  int64_t vectors = 0;
  std::vector<double> coefficients = {};  // one row per pair, one column per vector

  int64_t count() const { return classes * (classes - 1) / 2; }
};

// Returns the coefficients of all pairs, in the layout of LIBSVM: for a pair of class i and a later
// class j, the vectors of class i use row j - 1, and the vectors of class j use row i.
StatusOr<Pairs> PairsOf(std::span<const int64_t> by_class, std::span<const double> coefficients) {
  Pairs pairs;
  pairs.classes = static_cast<int64_t>(by_class.size());
  std::vector<int64_t> begins = {0};
  for (int64_t count : by_class) {
    if (count < 0 || count > (int64_t{1} << 24)) {
      return InvalidArgument("expected at least 0 support vectors per class, found ", count);
    }
    begins.push_back(begins.back() + count);
  }
  pairs.vectors = begins.back();
  if (static_cast<int64_t>(coefficients.size()) < (pairs.classes - 1) * pairs.vectors) {
    return InvalidArgument("expected (classes - 1) * vectors coefficients for ", pairs.classes,
                           " classes and ", pairs.vectors, " support vectors, found ",
                           coefficients.size());
  }
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(std::vector<int64_t>{pairs.count(), pairs.vectors}));
  auto at = [](int64_t row, int64_t width, int64_t column) {
    return static_cast<size_t>(row * width + column);
  };
  pairs.coefficients.resize(at(pairs.count(), pairs.vectors, 0));
  int64_t pair = 0;
  for (int64_t i = 0; i < pairs.classes; ++i) {
    for (int64_t j = i + 1; j < pairs.classes; ++j, ++pair) {
      auto copy = [&](int64_t of, int64_t row) {
        for (int64_t v = begins[static_cast<size_t>(of)]; v < begins[static_cast<size_t>(of) + 1];
             ++v) {
          pairs.coefficients[at(pair, pairs.vectors, v)] = coefficients[at(row, pairs.vectors, v)];
        }
      };
      copy(i, j - 1);
      copy(j, i);
    }
  }
  return pairs;
}

// Computes a linear machine, with one row of coefficients per class.
StatusOr<Values> LinearSvm(OpBuilder& build, const GraphValue& x, const ClassLabels& labels,
                           std::span<const double> coefficients, std::span<const double> rho,
                           std::string_view transform) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue scores,
                          Products(build, x, coefficients, labels.count, rho.subspan(0, 1)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue index, GreatestColumn(build, scores));
  if (labels.count == 2) {
    // The second class is selected if a score is above 0 or, for shares, at least 0.5.
    bool shares = std::all_of(coefficients.begin(), coefficients.end(),
                              [](double number) { return number >= 0; });
    SIGNET_ASSIGN_OR_RETURN(GraphValue most, build.ReduceMax(scores, {.axes = 1}));
    GraphValue limit = NumberConstant(build, DType::kFloat32, shares ? 0.5 : 0);
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue above,
        build.CallOne(shares ? OpName("greater_equal") : "greater", {most, limit}));
    SIGNET_ASSIGN_OR_RETURN(index,
                            build.Select(above, NumberConstant(build, DType::kInt64, 1), index));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue label, LabelAt(build, labels, index));
  SIGNET_ASSIGN_OR_RETURN(scores, PostTransform(build, scores, transform));
  return Values{label, scores};
}

// Returns the probabilities of classes from the scores of pairs: 1 / (1 + exp(a score + b)) per
// pair.
StatusOr<GraphValue> Probabilities(OpBuilder& build, const GraphValue& scores, int64_t classes,
                                   std::vector<double> a, std::vector<double> b) {
  auto pairs = static_cast<size_t>(classes * (classes - 1) / 2);
  if (a.size() < pairs || b.size() != a.size()) {
    return InvalidArgument("expected ", pairs, " prob_a and prob_b, one per pair, found ", a.size(),
                           " and ", b.size());
  }
  for (auto* list : {&a, &b}) {
    list->resize(pairs);
    for (double& number : *list) number = -number;
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue out,
                          build.Mul(scores, NumbersConstant(build, DType::kFloat32, a)));
  return build.CouplePairs(
      build.Sigmoid(build.Add(out, NumbersConstant(build, DType::kFloat32, b))),
      {.num_classes = classes});
}

StatusOr<Values> ExpandSvmClassifier(OpBuilder& build, const OpCall& call,
                                     std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(Svm svm, SvmOf(build, lists, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto by_class, lists.Ints("vectors_per_class"));
  SIGNET_ASSIGN_OR_RETURN(auto prob_a, lists.Numbers("prob_a"));
  SIGNET_ASSIGN_OR_RETURN(auto prob_b, lists.Numbers("prob_b"));
  SIGNET_ASSIGN_OR_RETURN(ClassLabels labels, LabelsOf(lists, "classlabels_ints"));
  SIGNET_ASSIGN_OR_RETURN(std::string transform, call.attributes.String("post_transform"));
  if (std::all_of(by_class.begin(), by_class.end(), [](int64_t count) { return count == 0; })) {
    return LinearSvm(build, svm.x, labels, svm.coefficients, svm.rho, transform);
  }
  SIGNET_ASSIGN_OR_RETURN(Pairs pairs, PairsOf(by_class, svm.coefficients));
  if (pairs.classes != labels.count || pairs.classes < 2 ||
      static_cast<int64_t>(svm.rho.size()) < pairs.count()) {
    return InvalidArgument(
        "expected one class of support vectors per label and one rho per pair, found ",
        pairs.classes, " classes, ", labels.count, " labels, and ", svm.rho.size(), " rho");
  }
  svm.rho.resize(static_cast<size_t>(pairs.count()));
  SIGNET_ASSIGN_OR_RETURN(GraphValue scores,
                          Scores(build, svm.kernel, svm.x, svm.vectors, pairs.vectors,
                                 pairs.coefficients, pairs.count(), svm.rho));
  SIGNET_ASSIGN_OR_RETURN(GraphValue index,
                          build.VotePairs(scores, {.num_classes = pairs.classes}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue label, LabelAt(build, labels, index));
  if (!prob_a.empty()) {
    SIGNET_ASSIGN_OR_RETURN(scores, Probabilities(build, scores, pairs.classes, prob_a, prob_b));
  } else if (pairs.classes == 2) {
    SIGNET_ASSIGN_OR_RETURN(scores, WithOpposite(build, scores, transform != "NONE", transform));
    return Values{label, scores};
  }
  SIGNET_ASSIGN_OR_RETURN(scores, PostTransform(build, scores, transform));
  return Values{label, scores};
}

}  // namespace

std::vector<OpDef> OnnxLinearModelOps() {
  AttributeDef transform = {"post_transform", AttributeOf("NONE")};
  AttributeDef kernel = {"kernel_type", AttributeOf("LINEAR")};
  return {
      OnnxOp("onnx.ml.LinearClassifier", "Finds the class of each row by a linear model",
             InputsAndLists(
                 {"X"}, {"coefficients", "intercepts", "classlabels_ints", "classlabels_strings"}),
             {{"multi_class", AttributeOf(0)}, transform}, ExpandLinearClassifier),
      OnnxOp("onnx.ml.LinearRegressor", "Multiplies rows by coefficients and adds intercepts",
             InputsAndLists({"X"}, {"coefficients", "intercepts"}),
             {{"targets", AttributeOf(1)}, transform}, ExpandLinearRegressor),
      OnnxOp("onnx.ml.SVMClassifier", "Finds the class of each row by a support vector machine",
             InputsAndLists(
                 {"X"}, {"coefficients", "support_vectors", "vectors_per_class", "rho", "prob_a",
                         "prob_b", "kernel_params", "classlabels_ints", "classlabels_strings"}),
             {kernel, transform}, ExpandSvmClassifier),
      OnnxOp("onnx.ml.SVMRegressor", "Gives what a support vector machine says of each row",
             InputsAndLists({"X"}, {"coefficients", "support_vectors", "rho", "kernel_params"}),
             {{"n_supports", AttributeOf(0)}, {"one_class", AttributeOf(0)}, kernel, transform},
             ExpandSvmRegressor),
  };
}

}  // namespace signet
