#include "core/function/signature.h"

#include <vector>

#include "core/function/plain_data.h"
#include "core/types/default_value.h"
#include "core/types/identifier.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// A default with more elements is written as `...`.
constexpr int64_t kMostDefaultElements = 16;

// Reads one signature, from the left.
class SignatureReader {
 public:
  SignatureReader(std::string_view text, const TypesByName* types) : in_(text, types) {}

  StatusOr<Signature> Read() && {
    if (!in_.Peek("(")) {
      SIGNET_ASSIGN_OR_RETURN(out_.name, in_.ReadName("a function's name or `(`"));
    }
    SIGNET_RETURN_IF_ERROR(in_.Expect("(", "before the parameters"));
    SIGNET_RETURN_IF_ERROR(ReadParameters());
    if (in_.Take("with")) SIGNET_RETURN_IF_ERROR(ReadCaptures());
    TypeSpec output;
    if (in_.Take("->")) {
      SIGNET_ASSIGN_OR_RETURN(output, in_.ReadType());
    }
    SIGNET_RETURN_IF_ERROR(in_.ExpectEnd());
    SIGNET_ASSIGN_OR_RETURN(out_.type, FunctionType::Make(std::move(parameters_),
                                                          std::move(captures_), std::move(output)));
    return std::move(out_);
  }

 private:
  Status ReadParameters() {
    bool is_first = true;
    bool after_bare_star = false;  // a keyword-only parameter must follow
    while (!in_.Take(")")) {
      if (!is_first) {
        SIGNET_RETURN_IF_ERROR(in_.Expect(",", "or `)`"));
        if (!after_bare_star && in_.Take(")")) break;
      }
      is_first = false;
      if (in_.Peek("/")) {
        SIGNET_RETURN_IF_ERROR(ReadSlash());
      } else if (in_.Take("**")) {
        if (after_bare_star) return in_.Unexpected("a keyword-only parameter after `*`");
        SIGNET_RETURN_IF_ERROR(ReadVariadic(ParameterKind::kVarKeyword));
      } else if (in_.Peek("*")) {
        if (kind_ == ParameterKind::kKeywordOnly)
          return in_.Unexpected("a parameter, because only one `*` is allowed");
        in_.Take("*");
        kind_ = ParameterKind::kKeywordOnly;
        after_bare_star = in_.Peek(",") || in_.Peek(")");
        if (in_.Peek(")")) return in_.Unexpected("a name or a keyword-only parameter");
        if (!after_bare_star) SIGNET_RETURN_IF_ERROR(ReadVariadic(ParameterKind::kVarPositional));
      } else {
        SIGNET_RETURN_IF_ERROR(ReadParameter());
        after_bare_star = false;
      }
    }
    return absl::OkStatus();
  }

  // Reads `/`: all parameters so far are positional-only.
  Status ReadSlash() {
    bool fits = !parameters_.empty() && kind_ == ParameterKind::kPositionalOrKeyword &&
                parameters_.front().kind == ParameterKind::kPositionalOrKeyword;
    if (!fits) return in_.Unexpected("a parameter");
    in_.Take("/");
    for (Parameter& parameter : parameters_) parameter.kind = ParameterKind::kPositionalOnly;
    return absl::OkStatus();
  }

  Status ReadVariadic(ParameterKind kind) {
    Parameter parameter;
    SIGNET_ASSIGN_OR_RETURN(parameter.name, in_.ReadName("a parameter's name"));
    parameter.kind = kind;
    return AddTyped(std::move(parameter));
  }

  Status ReadParameter() {
    Parameter parameter;
    SIGNET_ASSIGN_OR_RETURN(parameter.name, in_.ReadName("a parameter"));
    parameter.kind = kind_;
    return AddTyped(std::move(parameter));
  }

  // Reads the type and the default if they are given. FunctionType::Make rejects them for variadic
  // parameters.
  Status AddTyped(Parameter parameter) {
    if (in_.Take(":")) {
      std::vector<std::string> names;
      SIGNET_ASSIGN_OR_RETURN(parameter.type, in_.ReadType(names));
      if (!names.empty()) {
        if (!parameter.type.is(TypeKind::kTensor) || IsVariadic(parameter.kind)) {
          return in_.Unexpected("a tensor of one parameter, because dimensions have names");
        }
        out_.dimension_names[parameter.name] = std::move(names);
      }
    }
    if (in_.Take("=")) {
      parameter.optional = true;
      if (!in_.Take("...")) {
        auto value = ReadPlainData(in_, parameter.type, parameter.name);
        if (!value.ok()) {
          return At(Cat("default of `", Printable(parameter.name), "`"), value.status());
        }
        out_.defaults.insert_or_assign(parameter.name, *std::move(value));
      }
    }
    parameters_.push_back(std::move(parameter));
    return absl::OkStatus();
  }

  Status ReadCaptures() {
    SIGNET_RETURN_IF_ERROR(in_.Expect("(", "before the captures"));
    while (!in_.Take(")")) {
      if (!captures_.empty()) {
        SIGNET_RETURN_IF_ERROR(in_.Expect(",", "or `)`"));
        if (in_.Take(")")) break;
      }
      Capture capture;
      SIGNET_ASSIGN_OR_RETURN(capture.name, in_.ReadName("a capture"));
      SIGNET_RETURN_IF_ERROR(in_.Expect(":", "after a capture's name"));
      SIGNET_ASSIGN_OR_RETURN(capture.type, in_.ReadType());
      captures_.push_back(std::move(capture));
    }
    return absl::OkStatus();
  }

  NotationReader in_;
  ParameterKind kind_ = ParameterKind::kPositionalOrKeyword;  // of the next plain parameter
  std::vector<Parameter> parameters_;
  std::vector<Capture> captures_;
  Signature out_;
};

// Writes a separator between items.
class Separated {
 public:
  explicit Separated(std::string& out) : out_(out) {}
  std::string& Next() {
    if (!is_first_) out_.append(", ");
    is_first_ = false;
    return out_;
  }

 private:
  std::string& out_;
  bool is_first_ = true;
};

void AppendType(std::string& out, const TypeSpec& type, const std::vector<std::string>* names) {
  if (names == nullptr || names->size() != static_cast<size_t>(type.shape()->rank())) {
    out.append(type.ToString());
    return;
  }
  const TypeSpec& default_value = type.rep().notes().default_value;
  if (default_value) out.push_back('(');
  out.append(NameOf(type.As<TensorSpec>()->dtype())).push_back('[');
  Separated dims(out);
  for (size_t i = 0; i < names->size(); ++i) {
    const int64_t size = type.shape()->dim(static_cast<int>(i));
    const std::string& name = (*names)[i];
    dims.Next().append(!name.empty() ? name : size == kUnknownDim ? "?" : Cat(size));
  }
  out.push_back(']');
  if (!default_value) return;
  AppendDefaultValue(default_value, out);
  out.push_back(')');
}

// Appends the name in the form that ParseSignature reads: quoted unless it is an identifier.
void AppendName(std::string& out, std::string_view name) {
  out.append(IsIdentifier(name) ? std::string(name) : Quote(name));
}

void AppendParameter(std::string& out, const Parameter& parameter, const Defaults& defaults,
                     const DimensionNames& dimension_names) {
  if (parameter.kind == ParameterKind::kVarPositional) out.push_back('*');
  if (parameter.kind == ParameterKind::kVarKeyword) out.append("**");
  AppendName(out, parameter.name);
  if (parameter.type) {
    auto names = dimension_names.find(parameter.name);
    AppendType(out.append(": "), parameter.type,
               names == dimension_names.end() ? nullptr : &names->second);
  }
  if (!parameter.optional) return;
  std::string text;
  auto found = defaults.find(parameter.name);
  if (found != defaults.end()) {
    text = FormatPlainData(found->second, parameter.type, kMostDefaultElements);
  }
  out.append(" = ").append(text.empty() ? "..." : text);
}

}  // namespace

StatusOr<Signature> ParseSignature(std::string_view text, const TypesByName* types) {
  return SignatureReader(text, types).Read();
}

std::string FormatSignature(std::string_view name, const FunctionType& type,
                            const Defaults& defaults, const DimensionNames& dimension_names) {
  std::string out;
  if (!name.empty()) AppendName(out, name);
  out.push_back('(');
  Separated separated(out);
  auto previous = ParameterKind::kPositionalOrKeyword;
  for (const Parameter& parameter : type.parameters()) {
    bool ends_positional_only = previous == ParameterKind::kPositionalOnly &&
                                parameter.kind != ParameterKind::kPositionalOnly;
    if (ends_positional_only) separated.Next().push_back('/');
    bool begins_keyword_only =
        parameter.kind == ParameterKind::kKeywordOnly && previous < ParameterKind::kVarPositional;
    if (begins_keyword_only) separated.Next().push_back('*');
    AppendParameter(separated.Next(), parameter, defaults, dimension_names);
    previous = parameter.kind;
  }
  if (previous == ParameterKind::kPositionalOnly) separated.Next().push_back('/');
  out.push_back(')');
  if (!type.captures().empty()) {
    out.append(" with (");
    Separated captures(out);
    for (const Capture& capture : type.captures()) {
      AppendName(captures.Next(), capture.name);
      out.append(": ").append(capture.type.ToString());
    }
    out.push_back(')');
  }
  if (type.output()) out.append(" -> ").append(type.output().ToString());
  return out;
}

std::string FunctionType::ToString() const { return FormatSignature("", *this, {}); }

}  // namespace signet
