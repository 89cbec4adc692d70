#include "core/serving/flat/flat_arguments.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/base/checked_math.h"
#include "core/formats/json/json.h"
#include "core/function/cast.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// A tensor that a client sent for a part of a parameter.
struct Piece {
  std::string_view component;  // `values`, `[0].x`; empty for the parameter itself
  const NamedTensor* tensor = nullptr;
};
using Pieces = absl::InlinedVector<Piece, 1>;

// --- which parameter a tensor belongs to ---------------------------------------------------------

class ParameterNames {
 public:
  explicit ParameterNames(const FunctionDef& def) : def_(def) {
    const auto& parameters = def.type.parameters();
    if (parameters.size() <= kFew) return;
    for (size_t i = 0; i < parameters.size(); ++i) {
      index_.emplace(parameters[i].name, i);
      index_.emplace(SourceNameOf(def, parameters[i]), i);
    }
  }

  std::optional<size_t> Lookup(std::string_view name) const {
    const auto& parameters = def_.type.parameters();
    auto is_named = [&](size_t i) {
      return !IsVariadic(parameters[i].kind) &&
             (parameters[i].name == name || SourceNameOf(def_, parameters[i]) == name);
    };
    if (!index_.empty()) {
      auto found = index_.find(name);
      if (found == index_.end() || !is_named(found->second)) return std::nullopt;
      return found->second;
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (is_named(i)) return i;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kFew = 8;

  const FunctionDef& def_;
  absl::flat_hash_map<std::string_view, size_t> index_;  // empty for few parameters
};

std::string ExpectedInputs(const FunctionDef& def) {
  std::vector<std::string> names;
  for (const Parameter& parameter : def.type.parameters()) {
    if (!IsVariadic(parameter.kind)) names.push_back(SourceNameOf(def, parameter));
  }
  return ListNames(std::move(names));
}

std::string Quoted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += Cat(out.empty() ? "'" : ",'", Printable(name), "'");
  return out;
}

// Checks that each parameter without a default value has an argument. Clients compare the sentence.
Status CheckRequired(const FunctionDef& def, std::string_view model,
                     const std::vector<NamedTensor>& tensors, std::span<const Pieces> pieces) {
  const auto& parameters = def.type.parameters();
  std::vector<std::string> missing;
  std::string_view first;
  size_t num_required = 0;
  size_t num_inputs = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (IsVariadic(parameters[i].kind)) continue;
    ++num_inputs;
    if (parameters[i].optional) continue;
    ++num_required;
    if (!pieces[i].empty()) continue;
    if (missing.empty()) first = parameters[i].name;
    missing.push_back(SourceNameOf(def, parameters[i]));
  }
  if (missing.empty()) return absl::OkStatus();
  std::vector<std::string> given;
  for (const NamedTensor& tensor : tensors) given.push_back(tensor.name);
  const std::string expected =
      num_inputs == num_required
          ? Cat("expected ", num_required, " inputs")
          : Cat("expected number of inputs between ", num_required, " and ", num_inputs);
  return WithField(
      first, InvalidWithReason("MISSING_REQUIRED", expected, " but got ", given.size(),
                               " inputs for model '", Printable(model), "'. Got input(s) [",
                               Quoted(given), "], but missing required input(s) [", Quoted(missing),
                               "]. Please provide all required input(s)."));
}

// --- tensors -------------------------------------------------------------------------------------

bool IsRowNumber(std::string_view component) {
  const std::string_view last = component.substr(component.rfind('.') + 1);
  return last == "nrows" || last == "indices" || last == "dense_shape" ||
         last.starts_with("row_splits");
}

StatusOr<Tensor> WidenInt32(const Tensor& tensor) {
  SIGNET_ASSIGN_OR_RETURN(Tensor wide, Tensor::Allocate(DType::kInt64, tensor.shape()));
  std::copy_n(tensor.elements<int32_t>().data(), tensor.num_elements(),
              wide.mutable_elements<int64_t>());
  return wide;
}

// Returns `tensor` in the form that `wanted` requires, as rules 3 to 5 say. Other differences are
// errors of the cast.
StatusOr<Tensor> FitTensor(const Tensor& tensor, const TypeSpec& wanted,
                           std::string_view component) {
  const auto& spec = *wanted.As<TensorSpec>();
  const bool is_complex =
      (spec.dtype() == DType::kComplex64 && tensor.dtype() == DType::kFloat32) ||
      (spec.dtype() == DType::kComplex128 && tensor.dtype() == DType::kFloat64);
  if (is_complex && tensor.rank() > 0 && tensor.shape().dim(tensor.rank() - 1) == 2) {
    auto dims = tensor.shape().dims();
    return FitTensor(
        Tensor::Trusted(spec.dtype(), Shape(dims.first(dims.size() - 1)), tensor.data()), wanted,
        component);
  }
  if (spec.dtype() == DType::kInt64 && tensor.dtype() == DType::kInt32 && IsRowNumber(component)) {
    SIGNET_ASSIGN_OR_RETURN(Tensor wide, WidenInt32(tensor));
    return FitTensor(wide, wanted, component);
  }
  const bool is_scalar = spec.shape().has_rank() && spec.shape().rank() == 0;
  if (is_scalar && tensor.rank() == 1 && tensor.num_elements() == 1) {
    return tensor.Reshaped(Shape{});
  }
  return tensor;
}

Literal LiteralOfScalar(const Tensor& tensor) {
  switch (InfoOf(tensor.dtype()).family) {
    case DTypeClass::kBool:
      return Literal::Bool(tensor.elements<bool>()[0]);
    case DTypeClass::kString:
      return Literal::String(std::string(tensor.string_at(0)));
    case DTypeClass::kSignedInteger:
    case DTypeClass::kUnsignedInteger:
      return VisitDType(tensor.dtype(), [&](auto tag) -> Literal {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          return Literal::Int(absl::int128(tensor.elements<T>()[0]));
        }
        return {};
      });
    case DTypeClass::kFloat:
      return VisitDType(tensor.dtype(), [&](auto tag) -> Literal {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_floating_point_v<T>) {
          return Literal::Float(static_cast<double>(tensor.elements<T>()[0]));
        } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
          return Literal::Float(ToFloat(tensor.elements<T>()[0]));
        }
        return {};
      });
    case DTypeClass::kComplex:
      return {};
  }
  __builtin_unreachable();
}

// Returns the argument for a parameter that accepts any type, or a literal.
Value ScalarOrTensor(const Tensor& tensor, const Literal* default_value) {
  const bool is_scalar = tensor.num_elements() == 1 && tensor.rank() <= 1;
  if (default_value == nullptr || !is_scalar || IsComplex(tensor.dtype())) return tensor;
  Literal literal = LiteralOfScalar(tensor);
  // A whole number for a parameter whose default is a float is a float, as in Python.
  if (default_value->is(Literal::Kind::kFloat) && literal.is(Literal::Kind::kInt)) {
    literal = Literal::Float(static_cast<double>(literal.int_value()));
  }
  return Value::OfLiteral(std::move(literal));
}

// --- JSON ----------------------------------------------------------------------------------------

char FirstByteOf(std::string_view json) {
  const size_t at = json.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? '\0' : json[at];
}

bool HasRows(const TypeSpec& type) {
  const PartialShape* shape = type ? type.shape() : nullptr;
  return shape != nullptr && (!shape->has_rank() || shape->rank() > 0);
}

// Returns the JSON of the whole argument, as rule 2 says.
StatusOr<Buffer> JoinJson(const Tensor& tensor, const TypeSpec& type) {
  const int64_t n = tensor.num_elements();
  const bool is_whole_list =
      n == 1 && type.is(TypeKind::kStructured) && FirstByteOf(tensor.string_at(0)) == '[';
  if (tensor.rank() == 0 || is_whole_list || (n == 1 && !HasRows(type))) {
    auto span = tensor.offsets();
    return tensor.bytes().Slice(static_cast<size_t>(span[0]),
                                static_cast<size_t>(span[1] - span[0]));
  }
  if (tensor.rank() != 1 || !HasRows(type)) {
    return InvalidArgument("expected the JSON of ",
                           HasRows(type) ? "one row per element" : "the argument in one element",
                           ", found a string tensor of shape ", tensor.shape().ToString());
  }
  const size_t size = tensor.bytes().size() + static_cast<size_t>(n) + 2;
  SIGNET_ASSIGN_OR_RETURN(Buffer out, Buffer::Allocate(size));
  char* at = reinterpret_cast<char*>(out.mutable_data());
  const char* const begin = at;
  *at++ = '[';
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) *at++ = ',';
    const std::string_view row = tensor.string_at(i);
    at = std::copy(row.begin(), row.end(), at);
  }
  *at++ = ']';
  return out.Slice(0, static_cast<size_t>(at - begin));
}

// --- arguments -----------------------------------------------------------------------------------

// An argument: a value, or JSON that is decoded later.
struct FlatArgument {
  Value value = {};
  std::optional<Buffer> json = {};
};

bool IsJson(const NamedTensor& given, const TypeSpec& type) {
  if (!given.tensor.is_string()) return false;
  if (given.is_json) return true;
  if (!type || type.is(TypeKind::kTensor) || type.is(TypeKind::kLiteral)) return false;
  const auto* ragged = type.As<RaggedSpec>();
  const bool is_dense = ragged != nullptr && ragged->dtype() == DType::kString &&
                        ragged->shape().has_rank() && ragged->shape().rank() > 1 &&
                        given.tensor.rank() == ragged->shape().rank();
  return !is_dense;
}

const Tensor* FindPiece(const Pieces& pieces, std::string_view component) {
  for (const Piece& piece : pieces) {
    if (piece.component == component) return &piece.tensor->tensor;
  }
  return nullptr;
}

// Builds a ragged or sparse value for a parameter that accepts any type.
StatusOr<Value> ValueOfAnyType(const Pieces& pieces) {
  const Tensor* values = FindPiece(pieces, "values");
  const Tensor* indices = FindPiece(pieces, "indices");
  if (values != nullptr && indices != nullptr && pieces.size() == 3) {
    const Tensor* dense_shape = FindPiece(pieces, "dense_shape");
    if (dense_shape == nullptr) return InvalidArgument("missing component `dense_shape`");
    SIGNET_ASSIGN_OR_RETURN(
        Tensor sizes,
        FitTensor(*dense_shape, TensorType(DType::kInt64, {kUnknownDim}), "dense_shape"));
    SIGNET_ASSIGN_OR_RETURN(
        Tensor places,
        FitTensor(*indices, TensorType(DType::kInt64, {kUnknownDim, kUnknownDim}), "indices"));
    if (sizes.rank() != 1) return InvalidArgument("`dense_shape`: expected a vector");
    const auto rank = static_cast<int>(std::min<int64_t>(sizes.num_elements(), 255));
    return MakeValue(SparseType(values->dtype(), PartialShape::OfRank(rank)),
                     {std::move(places), *values, std::move(sizes)});
  }
  if (values == nullptr || pieces.size() < 2) {
    return InvalidArgument(
        "expected one tensor, or the components of a ragged tensor (`values`, `row_splits_0`) or "
        "of "
        "a sparse one (`indices`, `values`, `dense_shape`)");
  }
  Components components = {*values};
  const size_t ragged_rank = pieces.size() - 1;
  for (size_t i = 0; i < ragged_rank; ++i) {
    const std::string name = Cat("row_splits_", i);
    const Tensor* splits = FindPiece(pieces, name);
    if (splits == nullptr) return InvalidArgument("missing component `", name, "`");
    SIGNET_ASSIGN_OR_RETURN(Tensor wide,
                            FitTensor(*splits, TensorType(DType::kInt64, {kUnknownDim}), name));
    components.push_back(std::move(wide));
  }
  const int rank = static_cast<int>(ragged_rank) + values->rank();
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, MakeRaggedType(values->dtype(), PartialShape::OfRank(rank),
                                                        static_cast<int>(ragged_rank)));
  return MakeValue(std::move(type), std::move(components));
}

// Returns `nrows` of a structure whose other components are given.
std::optional<Tensor> InferRowCount(const Pieces& pieces, std::string_view path,
                                    const std::vector<ComponentSpec>& components) {
  const std::string_view parent = path.substr(0, path.size() - std::string_view("nrows").size());
  for (const ComponentSpec& component : components) {
    const std::string_view name = component.name;
    if (!name.starts_with(parent) || name == path) continue;
    const std::string_view rest = name.substr(parent.size());
    const Tensor* tensor = FindPiece(pieces, name);
    if (tensor == nullptr || tensor->rank() < 1) continue;
    const bool is_splits = rest == "row_splits_0";
    const bool is_inner_splits = rest.ends_with(".row_splits_0");
    // The flat values of a ragged field have other rows.
    const bool is_column =
        rest.find('.') == std::string_view::npos && !rest.starts_with("row_splits");
    if (is_column) return Tensor::Scalar(tensor->shape().dim(0));
    if (is_splits || is_inner_splits) {
      return Tensor::Scalar(std::max<int64_t>(tensor->shape().dim(0) - 1, 0));
    }
  }
  return std::nullopt;
}

StatusOr<Value> ValueOfComponents(const Pieces& pieces, const TypeSpec& type) {
  const std::vector<ComponentSpec> specs = ComponentsOf(type);
  absl::flat_hash_map<std::string_view, const Tensor*> given;
  for (const Piece& piece : pieces) given.emplace(piece.component, &piece.tensor->tensor);
  Components components;
  components.reserve(specs.size());
  size_t used = 0;
  for (const ComponentSpec& spec : specs) {
    auto found = given.find(spec.name);
    if (found == given.end()) {
      std::optional<Tensor> rows;
      if (spec.name == "nrows" || spec.name.ends_with(".nrows")) {
        rows = InferRowCount(pieces, spec.name, specs);
      }
      if (!rows) {
        std::vector<std::string> names;
        for (const ComponentSpec& expected : specs) names.push_back(expected.name);
        return InvalidArgument("missing component `", spec.name,
                               "`; components: ", ListNames(std::move(names)));
      }
      components.push_back(*std::move(rows));
      continue;
    }
    ++used;
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor, FitTensor(*found->second, spec.spec, spec.name));
    components.push_back(std::move(tensor));
  }
  if (used < given.size()) {
    absl::flat_hash_set<std::string_view> known;
    std::vector<std::string> names;
    for (const ComponentSpec& spec : specs) {
      known.insert(spec.name);
      names.push_back(spec.name);
    }
    for (const Piece& piece : pieces) {
      if (known.contains(piece.component)) continue;
      return InvalidArgument("unknown component `", Printable(piece.component),
                             "`; components: ", ListNames(std::move(names)));
    }
  }
  return MakeValue(type, std::move(components));
}

StatusOr<FlatArgument> ArgumentOf(const FunctionDef& def, const Parameter& parameter,
                                  const Pieces& pieces) {
  FlatArgument out;
  const TypeSpec type = ArgumentType(parameter.type);
  const bool is_whole = pieces.size() == 1 && pieces[0].component.empty();
  if (!is_whole) {
    const Tensor* whole = FindPiece(pieces, "");
    if (whole != nullptr) {
      return InvalidArgument("expected either the argument or its components, found both");
    }
    if (type && type.is(TypeKind::kTensor)) {
      return InvalidArgument("unknown component `", Printable(pieces[0].component),
                             "` of a parameter of type `", type.ToString(), "`");
    }
    if (type && ContainsAny(type)) {
      return InvalidArgument("expected a string tensor with the JSON of the argument, because `",
                             type.ToString(), "` does not state all its components");
    }
    SIGNET_ASSIGN_OR_RETURN(out.value,
                            type ? ValueOfComponents(pieces, type) : ValueOfAnyType(pieces));
    return out;
  }
  const NamedTensor& given = *pieces[0].tensor;
  if (IsJson(given, type)) {
    SIGNET_ASSIGN_OR_RETURN(out.json, JoinJson(given.tensor, type));
  } else if (type && type.is(TypeKind::kTensor)) {
    SIGNET_ASSIGN_OR_RETURN(out.value, FitTensor(given.tensor, type, ""));
  } else if (!type || type.is(TypeKind::kLiteral)) {
    const Literal* literal = nullptr;
    auto value = def.defaults.find(parameter.name);
    if (type) {
      literal = &type.As<LiteralSpec>()->literal();
    } else if (value != def.defaults.end() && value->second.spec().is(TypeKind::kLiteral)) {
      literal = &value->second.literal();
    }
    out.value = ScalarOrTensor(given.tensor, literal);
  } else {
    out.value = given.tensor;  // a cast may convert it
  }
  return out;
}

// Adds arguments to a call in the order of the parameters.
class ArgumentList {
 public:
  explicit ArgumentList(CallRequest& call) : call_(call) {}

  void Add(const std::string& name, bool by_name, FlatArgument argument) {
    if (by_name) {
      call_.arguments.keyword.emplace_back(name, std::move(argument.value));
    } else {
      call_.arguments.positional.push_back(std::move(argument.value));
    }
    if (!argument.json) return;
    const size_t count =
        by_name ? call_.arguments.keyword.size() : call_.arguments.positional.size();
    call_.encoded.push_back({.is_keyword = by_name,
                             .index = count - 1,
                             .format = DataFormat::kJson,
                             .data = *std::move(argument.json)});
  }

 private:
  CallRequest& call_;
};

// Returns the only input of the function, whose bytes are `raw`.
StatusOr<NamedTensor> TensorOfRaw(const FunctionDef& def, std::string_view model,
                                  const Tensor& raw) {
  const Parameter* only = nullptr;
  int num_required = 0;
  for (const Parameter& parameter : def.type.parameters()) {
    if (parameter.optional || IsVariadic(parameter.kind)) continue;
    ++num_required;
    only = &parameter;
  }
  if (num_required > 1) {
    return InvalidArgument("Raw request must only have 1 input (found 1) to be deduced but got ",
                           num_required, " inputs in '", Printable(model),
                           "' model configuration; inputs: ", ExpectedInputs(def));
  }
  const TypeSpec type = only == nullptr ? TypeSpec() : ArgumentType(only->type);
  const auto* spec = type ? type.As<TensorSpec>() : nullptr;
  if (spec == nullptr) {
    return InvalidArgument("a raw request has one input, which is a tensor");
  }
  NamedTensor out{.name = SourceNameOf(def, *only)};
  const Buffer& bytes = raw.bytes();
  Dims dims = {kUnknownDim};
  if (spec->shape().has_rank()) {
    dims.assign(spec->shape().dims().begin(), spec->shape().dims().end());
  }
  // If the first size is unknown, it may be the size of a batch, which is then 1.
  const auto num_unknown = std::count(dims.begin(), dims.end(), kUnknownDim);
  const bool is_batch = !dims.empty() && dims[0] == kUnknownDim;
  if (spec->dtype() == DType::kString) {
    const bool has_one =
        std::all_of(dims.begin() + is_batch, dims.end(), [](int64_t dim) { return dim == 1; });
    if (!has_one) {
      return InvalidArgument("For BYTE datatype raw input '", Printable(out.name),
                             "', the model must have input shape [1]; found `", type, "`");
    }
    out.tensor = raw.Reshaped(Shape{Dims(dims.size(), 1)});
    return out;
  }
  if (num_unknown > (is_batch ? 2 : 1)) {
    return InvalidArgument("The shape of the raw input '", Printable(out.name),
                           "' can not be deduced because there are more than one variable-sized "
                           "dimension; found `",
                           type, "`");
  }
  if (num_unknown > 1) dims[0] = 1;
  auto known = static_cast<int64_t>(SizeOf(spec->dtype()));
  Shape shape{std::span<const int64_t>(dims)};
  for (int64_t dim : dims) {
    if (dim != kUnknownDim && __builtin_mul_overflow(known, dim, &known)) known = 0;
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape.dim(axis) != kUnknownDim) continue;
    if (known == 0 || static_cast<int64_t>(bytes.size()) % known != 0) {
      return InvalidArgument("expected a multiple of ", known, " bytes for `", type.ToString(),
                             "`, got ", bytes.size());
    }
    shape.set_dim(axis, static_cast<int64_t>(bytes.size()) / known);
  }
  const auto is_no_bool = [](std::byte byte) { return byte > std::byte{1}; };
  if (spec->dtype() == DType::kBool &&
      std::any_of(bytes.bytes().begin(), bytes.bytes().end(), is_no_bool)) {
    return InvalidArgument("expected bytes 0 or 1 for `", type.ToString(), "`");
  }
  SIGNET_ASSIGN_OR_RETURN(out.tensor, Tensor::Make(spec->dtype(), std::move(shape), bytes));
  return out;
}

// --- results -------------------------------------------------------------------------------------

Tensor TensorOfLiteral(const Literal& literal) {
  switch (literal.kind()) {
    case Literal::Kind::kBool:
      return Tensor::Scalar(literal.bool_value());
    case Literal::Kind::kInt:
      if (auto small = literal.AsInt64()) return Tensor::Scalar(*small);
      return Tensor::Scalar(static_cast<uint64_t>(literal.int_value()));
    case Literal::Kind::kFloat:
      return Tensor::Scalar(literal.float_value());
    case Literal::Kind::kString: {
      const std::string_view text = literal.string_value();
      return Tensor::Strings(Shape{}, std::span(&text, 1));
    }
    case Literal::Kind::kNone:
      break;
  }
  return Tensor();
}

NamedTensor TensorOfPart(const Value& result, FlatPart part) {
  if (const auto* literal = part.type.As<LiteralSpec>()) {
    return {std::move(part.name), TensorOfLiteral(literal->literal())};
  }
  return {std::move(part.name), result.components()[part.component]};
}

StatusOr<Tensor> JsonTensorOf(const Value& value, const Limits& limits) {
  if (!HasRows(value.spec())) {
    SIGNET_ASSIGN_OR_RETURN(std::string text, JsonFromValue(value, limits));
    const std::string_view only = text;
    return Tensor::Strings({1}, std::span(&only, 1));
  }
  SIGNET_ASSIGN_OR_RETURN(std::string text, JsonLinesFromValue(value, limits));
  std::vector<std::string_view> rows;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    rows.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return Tensor::Strings({static_cast<int64_t>(rows.size())}, rows);
}

// Returns the whole result, or an item of it, by name.
std::optional<Value> LookupPart(const Value& result, std::string_view name) {
  if (name == kResultName) return result;
  std::span<const std::string> names;
  if (const auto* dict = result.spec().As<DictSpec>()) names = dict->keys();
  if (const auto* tuple = result.spec().As<NamedTupleSpec>()) names = tuple->field_names();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return ChildrenOf(result)[i];
  }
  if (!IsSequence(result.spec())) return std::nullopt;
  for (size_t i = 0; i < result.spec().children().size(); ++i) {
    if (name == Cat(kResultName, "[", i, "]")) return ChildrenOf(result)[i];
  }
  return std::nullopt;
}

}  // namespace

Status AssignFlatArguments(const FunctionDef& def, CallRequest& call) {
  std::vector<NamedTensor> tensors = *std::exchange(call.tensors, std::nullopt);
  if (tensors.size() == 1 && tensors[0].is_raw) {
    SIGNET_ASSIGN_OR_RETURN(tensors[0], TensorOfRaw(def, call.model, tensors[0].tensor));
  }
  const auto& parameters = def.type.parameters();
  const ParameterNames names(def);
  absl::InlinedVector<Pieces, 4> pieces(parameters.size());
  absl::flat_hash_set<std::string_view> seen;
  std::vector<const NamedTensor*> others;  // for *args and **kwargs
  bool has_rest = false;
  bool has_keywords = false;
  for (const Parameter& parameter : parameters) {
    has_rest |= parameter.kind == ParameterKind::kVarPositional;
    has_keywords |= parameter.kind == ParameterKind::kVarKeyword;
  }
  auto unexpected = [&](std::string_view name) {
    return InvalidWithReason("UNEXPECTED_KEYWORD", "unexpected inference input '", Printable(name),
                             "' for model '", Printable(call.model),
                             "'; inputs: ", ExpectedInputs(def));
  };
  for (const NamedTensor& given : tensors) {
    const std::string_view name = given.name;
    auto failed = [&](Status status) { return WithField(name, std::move(status)); };
    if (tensors.size() > 1 && !seen.insert(name).second) {
      return failed(InvalidWithReason("MULTIPLE_VALUES", "input '", Printable(name),
                                      "' already exists in request; it is given more than once"));
    }
    std::optional<size_t> owner = names.Lookup(name);
    std::string_view component;
    for (size_t at = name.size(); !owner && at-- > 1;) {
      if (name[at] != '.' && name[at] != '[') continue;
      owner = names.Lookup(name.substr(0, at));
      component = name.substr(at + (name[at] == '.' ? 1 : 0));
    }
    if (owner) {
      pieces[*owner].push_back({component, &given});
    } else if (has_rest || has_keywords) {
      others.push_back(&given);
    } else {
      return failed(unexpected(name));
    }
  }
  SIGNET_RETURN_IF_ERROR(CheckRequired(def, call.model, tensors, pieces));

  size_t last_positional_only = 0;  // one more than the index of the last one with an argument
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == ParameterKind::kPositionalOnly && !pieces[i].empty()) {
      last_positional_only = i + 1;
    }
  }
  ArgumentList arguments(call);
  bool by_name = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.kind == ParameterKind::kVarPositional) {
      for (const NamedTensor* other : std::exchange(others, {})) {
        const std::string next = Cat(parameter.name, "_", call.arguments.positional.size() - i);
        if (by_name || other->name != next) {
          others.push_back(other);
          continue;
        }
        arguments.Add(next, false, {.value = other->tensor});
      }
    }
    if (IsVariadic(parameter.kind)) continue;
    const bool must_be_named = by_name || parameter.kind == ParameterKind::kKeywordOnly;
    if (pieces[i].empty()) {
      if (i < last_positional_only) {
        auto value = def.defaults.find(parameter.name);
        if (value == def.defaults.end()) {
          return WithField(parameter.name,
                           InvalidWithReason("MISSING_REQUIRED", "missing input `",
                                             Printable(SourceNameOf(def, parameter)),
                                             "`; inputs: ", ExpectedInputs(def)));
        }
        arguments.Add(parameter.name, false, {.value = value->second});
        continue;
      }
      by_name = true;
      continue;
    }
    auto argument = ArgumentOf(def, parameter, pieces[i]);
    if (!argument.ok()) {
      return WithField(
          parameter.name,
          At(Cat("argument `", Printable(SourceNameOf(def, parameter)), "`"), argument.status()));
    }
    arguments.Add(parameter.name, must_be_named, *std::move(argument));
  }
  for (const NamedTensor* other : others) {
    if (!has_keywords) {
      return WithField(other->name, unexpected(other->name));
    }
    arguments.Add(other->name, true, {.value = other->tensor});
  }
  return absl::OkStatus();
}

std::vector<NamedTensor> FlattenResult(const FunctionDef& def, const Value& result) {
  std::vector<NamedTensor> out;
  if (result.spec().is(TypeKind::kTensor)) {  // the common case, without a list of parts
    auto source = def.source_results.find("");
    out.push_back({source == def.source_results.end() ? std::string(kResultName) : source->second,
                   result.tensor()});
    return out;
  }
  std::vector<FlatPart> parts = FlatPartsOf(def, result.spec());
  out.reserve(parts.size());
  for (FlatPart& part : parts) out.push_back(TensorOfPart(result, std::move(part)));
  return out;
}

StatusOr<std::vector<NamedTensor>> SelectResults(const FunctionDef& def, const Value& result,
                                                 std::span<const std::string> names,
                                                 std::string_view model, const Limits& limits) {
  std::vector<NamedTensor> all = FlattenResult(def, result);
  if (names.empty()) return all;
  absl::flat_hash_map<std::string_view, size_t> index;
  for (size_t i = 0; i < all.size(); ++i) index.emplace(all[i].name, i);
  absl::flat_hash_set<std::string_view> seen;
  std::vector<NamedTensor> out;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return InvalidArgument("output '", Printable(name),
                             "' already requested; Duplicate output name '", Printable(name),
                             "' is not allowed in a request");
    }
    if (auto found = index.find(name); found != index.end()) {
      out.push_back(all[found->second]);
      continue;
    }
    auto part = LookupPart(result, name);
    if (!part) {
      std::vector<std::string> known;
      for (const NamedTensor& tensor : all) known.push_back(tensor.name);
      return InvalidArgument("unexpected inference output '", Printable(name), "' for model '",
                             Printable(model), "'; outputs: ", ListNames(std::move(known)));
    }
    if (part->spec().is(TypeKind::kTensor)) {
      out.push_back({name, part->tensor()});
      continue;
    }
    auto text = JsonTensorOf(*part, limits);
    if (!text.ok()) return At(Cat("output `", Printable(name), "`"), text.status());
    out.push_back({name, *std::move(text), true});
  }
  return out;
}

}  // namespace signet
