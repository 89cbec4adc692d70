// Operators on text, and look-ups in tables.

#include <algorithm>
#include <optional>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

TfOutputs ExpandHashBucket(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  NamedTypes attributes = {{"num_buckets", call.attributes.Lookup("num_buckets")}};
  if (name == "StringToHashBucketStrong") {
    attributes.emplace_back("method", AttributeOf("siphash"));
    attributes.emplace_back("key", call.attributes.Lookup("key"));
  } else {
    attributes.emplace_back("method",
                            AttributeOf(name == "StringToHashBucket" ? "murmur" : "farmhash"));
  }
  return build.CallOne("string_hash_bucket", {in[0]}, Attributes(std::move(attributes)));
}

TfOutputs ExpandAsString(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t precision, call.attributes.Int("precision"));
  SIGNET_ASSIGN_OR_RETURN(bool scientific, call.attributes.Bool("scientific"));
  SIGNET_ASSIGN_OR_RETURN(bool shortest, call.attributes.Bool("shortest"));
  SIGNET_ASSIGN_OR_RETURN(int64_t width, call.attributes.Int("width"));
  SIGNET_ASSIGN_OR_RETURN(std::string fill, call.attributes.String("fill"));
  const DType dtype = DTypeAt(in, 0);
  if (dtype == DType::kString) return build.Identity(in[0]);
  if (dtype == DType::kBool) {
    const GraphValue yes =
        build.Constant(Tensor::Strings({}, std::vector<std::string_view>{"true"}));
    const GraphValue no =
        build.Constant(Tensor::Strings({}, std::vector<std::string_view>{"false"}));
    return build.Select(in[0], yes, no);
  }
  if (scientific && shortest)
    return InvalidArgument("`scientific` and `shortest` exclude each other");
  std::string format = "%";
  if (fill.size() > 1) return InvalidArgument("`fill`: expected at most one character");
  format += fill;
  if (width > 0) format += std::to_string(width);
  const bool has_float = IsFloat(dtype) || IsComplex(dtype);
  if (precision >= 0) {
    if (!has_float) return InvalidArgument("`precision` is for floats only");
    format += Cat(".", precision);
  }
  format += !has_float ? "d" : scientific ? "e" : shortest ? "g" : "f";
  auto write = [&](const Operand& x) {
    return build.CallOne(std::string_view("format_number"), {x},
                         Attributes({{"format", AttributeOf(format)}}));
  };
  if (!IsComplex(dtype)) {
    return write(IsFloat(dtype) ? AsWideFloat(build, in[0]) : build.AsExpr(in[0]));
  }
  const ComplexParts parts = ComplexPartsOf(build, in[0]);
  auto text = [&](std::string_view value) {
    return build.Constant(Tensor::Strings({}, {&value, 1}));
  };
  Expr both = build.StringConcat(write(parts.real), write(parts.imaginary), {.separator = ","});
  return build.StringConcat(build.StringConcat(text("("), both), text(")"));
}

// The parts of strings as entries of a sparse matrix: indices, values, and the dense shape.
StatusOr<std::vector<GraphValue>> SparseParts(OpBuilder& build, const Operand& values,
                                              const Operand& splits) {
  Expr rows = build.SegmentIds(splits);
  Expr starts = build.Gather(splits, rows, {.axis = 0});
  Expr columns = build.Sub(build.Range({DimSize(build, values, 0)}), starts);
  Expr lengths = build.RowLengths(splits);
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr longest = build.ReduceMax(build.Concat({lengths, zero}, {.axis = 0}));
  return AllOf({build.Stack({rows, columns}, {.axis = 1}), values,
                build.Stack({DimSize(build, lengths, 0), longest})});
}

TfOutputs ExpandStringSplit(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool is_new = call.op.name == "tf.StringSplitV2";
  SIGNET_ASSIGN_OR_RETURN(int64_t most,
                          is_new ? call.attributes.Int("maxsplit") : StatusOr<int64_t>(-1));
  if (most == 0) {
    // The whole text is one part, with its white space.
    return SparseParts(build, in[0], build.Range({build.Add(DimSize(build, in[0], 0), 1)}));
  }
  NamedTypes attributes;
  if (most > 0) attributes.emplace_back("max_splits", AttributeOf(most));
  // In the first version, each byte of the delimiter separates.
  if (!is_new) attributes.emplace_back("each_byte", AttributeOf(true));
  Operands inputs = {in[0], AsScalar(build, in[1])};
  SIGNET_ASSIGN_OR_RETURN(auto parts, build.CallAll(std::string_view("split_text"), inputs,
                                                    Attributes(std::move(attributes))));
  Expr splits = build.AsExpr(parts[0]);
  Expr values = build.AsExpr(parts[1]);
  if (!is_new) {
    SIGNET_ASSIGN_OR_RETURN(bool skips_empty, call.attributes.Bool("skip_empty"));
    // A text without characters has no parts.
    Expr keep = skips_empty ? build.Greater(build.StringLength(values), 0)
                            : build.Greater(build.Gather(build.StringLength(in[0]),
                                                         build.SegmentIds(splits), {.axis = 0}),
                                            0);
    Expr kept_splits = build.MaskRowSplits(splits, keep);
    values = build.BooleanMask(values, keep);
    splits = kept_splits;
  }
  return SparseParts(build, values, splits);
}

TfOutputs ExpandStringJoin(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string separator, call.attributes.String("separator"));
  if (in.empty()) return InvalidArgument("expected at least one input");
  Operand out = in[0];
  for (size_t i = 1; i < in.size(); ++i) {
    out = build.StringConcat(out, in[i], {.separator = separator});
  }
  return out;
}

TfOutputs ExpandReduceJoin(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(bool keep, call.attributes.Bool("keep_dims"));
  SIGNET_ASSIGN_OR_RETURN(std::string separator, call.attributes.String("separator"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  std::vector<int64_t> perm;
  std::vector<bool> joined(static_cast<size_t>(rank), false);
  for (int64_t& given : axes) {
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
    if (joined[static_cast<size_t>(axis)]) return InvalidArgument("duplicate axis ", axis);
    joined[static_cast<size_t>(axis)] = true;
    given = axis;
  }
  if (axes.empty()) return build.Identity(in[0]);
  for (int axis = 0; axis < rank; ++axis) {
    if (!joined[static_cast<size_t>(axis)]) perm.push_back(axis);
  }
  // The first axis that is listed changes fastest, so it is the last dimension.
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) perm.push_back(*axis);
  Expr x = Permute(build, in[0], perm);
  const int first = rank - static_cast<int>(axes.size());
  if (axes.size() > 1) x = build.Flatten(x, {.first = first, .last = rank - 1});
  Expr out = build.StringJoin(x, {.axis = -1, .separator = separator});
  if (!keep) return out;
  for (int axis = 0; axis < rank; ++axis) {
    if (joined[static_cast<size_t>(axis)]) out = build.ExpandDims(out, {.axis = axis});
  }
  return out;
}

StatusOr<const char*> UnitOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string unit, call.attributes.String("unit"));
  if (unit == "BYTE") return "bytes";
  if (unit == "UTF8_CHAR") return "utf8";
  return InvalidArgument("`unit`: expected BYTE or UTF8_CHAR, found `", unit, "`");
}

TfOutputs ExpandSubstr(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(const char* unit, UnitOf(call));
  Expr sizes = build.StringLength(in[0], {.unit = unit});
  Expr start = AsInt64(build, in[1]);
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.GreaterEqual(sizes, build.Abs(start))),
                     InvalidArgument("`pos`: expected positions within the strings")));
  return build.CallOne("substr", {in[0], start, AsInt64(build, in[2])},
                       Attributes({{"unit", AttributeOf(unit)}}));
}

TfOutputs ExpandStringLength(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(const char* unit, UnitOf(call));
  return CastTo(build, build.StringLength(in[0], {.unit = unit}), DType::kInt32);
}

TfOutputs ExpandStringCase(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string encoding, call.attributes.String("encoding"));
  const bool unicode = encoding == "utf-8";
  if (!unicode && !encoding.empty()) {
    return InvalidArgument("`encoding`: expected utf-8 or nothing, found `", encoding, "`");
  }
  if (call.op.name == "tf.StringLower") return build.StringLower(in[0], {.unicode = unicode});
  return build.StringUpper(in[0], {.unicode = unicode});
}

TfOutputs ExpandStringStrip(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.StringStrip(in[0]);
}

TfOutputs ExpandStringToNumber(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "out_type"));
  return build.StringToNumber(build.StringStrip(in[0]), {.dtype = dtype});
}

// Returns the text of input `i` if it is a constant, or nothing if it is computed by the call.
StatusOr<std::optional<std::string>> KnownText(OpBuilder& build, const OpCall& call, TfInputs in,
                                               size_t i) {
  SIGNET_RETURN_IF_ERROR(TensorAt(in, i).status());
  if (build.LookupConstant(in[i].components[0]) == nullptr) return std::optional<std::string>();
  return FindText(build, call, in, i);
}

TfOutputs ExpandRegexReplace(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool all, call.attributes.Bool("replace_global"));
  if (in.size() != 3) {
    SIGNET_ASSIGN_OR_RETURN(std::string pattern, call.attributes.String("pattern"));
    SIGNET_ASSIGN_OR_RETURN(std::string rewrite, call.attributes.String("rewrite"));
    return build.RegexReplace(in[0], {.pattern = pattern, .rewrite = rewrite, .all = all});
  }
  SIGNET_ASSIGN_OR_RETURN(auto pattern, KnownText(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(auto rewrite, KnownText(build, call, in, 2));
  if (pattern && rewrite) {
    return build.RegexReplace(in[0], {.pattern = *pattern, .rewrite = *rewrite, .all = all});
  }
  return build.CallOne(std::string_view("regex_replace_computed"),
                       {in[0], AsScalar(build, in[1]), AsScalar(build, in[2])},
                       Attributes({{"all", AttributeOf(all)}}));
}

TfOutputs ExpandRegexMatch(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (in.size() != 2) {
    SIGNET_ASSIGN_OR_RETURN(std::string pattern, call.attributes.String("pattern"));
    return build.RegexFullMatch(in[0], {.pattern = pattern});
  }
  SIGNET_ASSIGN_OR_RETURN(auto pattern, KnownText(build, call, in, 1));
  if (pattern) return build.RegexFullMatch(in[0], {.pattern = *pattern});
  return build.CallOne(std::string_view("regex_full_match_computed"),
                       {in[0], AsScalar(build, in[1])});
}

// The texts of tensors in place of the placeholders of a template.
TfOutputs ExpandStringFormat(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string text, call.attributes.String("template"));
  SIGNET_ASSIGN_OR_RETURN(std::string placeholder, call.attributes.String("placeholder"));
  SIGNET_ASSIGN_OR_RETURN(int64_t edge_items, call.attributes.Int("summarize"));
  if (placeholder.empty()) return InvalidArgument("`placeholder`: expected a text, found none");
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t at; (at = text.find(placeholder, begin)) != text.npos;) {
    parts.push_back(text.substr(begin, at - begin));
    begin = at + placeholder.size();
  }
  parts.push_back(text.substr(begin));
  if (parts.size() != in.size() + 1) {
    return InvalidArgument("expected as many inputs as placeholders, found ", in.size(), " and ",
                           parts.size() - 1);
  }
  auto constant = [&](std::string_view part) {
    return build.Constant(Tensor::Strings({}, {&part, 1}));
  };
  Expr out = build.AsExpr(constant(parts[0]));
  for (size_t i = 0; i < in.size(); ++i) {
    const DType dtype = DTypeAt(in, i);
    if (IsComplex(dtype)) {
      return Unimplemented("input ", i, ": unsupported dtype `", NameOf(dtype), "`");
    }
    Operand x = IsFloat(dtype) ? Operand(AsWideFloat(build, in[i])) : Operand(in[i]);
    Expr written = build.CallOne(std::string_view("format_tensor"), {x},
                                 Attributes({{"edge_items", AttributeOf(edge_items)}}));
    out = build.StringConcat(out, written);
    if (!parts[i + 1].empty()) out = build.StringConcat(out, constant(parts[i + 1]));
  }
  return out;
}

TfOutputs ExpandTableFind(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.LookupValue(in[0], in[2], in[3], AsScalar(build, in[1]));
}

TfOutputs ExpandTableSize(OpBuilder& build, const OpCall&, TfInputs in) {
  auto found = build.Unique(in[0], {.sorted = false});
  SIGNET_RETURN_IF_ERROR(found.status());
  return DimSize(build, (*found)[0], 0);
}

}  // namespace

std::vector<OpDef> TfTextOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("StringToHashBucketFast", "Assigns strings to buckets", {"input"}, {{"num_buckets"}},
      ExpandHashBucket);
  add("StringToHashBucket", "Assigns strings to buckets", {"string_tensor"}, {{"num_buckets"}},
      ExpandHashBucket);
  add("StringToHashBucketStrong", "Assigns strings to buckets", {"input"},
      {{"num_buckets"}, {"key"}}, ExpandHashBucket);
  add("AsString", "Writes values as text", {"input"},
      {{"precision", AttributeOf(-1)},
       {"scientific", AttributeOf(false)},
       {"shortest", AttributeOf(false)},
       {"width", AttributeOf(-1)},
       {"fill", AttributeOf("")}},
      ExpandAsString);
  add("StringSplit", "Splits strings", {"input", "delimiter"}, {{"skip_empty", AttributeOf(true)}},
      ExpandStringSplit);
  add("StringSplitV2", "Splits strings", {"input", "sep"}, {{"maxsplit", AttributeOf(-1)}},
      ExpandStringSplit);
  add("StringJoin", "Joins strings element by element", {"inputs..."},
      {{"separator", AttributeOf("")}}, ExpandStringJoin);
  add("ReduceJoin", "Joins strings along axes", {"inputs", "reduction_indices"},
      {{"keep_dims", AttributeOf(false)}, {"separator", AttributeOf("")}}, ExpandReduceJoin);
  add("Substr", "Returns a part of each string", {"input", "pos", "len"},
      {{"unit", AttributeOf("BYTE")}}, ExpandSubstr);
  add("StringFormat", "Writes tensors into a text", {"inputs..."},
      {{"template", AttributeOf("%s")},
       {"placeholder", AttributeOf("%s")},
       {"summarize", AttributeOf(3)}},
      ExpandStringFormat);
  add("StringLength", "Returns the length of strings", {"input"}, {{"unit", AttributeOf("BYTE")}},
      ExpandStringLength);
  for (const char* name : {"StringLower", "StringUpper"}) {
    add(name, "Converts the case of letters", {"input"}, {{"encoding", AttributeOf("")}},
        ExpandStringCase);
  }
  add("StringStrip", "Removes white space at the ends", {"input"}, {}, ExpandStringStrip);
  add("StringToNumber", "Reads numbers from text", {"string_tensor"},
      {{"out_type", AttributeOf(DType::kFloat32)}}, ExpandStringToNumber);
  const AttributeDef global = {"replace_global", AttributeOf(true)};
  add("RegexReplace", "Replaces matches", {"input", "pattern", "rewrite"}, {global},
      ExpandRegexReplace);
  add("StaticRegexReplace", "Replaces matches", {"input"}, {{"pattern"}, {"rewrite"}, global},
      ExpandRegexReplace);
  add("RegexFullMatch", "Checks whether a pattern matches", {"input", "pattern"}, {},
      ExpandRegexMatch);
  add("StaticRegexFullMatch", "Checks whether a pattern matches", {"input"}, {{"pattern"}},
      ExpandRegexMatch);
  add("LookupTableFind", "Looks up keys in a table",
      {"keys", "default_value", "table_keys", "table_values"}, {}, ExpandTableFind);
  add("LookupTableSize", "Counts the keys of a table", {"table_keys", "table_values"}, {},
      ExpandTableSize);
  return ops;
}

}  // namespace signet
