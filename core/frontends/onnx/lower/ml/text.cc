// Operators on strings and on lists of words.

#include <algorithm>
#include <utility>

#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/ml/ml_inputs.h"
#include "core/frontends/onnx/lower/ml/ml_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

constexpr int64_t kMostColumns = int64_t{1} << 24;

StatusOr<GraphValue> WithCase(OpBuilder& build, const Operand& x, std::string_view action) {
  if (action == "NONE") return x;
  if (action == "LOWER") return build.StringLower(x, {.unicode = true});
  if (action == "UPPER") return build.StringUpper(x, {.unicode = true});
  return InvalidArgument("case_change_action: expected NONE, LOWER, or UPPER, found `",
                         Printable(action), "`");
}

// Returns `words` without the words in `dropped`, or one empty string if no word remains.
StatusOr<GraphValue> Without(OpBuilder& build, const Operand& words, const Operand& keys,
                             const Operand& dropped) {
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue kept,
      build.BooleanMask(words, build.Less(build.Lookup(keys, dropped), Int64Constant(build, 0))));
  // The remaining words and one empty string, cut to their number, or to 1.
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, build.ExpandDims(build.Maximum(DimSize(build, kept, 0),
                                                                           Int64Constant(build, 1)),
                                                             {.axis = 0}));
  std::string_view empty;
  GraphValue more = build.Constant(Tensor::Strings({1}, {&empty, 1}));
  SIGNET_ASSIGN_OR_RETURN(kept, build.Concat({kept, more}, {.axis = 0}));
  const int64_t zero[] = {0};
  return build.Slice(kept, VectorConstant<int64_t>(build, zero), std::move(count));
}

StatusOr<Values> ExpandStringNormalizer(OpBuilder& build, const OpCall& call,
                                        std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  bool is_row = rank == 2 && (x->shape().dim(0) == 1 || x->shape().dim(0) == kUnknownDim);
  if (x->dtype() != DType::kString || (rank != 1 && !is_row)) {
    return InvalidArgument("input 0: expected `string[?]` or `string[1, ?]`, found `",
                           inputs[0].spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(std::string action, call.attributes.String("case_change_action"));
  SIGNET_ASSIGN_OR_RETURN(int64_t sensitive, call.attributes.Int("is_case_sensitive"));
  SIGNET_ASSIGN_OR_RETURN(const Tensor* dropped, lists.Known("stopwords"));
  Operand words = inputs[0];
  if (dropped != nullptr && dropped->num_elements() > 0) {
    if (rank == 2) {
      SIGNET_ASSIGN_OR_RETURN(words, build.Squeeze(words, {.axes = 0}));
    }
    std::string_view compared = sensitive != 0 ? "NONE" : "LOWER";
    SIGNET_ASSIGN_OR_RETURN(GraphValue keys, WithCase(build, words, compared));
    SIGNET_ASSIGN_OR_RETURN(GraphValue stops, WithCase(build, lists.Get("stopwords"), compared));
    SIGNET_ASSIGN_OR_RETURN(words, Without(build, words, keys, stops));
    if (rank == 2) {
      SIGNET_ASSIGN_OR_RETURN(words, build.ExpandDims(words, {.axis = 0}));
    }
  }
  return OneOutput(WithCase(build, words, action));
}

// Returns the weights by column. The i-th weight belongs to the i-th n-gram, counted in columns[i].
StatusOr<GraphValue> WeightsByColumn(OpBuilder& build, std::span<const double> weights,
                                     std::span<const int64_t> columns, int64_t num_columns) {
  if (weights.size() > columns.size()) {
    return InvalidArgument("weights: expected ", columns.size(),
                           ", one per element of ngram_indexes, found ", weights.size());
  }
  std::vector<float> out(static_cast<size_t>(num_columns), 1.0F);
  for (size_t i = 0; i < weights.size(); ++i) {
    out[static_cast<size_t>(columns[i])] = static_cast<float>(weights[i]);
  }
  return VectorConstant<float>(build, out);
}

StatusOr<Values> ExpandTfIdfVectorizer(OpBuilder& build, const OpCall& call,
                                       std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  GraphValue from = inputs[0];
  if (x->dtype() != DType::kString) {
    SIGNET_ASSIGN_OR_RETURN(from, CastTo(build, from, DType::kInt64));
  }
  GraphValue pool = lists.Get(x->dtype() == DType::kString ? "pool_strings" : "pool_int64s");
  SIGNET_ASSIGN_OR_RETURN(auto columns, lists.Ints("ngram_indexes"));
  GraphValue starts = lists.Get("ngram_counts");
  if (!pool.spec || !starts.spec || columns.empty()) {
    return InvalidArgument(
        "expected ngram_counts, ngram_indexes, and a pool with the dtype of input 0, `",
        inputs[0].spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  SIGNET_ASSIGN_OR_RETURN(int64_t least, call.attributes.Int("min_gram_length"));
  SIGNET_ASSIGN_OR_RETURN(int64_t most, call.attributes.Int("max_gram_length"));
  SIGNET_ASSIGN_OR_RETURN(int64_t skips, call.attributes.Int("max_skip_count"));
  for (char& c : mode) c = static_cast<char>(c | 0x20);
  const auto [first, last] = std::minmax_element(columns.begin(), columns.end());
  if (*first < 0 || *last >= kMostColumns) {
    return InvalidArgument("ngram_indexes: expected 0 to ", kMostColumns - 1, ", found ", *first,
                           " to ", *last);
  }
  const int64_t count = *last + 1;
  Operand by_column;
  SIGNET_ASSIGN_OR_RETURN(auto weights, lists.Numbers("weights"));
  if (!weights.empty()) {
    by_column = WeightsByColumn(build, weights, columns, count);
  }
  return build.NgramWeights(from, pool, starts, lists.Get("ngram_indexes"), by_column,
                            {.num_columns = count,
                             .mode = mode,
                             .min_length = least,
                             .max_length = most,
                             .max_skips = skips});
}

StatusOr<Values> ExpandStringConcat(OpBuilder& build, const OpCall&,
                                    std::span<const GraphValue> inputs) {
  return build.Call("string_concat", inputs, {});
}

StatusOr<Values> ExpandRegexFullMatch(OpBuilder& build, const OpCall& call,
                                      std::span<const GraphValue> inputs) {
  return build.Call("regex_full_match", inputs, call.attributes);
}

// Returns the parts of each string, padded with empty strings, and the number of parts.
StatusOr<Values> ExpandStringSplit(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  Operand x = inputs[0];
  if (rank != 1) {
    SIGNET_ASSIGN_OR_RETURN(x, build.Reshape(x, {.shape = -1}));
  }
  std::string separator;
  if (!IsNone(call.attributes, "delimiter")) {
    SIGNET_ASSIGN_OR_RETURN(separator, call.attributes.String("delimiter"));
  }
  Attributes how(
      {{"separator", AttributeOf(separator)}, {"max_splits", call.attributes.Lookup("maxsplit")}});
  SIGNET_ASSIGN_OR_RETURN(GraphValue parts, build.CallOne("string_split", {x}, how));
  SIGNET_ASSIGN_OR_RETURN(GraphValue counts, build.RowLengths(parts));
  SIGNET_ASSIGN_OR_RETURN(GraphValue dense, build.RaggedToDense(parts));
  if (rank == 1) return Values{dense, counts};
  // Restore the dimensions of the input.
  Values sizes;
  for (int axis = 0; axis < rank; ++axis) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(build, inputs[0], axis));
    sizes.push_back(std::move(size));
  }
  GraphValue outer = build.Constant(Tensor::Of<int64_t>({0}, {}));
  if (rank > 0) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue stacked, build.Stack(sizes));
    outer = stacked;
  }
  SIGNET_ASSIGN_OR_RETURN(
      dense,
      build.Reshape(dense,
                    build.Concat({outer, build.ExpandDims(DimSize(build, dense, 1), {.axis = 0})},
                                 {.axis = 0})));
  SIGNET_ASSIGN_OR_RETURN(counts, build.Reshape(counts, outer));
  return Values{dense, counts};
}

// Returns the patterns of com.microsoft.Tokenizer: the separators, or the tokens.
StatusOr<Attributes> TokenPatterns(const OpCall& call) {
  const bool has_separators = !IsNone(call.attributes, "separators");
  if (has_separators != IsNone(call.attributes, "tokenexp")) {
    return InvalidArgument("expected either `separators` or `tokenexp`, found ",
                           has_separators ? "both" : "neither");
  }
  std::vector<std::string> patterns;
  if (has_separators) {
    SIGNET_ASSIGN_OR_RETURN(patterns, call.attributes.Strings("separators"));
    if (patterns == std::vector<std::string>{""}) {
      patterns.clear();  // each character is a token
    } else if (patterns.empty() || std::count(patterns.begin(), patterns.end(), "") > 0) {
      return InvalidArgument("`separators`: expected patterns that are not empty, or one empty ",
                             "string for tokens of one character");
    }
  } else {
    SIGNET_ASSIGN_OR_RETURN(patterns.emplace_back(), call.attributes.String("tokenexp"));
  }
  SIGNET_ASSIGN_OR_RETURN(int64_t least, call.attributes.Int("mincharnum"));
  if (least < 1) return InvalidArgument("`mincharnum`: expected at least 1, found ", least);
  std::vector<TypeSpec> list;
  for (const std::string& pattern : patterns) list.push_back(AttributeOf(pattern));
  return Attributes({{"patterns", ListType(std::move(list))},
                     {"matches", AttributeOf(!has_separators)},
                     {"min_characters", AttributeOf(least)}});
}

// Returns the tokens of each string along a new last dimension, padded. With `mark`, they are
// between marks for the start and the end of the text. Without any token, the size of the new
// dimension is 0.
StatusOr<Values> ExpandTokenizer(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  if (rank != 1 && rank != 2) {
    return InvalidArgument("input 0: expected rank 1 or 2, found `", inputs[0].spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(Attributes patterns, TokenPatterns(call));
  SIGNET_ASSIGN_OR_RETURN(int64_t mark, call.attributes.Int("mark"));
  SIGNET_ASSIGN_OR_RETURN(std::string pad, call.attributes.String("pad_value"));
  GraphValue padding = TextConstant(build, pad);
  Expr x = rank == 1 ? build.AsExpr(inputs[0]) : build.Reshape(inputs[0], {.shape = {-1}});
  SIGNET_ASSIGN_OR_RETURN(Values cut, build.CallAll("tokenize_text", {x}, patterns));
  Expr tokens = build.RaggedFromRowSplits(cut[1], cut[0]);
  if (mark != 0) {
    Expr shape = build.Stack({DimSize(build, x, 0), 1});
    GraphValue start = TextConstant(build, "\x02");
    GraphValue end = TextConstant(build, "\x03");
    tokens = build.Concat({build.BroadcastTo(start, shape), tokens, build.BroadcastTo(end, shape)},
                          {.axis = 1});
  }
  Expr dense = build.RaggedToDense(tokens, padding);
  Expr width = DimSize(build, dense, 1);
  if (mark != 0) {
    Expr has_tokens = build.Less(0, DimSize(build, cut[1], 0));
    width = build.Select(has_tokens, width, 0);
    dense = build.Slice(dense, Ints(build, std::vector<int64_t>{0}), build.Stack({width}), {}, {},
                        {.axes = {1}});
  }
  if (rank == 1) return dense;
  return ReshapeTo(build, dense,
                   {DimSize(build, inputs[0], 0), DimSize(build, inputs[0], 1), width});
}

}  // namespace

std::vector<OpDef> OnnxTextOps() {
  return {
      OnnxOp("onnx.RegexFullMatch", "Tells whether a pattern matches the whole of each string",
             {"X"}, {{"pattern"}}, ExpandRegexFullMatch),
      OnnxOp("onnx.StringConcat", "Joins strings, element by element", {"X", "Y"}, {},
             ExpandStringConcat),
      OnnxOp("onnx.StringNormalizer", "Drops words and changes the case of letters",
             InputsAndLists({"X"}, {"stopwords"}),
             {{"case_change_action", AttributeOf("NONE")},
              {"is_case_sensitive", AttributeOf(0)},
              {"locale", NoneAttribute()}},
             ExpandStringNormalizer),
      OnnxOp("onnx.StringSplit", "Cuts strings into their parts", {"X"},
             {{"delimiter", NoneAttribute()}, {"maxsplit", NoneAttribute()}}, ExpandStringSplit),
      OnnxOp("onnx.com.microsoft.Tokenizer", "Cuts strings into tokens, padded to one number",
             {"X"},
             {{"mark"},
              {"pad_value"},
              {"mincharnum"},
              {"separators", NoneAttribute()},
              {"tokenexp", NoneAttribute()}},
             ExpandTokenizer),
      OnnxOp("onnx.TfIdfVectorizer", "Counts or weighs the n-grams of a list in each row",
             InputsAndLists({"X"}, {"pool_int64s", "pool_strings", "ngram_counts", "ngram_indexes",
                                    "weights"}),
             {{"mode"}, {"min_gram_length"}, {"max_gram_length"}, {"max_skip_count"}},
             ExpandTfIdfVectorizer),
  };
}

}  // namespace signet
