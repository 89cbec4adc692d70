#include "core/serving/tensorflow/predict_json.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/strings/ascii.h>

#include "core/formats/json/json.h"
#include "core/formats/json/json_tokens.h"
#include "core/formats/tensorflow/proto_pieces.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/serving/flat/flat_signature.h"
#include "core/serving/tensorflow/body_members.h"
#include "core/serving/tensorflow/named_arguments.h"
#include "core/serving/tensorflow/signatures.h"
#include "signet/record_spec.h"
#include "signet/tensor_spec.h"

namespace signet::tf {
namespace {

// The parameters of a function that a request can name.
class Inputs {
 public:
  explicit Inputs(const CalledFunction& called) : called_(called) {
    const Parameter* required = nullptr;
    int num_required = 0;
    int count = 0;
    for (const Parameter& parameter : type().parameters()) {
      if (parameter.kind == ParameterKind::kVarKeyword) has_kwargs_ = true;
      if (IsVariadic(parameter.kind)) continue;
      ++count;
      if (count == 1) only_ = &parameter;
      if (!parameter.optional) {
        ++num_required;
        required = &parameter;
      }
    }
    has_optional_ = count > num_required;
    if (count > 1) only_ = num_required == 1 ? required : nullptr;
  }

  const FunctionType& type() const { return called_.function->def().type; }
  // The parameter that receives values without a name, or null.
  const Parameter* only() const { return only_; }
  // Returns true if the only input may be an object.
  bool TakesRecords() const {
    if (only_ == nullptr) return false;
    return !only_->type ||
           !(only_->type.is(TypeKind::kTensor) || only_->type.is(TypeKind::kRagged));
  }
  // Returns the name of the parameter that the input `key` is, or nothing.
  std::optional<std::string> NameOf(std::string_view key) const {
    const Parameter* parameter = LookupInput(called_.function->def(), key);
    if (parameter != nullptr) return parameter->name;
    if (has_kwargs_) return std::string(key);
    return std::nullopt;
  }
  std::string KeyOf(const Parameter& parameter) const {
    return SourceNameOf(called_.function->def(), parameter);
  }
  // Returns the first required parameter that `is_given(name)` does not accept, or null.
  template <class IsGiven>
  const Parameter* LookupMissing(IsGiven is_given) const {
    for (const Parameter& parameter : type().parameters()) {
      if (parameter.optional || IsVariadic(parameter.kind)) continue;
      if (!is_given(parameter.name)) return &parameter;
    }
    return nullptr;
  }
  // Returns true if an input may be left out, so that a misspelled name of it would not be noticed.
  bool has_optional() const { return has_optional_; }
  Status NoSuchInput(std::string_view key) const {
    return InvalidArgument("JSON object: does not have named input: ", Printable(key),
                           "; signature: ", called_.function->signature());
  }
  std::string signature() const { return called_.function->signature(); }
  // Adds the name of the argument to an error of its value.
  Status InArgument(const std::string& name, Status status) const {
    return WithField(name, At(Cat(called_.path(), ": argument `", name, "`"), std::move(status)));
  }
  Status NoOnlyInput(std::string_view what, std::string_view expected) const {
    return InvalidArgument(
        what, ", but expecting ", expected,
        " as multiple input tensors required; signature: ", called_.function->signature());
  }

 private:
  const CalledFunction& called_;
  const Parameter* only_ = nullptr;
  bool has_kwargs_ = false;
  bool has_optional_ = false;
};

// Splits `instances` or `inputs` into one text per input.
class InputSplitter {
 public:
  InputSplitter(const Buffer& text, JsonTokens tokens, const Inputs& inputs, const Limits& limits)
      : text_(text), tokens_(tokens), inputs_(inputs), limits_(limits) {}

  using Texts = std::vector<std::pair<std::string, Buffer>>;

  StatusOr<Texts> SplitRows() {
    if (tokens_.Peek() != '[') return InvalidArgument("Expecting 'instances' to be an list/array");
    JsonTokens first = tokens_;
    first.Pass();
    if (first.Peek() == ']') return InvalidArgument("No values in 'instances' array");
    if (!IsObject(first)) {
      if (inputs_.only() == nullptr) {
        return inputs_.NoOnlyInput("instances is a plain list", "list of objects");
      }
      return Whole();
    }
    if (IsRecord(first)) return Whole();
    return Transpose();
  }

  StatusOr<Texts> SplitInputs() {
    if (!IsObject(tokens_)) {
      if (inputs_.only() == nullptr) {
        return inputs_.NoOnlyInput("inputs is a plain value/list", "an object");
      }
      return Whole();
    }
    if (IsRecord(tokens_)) return Whole();
    Texts out;
    auto on_member = [&](const std::string& key, const JsonTokens& value, size_t end) -> Status {
      auto name = inputs_.NameOf(key);
      if (!name && !inputs_.has_optional()) return absl::OkStatus();
      if (!name) return inputs_.NoSuchInput(key);
      if (out.size() == static_cast<size_t>(limits_.names)) return TooManyNames();
      out.emplace_back(*std::move(name), text_.Slice(value.at(), end - value.at()));
      return absl::OkStatus();
    };
    SIGNET_RETURN_IF_ERROR(ForEachMember(on_member));
    const Parameter* missing = inputs_.LookupMissing([&](std::string_view name) {
      return std::any_of(out.begin(), out.end(),
                         [&](const auto& item) { return item.first == name; });
    });
    if (missing == nullptr) return out;
    return InvalidWithReason("MISSING_REQUIRED",
                             "Missing named input: ", Printable(inputs_.KeyOf(*missing)),
                             " in 'inputs' object; signature: ", inputs_.signature());
  }

 private:
  // One input of several rows.
  struct Column {
    std::string key;
    std::string name;
    std::string text;
    int64_t rows = 0;
  };

  StatusOr<Texts> Whole() const {
    const std::string& name = inputs_.only()->name;
    return Texts{{name, text_}};
  }

  static bool IsObject(const JsonTokens& tokens) {
    return tokens.Peek() == '{' && !IsBase64Object(tokens);
  }

  // Returns true if an object is an argument of the only input, and not an object of inputs.
  bool IsRecord(JsonTokens tokens) const {
    if (!inputs_.TakesRecords()) return false;
    tokens.Pass();
    std::string memory;
    while (tokens.Peek() == '"') {
      auto key = TakeKey(tokens, memory);
      if (!key || !inputs_.NameOf(*key)) return true;
      if (!tokens.Skip() || !tokens.Take(',')) return false;
    }
    return true;  // without keys
  }

  static std::optional<std::string_view> TakeKey(JsonTokens& tokens, std::string& memory) {
    std::string_view key = tokens.TakeText();
    if (JsonTokens::HasEscape(key)) {
      if (!tokens.Unescape(key, memory)) return std::nullopt;
      key = memory;
    }
    if (!tokens.Take(':')) return std::nullopt;
    return key;
  }

  // Calls `on_member(key, value, end)` for each member of the next object. The first token of
  // `value` begins the value, and `end` is the place after it.
  template <class OnMember>
  Status ForEachMember(OnMember on_member) {
    if (!tokens_.Take('{')) return Malformed();
    if (tokens_.Take('}')) return absl::OkStatus();
    std::string memory;
    do {
      if (tokens_.Peek() != '"') return Malformed();
      auto key = TakeKey(tokens_, memory);
      if (!key) return Malformed();
      const JsonTokens value = tokens_;
      if (!tokens_.SkipValid(limits_.nesting_depth)) return Malformed();
      SIGNET_RETURN_IF_ERROR(on_member(std::string(*key), value, tokens_.at()));
    } while (tokens_.Take(','));
    return tokens_.Take('}') ? absl::OkStatus() : Malformed();
  }

  StatusOr<Texts> Transpose() {
    tokens_.Take('[');
    std::vector<Column> columns;
    absl::flat_hash_map<std::string, size_t> places;
    int64_t row = 0;
    do {
      if (!IsObject(tokens_)) {
        return InvalidArgument("Expecting object but got list at item ", row, " of input list");
      }
      size_t count = 0;
      Status status =
          ForEachMember([&](const std::string& key, const JsonTokens& value, size_t end) -> Status {
            ++count;
            auto place = places.find(key);
            if (place == places.end()) {
              auto name = inputs_.NameOf(key);
              if (!name) return inputs_.NoSuchInput(key);
              if (row > 0) return OtherKeys(columns);
              if (columns.size() == static_cast<size_t>(limits_.names)) return TooManyNames();
              place = places.emplace(key, columns.size()).first;
              columns.push_back({.key = key, .name = *name, .text = {}});
            }
            Column& column = columns[place->second];
            if (column.rows > row) return InvalidArgument("duplicate key `", Printable(key), "`");
            column.text += column.rows == 0 ? '[' : ',';
            column.text += text_.text().substr(value.at(), end - value.at());
            ++column.rows;
            return absl::OkStatus();
          });
      if (status.ok() && (count != columns.size() || (row == 0 && IsIncomplete(columns)))) {
        status = OtherKeys(columns);
      }
      if (!status.ok()) {
        return At(Cat("Failed to process element: ", row, " of 'instances' list"),
                  std::move(status));
      }
      ++row;
    } while (tokens_.Take(','));
    if (!tokens_.Take(']')) return Malformed();
    Texts out;
    for (Column& column : columns) {
      column.text += ']';
      out.emplace_back(std::move(column.name), BufferOf(std::move(column.text)));
    }
    return out;
  }

  bool IsIncomplete(const std::vector<Column>& columns) const {
    return inputs_.LookupMissing([&](std::string_view name) { return HasName(columns, name); }) !=
           nullptr;
  }

  static bool HasName(const std::vector<Column>& columns, std::string_view name) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const Column& column) { return column.name == name; });
  }

  // The error lists the keys of the first row and the required inputs.
  Status OtherKeys(const std::vector<Column>& columns) const {
    std::vector<std::string> keys;
    for (const Column& column : columns) keys.push_back(Printable(column.key));
    for (const Parameter& parameter : inputs_.type().parameters()) {
      if (parameter.optional || IsVariadic(parameter.kind)) continue;
      if (!HasName(columns, parameter.name)) keys.push_back(Printable(inputs_.KeyOf(parameter)));
    }
    std::sort(keys.begin(), keys.end());
    return InvalidWithReason("MISSING_REQUIRED",
                             "JSON object: keys must be equal to: ", Join(keys, ","),
                             "; signature: ", inputs_.signature());
  }

  Status TooManyNames() const {
    return ResourceExhausted("expected at most ", limits_.names, " inputs (--max_names)");
  }

  Status Malformed() const {
    return InvalidArgument("JSON Parse error: byte ", tokens_.at(),
                           " of the values: expected JSON ", "with at most ", limits_.nesting_depth,
                           " nested lists and objects (--max_nesting_depth)");
  }

  const Buffer& text_;
  JsonTokens tokens_;
  const Inputs& inputs_;
  const Limits& limits_;
};

}  // namespace

StatusOr<PredictBody> PredictBody::Make(const BodyMembers& body) {
  PredictBody out;
  const Buffer* instances = body.Lookup("instances");
  const Buffer* inputs = body.Lookup("inputs");
  if (instances != nullptr && inputs != nullptr) {
    return InvalidArgument(
        "Not formatted correctly expecting only one of 'inputs' or 'instances' keys to exist");
  }
  if (instances == nullptr && inputs == nullptr) {
    return InvalidArgument("Missing 'inputs' or 'instances' key");
  }
  out.has_rows_ = instances != nullptr;
  out.values_ = out.has_rows_ ? *instances : *inputs;
  return out;
}

Status PredictBody::AddArguments(const CalledFunction& called, const Limits& limits,
                                 CallRequest& call, ColumnShapes& shapes) const {
  const Inputs inputs(called);
  SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(values_.text()));
  InputSplitter splitter(values_, json.tokens(), inputs, limits);
  SIGNET_ASSIGN_OR_RETURN(auto texts, has_rows_ ? splitter.SplitRows() : splitter.SplitInputs());
  NamedArguments arguments;
  for (auto& [name, text] : texts) {
    const Parameter* parameter = inputs.type().LookupParameter(name);
    if (parameter == nullptr || !ColumnShapes::IsColumn(parameter->type)) {
      arguments.AddJson(name, std::move(text));
      continue;
    }
    // Values of any shape; null is the default of missing values, as the notes of the type state.
    const DType dtype = parameter->type.As<TensorSpec>()->dtype();
    const TypeSpec type =
        TensorType(dtype, PartialShape()).rep().WithNotes({}, parameter->type.rep().notes());
    auto value = ValueFromJson(text.text(), type, limits);
    if (!value.ok()) return inputs.InArgument(name, value.status());
    arguments.Add(name, shapes.Fit(value->tensor(), parameter->type));
  }
  return arguments.MoveTo(inputs.type(), limits, call);
}

Status TranslateValueError(const CalledFunction& called, const Status& status) {
  const std::string field = FieldOf(status);
  const Parameter* parameter = called.function->def().type.LookupParameter(
      std::string_view(field).substr(0, field.find_first_of(".[")));
  const auto* tensor = parameter != nullptr && parameter->type
                           ? ArgumentType(parameter->type).As<TensorSpec>()
                           : nullptr;
  if (tensor == nullptr) return status;
  const std::string type = absl::AsciiStrToLower(DataType_Name(DataTypeOf(tensor->dtype())));
  const std::string_view name = std::string_view(type).substr(std::string_view("dt_").size());
  const std::string reason = ReasonOf(status);
  const std::string_view message = MessageOf(status);
  auto with_sentence = [&](const auto&... sentence) {
    return WithField(
        field, WithReason(reason, MakeStatus(status.code(), Cat(message, "; ", sentence...))));
  };
  if (message.find("found an object") != message.npos) {
    return tensor->dtype() == DType::kString
               ? with_sentence("Expecting value/list but got object that is ",
                               "not formatted correctly for base64 data")
               : with_sentence("Expecting value/list but got object, which is ",
                               "not of expected type: ", name);
  }
  if (message.find("expected base64 text") != message.npos) {
    return with_sentence("Unable to base64 decode");
  }
  if (reason == "DTYPE_MISMATCH" || message.find("found null") != message.npos) {
    return with_sentence("the JSON value is not of expected type: ", name);
  }
  if (reason == "OUT_OF_RANGE") {
    return IsFloat(tensor->dtype())
               ? with_sentence("cannot convert it to ", name, " without loss of precision")
               : with_sentence("the JSON value is not of expected type: ", name);
  }
  if (reason == "NOT_RECTANGULAR") {
    return with_sentence("Expecting tensor size of all values to be equal");
  }
  if (reason == "SHAPE_MISMATCH" || reason == "NOT_CONVERTIBLE") {
    return with_sentence("Expecting shape of all values to be equal");
  }
  return status;
}

namespace {

// Adds the sentence that clients compare to the error of outputs that have no common rows.
Status WithRowsSentence(const Value& outputs, const Status& status) {
  const auto* dict = outputs.spec().As<DictSpec>();
  const std::vector<Value> children = dict != nullptr ? ChildrenOf(outputs) : std::vector{outputs};
  std::optional<int64_t> rows;
  for (size_t i = 0; i < children.size(); ++i) {
    if (!children[i].spec().is(TypeKind::kTensor)) continue;
    const std::string name = dict != nullptr ? Printable(dict->keys()[i]) : "output";
    const Shape& shape = children[i].tensor().shape();
    if (shape.rank() == 0) {
      return InvalidArgument(MessageOf(status), "; Tensor name: ", name,
                             " has no shape information");
    }
    if (rows.value_or(shape.dim(0)) != shape.dim(0)) {
      return InvalidArgument(MessageOf(status), "; Tensor name: ", name,
                             " has inconsistent batch size: ", shape.dim(0), " expecting: ", *rows);
    }
    rows = shape.dim(0);
  }
  return status;
}

}  // namespace

StatusOr<std::string> PredictionsToJson(const Value& outputs, bool has_rows, const Limits& limits) {
  const auto* dict = outputs.spec().As<DictSpec>();
  const bool is_one = dict != nullptr && dict->keys().size() == 1;
  const JsonOptions options{.rows = has_rows,
                            .bare_words = true,
                            .base64_suffix = "_bytes",
                            .name = is_one ? std::string_view(dict->keys()[0]) : ""};
  auto text = JsonFromValue(is_one ? ChildrenOf(outputs)[0] : outputs, limits, options);
  if (!text.ok() && !has_rows) return At("the result as `outputs`", text.status());
  if (!text.ok()) {
    return At("the result as a list of `predictions`", WithRowsSentence(outputs, text.status()));
  }
  return Cat("{\"", has_rows ? "predictions" : "outputs", "\": ", *text, "}\n");
}

}  // namespace signet::tf
