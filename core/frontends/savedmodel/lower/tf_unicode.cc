// Operators on the characters and bytes of strings, and on n-grams.

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Checks that text has the only supported encoding, which ASCII is a part of.
Status CheckEncoding(const OpCall& call, const char* name) {
  SIGNET_ASSIGN_OR_RETURN(std::string encoding, call.attributes.String(name));
  if (encoding == "UTF-8" || encoding == "utf-8" || encoding == "UTF8" || encoding == "US-ASCII") {
    return absl::OkStatus();
  }
  return Unimplemented("unsupported `", name, "` `", Printable(encoding), "`; supported: UTF-8");
}

NamedTypes ErrorAttributes(const OpCall& call) {
  return {{"errors", call.attributes.Lookup("errors")},
          {"replacement", call.attributes.Lookup("replacement_char")}};
}

StatusOr<Values> DecodeText(OpBuilder& build, const OpCall& call, const Operand& x) {
  SIGNET_RETURN_IF_ERROR(CheckEncoding(call, "input_encoding"));
  NamedTypes attributes = ErrorAttributes(call);
  attributes.emplace_back("replace_control", call.attributes.Lookup("replace_control_characters"));
  return build.CallAll(std::string_view("text_code_points"), {build.Reshape(x, {.shape = {-1}})},
                       Attributes(std::move(attributes)));
}

TfOutputs ExpandUnicodeDecode(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType splits, TfDType(call, "Tsplits"));
  SIGNET_ASSIGN_OR_RETURN(Values found, DecodeText(build, call, in[0]));
  SIGNET_ASSIGN_OR_RETURN(found[0], CastTo(build, found[0], splits));
  if (call.op.name == "tf.UnicodeDecode") found.resize(2);
  return found;
}

TfOutputs ExpandUnicodeEncode(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_RETURN_IF_ERROR(CheckEncoding(call, "output_encoding"));
  return build.CallAll(std::string_view("text_from_code_points"), {in[0], in[1]},
                       Attributes(ErrorAttributes(call)));
}

TfOutputs ExpandUnicodeTranscode(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_RETURN_IF_ERROR(CheckEncoding(call, "output_encoding"));
  SIGNET_ASSIGN_OR_RETURN(Values found, DecodeText(build, call, in[0]));
  Expr texts = build.CallOne(std::string_view("text_from_code_points"), {found[1], found[0]});
  return ReshapeLike(build, texts, in[0]);
}

TfOutputs ExpandUnicodeScript(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.CallOne(std::string_view("unicode_script"), {in[0]});
}

TfOutputs ExpandStringNgrams(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string left, call.attributes.String("left_pad"));
  SIGNET_ASSIGN_OR_RETURN(std::string right, call.attributes.String("right_pad"));
  SIGNET_ASSIGN_OR_RETURN(int64_t padding, call.attributes.Int("pad_width"));
  SIGNET_ASSIGN_OR_RETURN(auto widths, call.attributes.Ints("ngram_widths"));
  SIGNET_ASSIGN_OR_RETURN(std::string separator, call.attributes.String("separator"));
  SIGNET_ASSIGN_OR_RETURN(bool keeps, call.attributes.Bool("preserve_short_sequences"));
  NamedTypes attributes = {{"widths", AttributeOf(std::span<const int64_t>(widths))},
                           {"separator", AttributeOf(separator)},
                           {"keep_short", AttributeOf(keeps)}};
  if (padding != 0) {
    const std::vector<std::string> pad = {left, right};
    attributes.emplace_back("pad", AttributeArgument(pad).value());
    if (padding > 0) attributes.emplace_back("padding_width", AttributeOf(padding));
  }
  SIGNET_ASSIGN_OR_RETURN(
      Values found, build.CallAll("ngram_rows", {in[0], in[1]}, Attributes(std::move(attributes))));
  SIGNET_ASSIGN_OR_RETURN(found[1], CastTo(build, found[1], DTypeAt(in, 1)));
  return found;
}

TfOutputs ExpandSegmentJoin(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string separator, call.attributes.String("separator"));
  Expr texts = build.Reshape(in[0], {.shape = {-1}});
  Expr ids = build.Reshape(AsInt64(build, in[1]), {.shape = {-1}});
  // Strings with ids below 0 are left out.
  Expr keep = build.GreaterEqual(ids, 0);
  auto order =
      build.GroupOrder(build.BooleanMask(ids, keep), AsScalar(build, AsInt64(build, in[2])));
  SIGNET_RETURN_IF_ERROR(order.status());
  Expr sorted = build.Gather(build.BooleanMask(texts, keep), (*order)[1], {.axis = 0});
  return build.JoinRowText(sorted, (*order)[0], {.separator = separator});
}

TfOutputs ExpandBase64(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (call.op.name == "tf.DecodeBase64")
    return build.CallOne(std::string_view("decode_base64"), {in[0]});
  return build.CallOne(std::string_view("encode_base64"), {in[0]},
                       Attributes({{"pad", call.attributes.Lookup("pad")}}));
}

// Interprets the bytes of strings as numbers.
TfOutputs ExpandDecodeRaw(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "out_type"));
  SIGNET_ASSIGN_OR_RETURN(bool little, call.attributes.Bool("little_endian"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const auto size = static_cast<int64_t>(SizeOf(dtype));
  NamedTypes attributes;
  if (in.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(auto length, FindInts(build, call, in, 1));
    if (length.size() != 1 || length[0] < 0 || length[0] % size != 0) {
      return InvalidArgument("`fixed_length`: expected a multiple of ", size);
    }
    attributes.emplace_back("length", AttributeOf(length[0]));
  }
  Expr bytes =
      build.CallOne(std::string_view("string_bytes"), {in[0]}, Attributes(std::move(attributes)));
  if (dtype == DType::kBool) return build.NotEqual(bytes, Zero(build, DType::kUInt8));
  if (dtype == DType::kUInt8) return bytes;
  if (size > 1) {
    Expr length = DimSize(build, bytes, rank);
    SIGNET_RETURN_IF_ERROR(
        CheckCondition(build, build.Equal(build.Mod(length, size), 0),
                       InvalidArgument("expected strings whose length is a multiple of ", size)));
    std::vector<Operand> dims;
    for (int axis = 0; axis < rank; ++axis) dims.push_back(DimSize(build, in[0], axis));
    dims.push_back(build.Floordiv(length, size));
    dims.push_back(Int64Constant(build, size));
    bytes = ReshapeTo(build, bytes, Operands(dims));
    if (!little) bytes = build.Reverse(bytes, {.axes = {rank + 1}});
  }
  return build.CallOne(std::string_view("tf.Bitcast"), {bytes},
                       Attributes({{"type", AttributeOf(dtype)}}));
}

TfOutputs ExpandFingerprint(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string method, FindText(build, call, in, 1));
  if (method != "farmhash64") {
    return InvalidArgument("`method`: expected farmhash64, found `", Printable(method), "`");
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (DTypeAt(in, 0) != DType::kString || rank != 1) {
    return Unimplemented("unsupported Fingerprint of `", in[0].spec,
                         "`; supported: a vector of strings");
  }
  return build.CallOne(std::string_view("tf.Bitcast"),
                       {build.CallOne(std::string_view("string_fingerprint"), {in[0]})},
                       Attributes({{"type", AttributeOf(DType::kUInt8)}}));
}

}  // namespace

std::vector<OpDef> TfUnicodeOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const AttributeDef errors = {"errors", AttributeOf("replace")};
  const AttributeDef replacement = {"replacement_char", AttributeOf(0xfffd)};
  const AttributeDef control = {"replace_control_characters", AttributeOf(false)};
  const AttributeDef splits = {"Tsplits", AttributeOf(DType::kInt64)};
  for (const char* name : {"UnicodeDecode", "UnicodeDecodeWithOffsets"}) {
    add(name, "Returns the characters of strings as numbers", {"input"},
        {{"input_encoding"}, errors, replacement, control, splits}, ExpandUnicodeDecode);
  }
  add("UnicodeEncode", "Creates strings from the numbers of characters",
      {"input_values", "input_splits"}, {errors, {"output_encoding"}, replacement},
      ExpandUnicodeEncode);
  add("UnicodeTranscode", "Replaces bytes that are not text", {"input"},
      {{"input_encoding"}, {"output_encoding"}, errors, replacement, control},
      ExpandUnicodeTranscode);
  add("UnicodeScript", "Returns the scripts of characters", {"input"}, {}, ExpandUnicodeScript);
  add("StringNGrams", "Joins neighboring strings in each row", {"data", "data_splits"},
      {{"separator"},
       {"ngram_widths"},
       {"left_pad"},
       {"right_pad"},
       {"pad_width"},
       {"preserve_short_sequences"}},
      ExpandStringNgrams);
  add("UnsortedSegmentJoin", "Joins the strings of groups",
      {"inputs", "segment_ids", "num_segments"}, {{"separator", AttributeOf("")}},
      ExpandSegmentJoin);
  add("EncodeBase64", "Encodes strings as base64", {"input"}, {{"pad", AttributeOf(false)}},
      ExpandBase64);
  add("DecodeBase64", "Decodes base64", {"input"}, {}, ExpandBase64);
  const std::vector<AttributeDef> raw = {{"out_type"}, {"little_endian", AttributeOf(true)}};
  add("DecodeRaw", "Interprets the bytes of strings as numbers", {"bytes"}, raw, ExpandDecodeRaw);
  add("DecodePaddedRaw", "Interprets the bytes of strings as numbers",
      {"input_bytes", "fixed_length"}, raw, ExpandDecodeRaw);
  add("Fingerprint", "Computes hashes of strings", {"data", "method"}, {}, ExpandFingerprint);
  return ops;
}

}  // namespace signet
