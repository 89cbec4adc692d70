// ngrams: joins neighboring strings in each row.
//
//   ngrams([["a", "b", "c"], ["d"]], widths=2)  =>  [["a b", "b c"], []]

#include "core/ops/text/ngrams.h"

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

constexpr int64_t kMaxNgramWidth = 1024;

StatusOr<std::vector<TypeSpec>> InferNgramRows(const OpCall& call) {
  // C1: values are a vector of strings, input 1 is row splits.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, StringInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  if (!values->shape().IsCompatibleWith({kUnknownDim})) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a vector of strings, found `",
                                                call.inputs[0], "`"));
  }
  SIGNET_RETURN_IF_ERROR(FindNgramRule(call.attributes).status());
  return std::vector<TypeSpec>{TensorType(DType::kString, {kUnknownDim}),
                               TensorType(DType::kInt64, {SplitsFor(KnownRows(*splits))})};
}

StatusOr<std::vector<GraphValue>> ExpandNgrams(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  // C1: the input is a tensor or ragged value of strings, of rank at least 1.
  const TypeSpec& spec = inputs[0].spec;
  const PartialShape* shape = spec ? spec.shape() : nullptr;
  bool fits = shape != nullptr && shape->has_rank() && shape->rank() > 0 &&
              (spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged));
  if (!fits) {
    return WithConstraint(
        "C1",
        InvalidArgument("input 0: expected a tensor or ragged value of rank at least 1, found `",
                        spec ? spec.ToString() : "None", "`"));
  }
  int last = shape->rank() - 1;
  SIGNET_ASSIGN_OR_RETURN(Opened x, OpenToTensor(build, inputs[0], last + 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, Compose(build, x.rows, last - 1, last));
  const GraphValue rows[] = {x.elements, splits};
  SIGNET_ASSIGN_OR_RETURN(auto made, build.Call("ngram_rows", rows, call.attributes));
  if (last == 0) return std::vector<GraphValue>{made[0]};
  x.rows.dims.back() = RaggedDim(made[1]);
  return OneOutput(CloseRows(build, x.rows, made[0]));
}

StatusOr<std::vector<std::string>> PadOf(const Attributes& attributes) {
  if (IsNone(attributes, "pad")) return std::vector<std::string>();
  if (auto one = attributes.String("pad"); one.ok()) return std::vector<std::string>(2, *one);
  SIGNET_ASSIGN_OR_RETURN(auto both, attributes.Strings("pad"));
  if (both.size() == 2) return both;
  return InvalidArgument(
      "attribute `pad`: expected a string, or one string for the left and one for the right, "
      "found ",
      both.size(), " strings");
}

}  // namespace

int64_t NgramRule::PaddingOf(int64_t width) const { return std::min(padding, width - 1); }

int64_t NgramRule::CountOf(int64_t length, int64_t width) const {
  return std::max<int64_t>(0, length + 2 * PaddingOf(width) - width + 1);
}

StatusOr<NgramRule> FindNgramRule(const Attributes& attributes) {
  NgramRule rule;
  SIGNET_ASSIGN_OR_RETURN(rule.widths, WithConstraint("C2", attributes.Ints("widths")));
  for (int64_t width : rule.widths) {
    if (width >= 1 && width <= kMaxNgramWidth) continue;
    return WithConstraint(
        "C2", InvalidArgument("width: expected 1 to ", kMaxNgramWidth, ", found ", width));
  }
  SIGNET_ASSIGN_OR_RETURN(auto pad, WithConstraint("C3", PadOf(attributes)));
  SIGNET_ASSIGN_OR_RETURN(auto padding,
                          WithConstraint("C3", attributes.OptionalInt("padding_width")));
  if (padding && (*padding < 0 || *padding > kMaxNgramWidth)) {
    return WithConstraint("C3", InvalidArgument("padding_width: expected 0 to ", kMaxNgramWidth,
                                                ", found ", *padding));
  }
  if (!pad.empty()) {
    rule.left = pad[0];
    rule.right = pad[1];
    rule.padding = padding.value_or(kMaxNgramWidth);
  }
  SIGNET_ASSIGN_OR_RETURN(rule.separator, WithConstraint("C4", attributes.String("separator")));
  SIGNET_ASSIGN_OR_RETURN(rule.keeps_short, WithConstraint("C4", attributes.Bool("keep_short")));
  return rule;
}

std::vector<OpDef> NgramOps() {
  const std::vector<AttributeDef> attributes = {{"widths"},
                                                {"separator", AttributeOf(" ")},
                                                {"pad", NoneAttribute()},
                                                {"padding_width", NoneAttribute()},
                                                {"keep_short", AttributeOf(false)}};
  return {
      {.name = "ngrams",
       .summary = "Joins runs of neighboring strings in each row",
       .description =
           "Returns, for each row along the last dimension, all runs of `widths` neighboring "
           "strings, joined with `separator`. If there are several widths, their runs follow one "
           "after the other. `pad`, a string or a list of two strings, is added before and after "
           "each row, `width` - 1 times, but at most `padding_width` times. With `keep_short`, a "
           "row that is too short for any width, but not empty, is one string.",
       .inputs = {"x"},
       .attributes = attributes,
       .result =
           "A ragged value of strings with the outer dimensions of x; a vector if x is a vector.",
       .constraints = {"The input is a tensor or a ragged value of strings, of rank at least 1.",
                       "Each width is 1 to 1024.",
                       "`pad` is None, a string, or a list of two strings. `padding_width` is "
                       "None, or 0 to 1024.",
                       "`separator` is a string, and `keep_short` is a bool."},
       .composites = "On a ragged value, the op uses its innermost rows.",
       .expand = ExpandNgrams},
      {
          .name = "ngram_rows",
          .summary = "Returns the strings of ngrams, and their row splits",
          .inputs = {"values", "row_splits"},
          .attributes = attributes,
          .constraints = {"The values are a vector of strings, and input 1 is row splits.",
                          "Each width is 1 to 1024.",
                          "`pad` is None, a string, or a list of two strings. `padding_width` is "
                          "None, or 0 to 1024.",
                          "`separator` is a string, and `keep_short` is a bool."},
          .infer = InferNgramRows,
          .own_dtypes = {"row_splits"},
          .internal = true,
      },
  };
}

}  // namespace signet
