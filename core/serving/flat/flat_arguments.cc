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

// A tensor that a client sent for a parameter.
struct Piece {
  const NamedTensor* tensor = nullptr;
  std::string_view component = {};  // `values`, `[0].x`, if its parameter has any type
  const FlatPart* part = nullptr;   // or the part of the type that it is
  bool is_whole = false;            // or the whole argument
};
using Pieces = absl::InlinedVector<Piece, 1>;

// --- which parameter a tensor belongs to ---------------------------------------------------------

// Finds parameters by name. The names in the format of the model come first.
class ParameterNames {
 public:
  explicit ParameterNames(const FunctionDef& def) : def_(def) {
    const auto& parameters = def.type.parameters();
    if (parameters.size() <= kFew) return;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (IsVariadic(parameters[i].kind)) continue;
      sources_.emplace(SourceNameOf(def, parameters[i]), i);
      own_.emplace(parameters[i].name, i);
    }
  }

  std::optional<size_t> LookupSource(std::string_view name) const {
    return Find(
        sources_, [&](const Parameter& p) { return SourceNameOf(def_, p) == name; }, name);
  }
  std::optional<size_t> LookupOwn(std::string_view name) const {
    return Find(
        own_, [&](const Parameter& p) { return p.name == name; }, name);
  }
  std::optional<size_t> Lookup(std::string_view name) const {
    auto source = LookupSource(name);
    return source ? source : LookupOwn(name);
  }

 private:
  static constexpr size_t kFew = 8;
  using Index = absl::flat_hash_map<std::string_view, size_t>;

  template <class IsNamed>
  std::optional<size_t> Find(const Index& index, IsNamed is_named, std::string_view name) const {
    if (!index.empty()) {
      auto found = index.find(name);
      return found == index.end() ? std::nullopt : std::optional<size_t>(found->second);
    }
    const auto& parameters = def_.type.parameters();
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!IsVariadic(parameters[i].kind) && is_named(parameters[i])) return i;
    }
    return std::nullopt;
  }

  const FunctionDef& def_;
  Index sources_;  // empty for few parameters
  Index own_;
};

// Finds the parameter, and the part of it, that a tensor of a request is. The first rule that finds
// one counts: the whole parameter of this source name; the part of this name; the parameter of this
// name in the signature; the part with this path; a component of a parameter of any type.
class InputNames {
 public:
  explicit InputNames(const FunctionDef& def) : def_(def), parameters_(def) {}

  // Returns the index of the parameter, and completes `piece`.
  std::optional<size_t> Lookup(std::string_view name, Piece& piece) {
    piece.is_whole = true;
    if (auto source = parameters_.LookupSource(name)) return source;
    ReadParts();
    auto part = by_name_.find(name);
    if (part == by_name_.end()) {
      if (auto own = parameters_.LookupOwn(name)) return own;
      part = by_path_.find(name);
      if (part == by_path_.end()) return LookupPrefix(name, piece);
    }
    piece.is_whole = false;
    piece.part = part->second;
    return piece.part->parameter;
  }

  // Returns the parts of a parameter, in the order of its components. The parameter was found by a
  // name that is not its own.
  std::vector<FlatPart> PartsOf(size_t parameter) const {
    std::vector<FlatPart> parts;
    for (const FlatPart& part : parts_) {
      if (part.parameter == parameter) parts.push_back(part);
    }
    std::sort(parts.begin(), parts.end(),
              [](const FlatPart& a, const FlatPart& b) { return a.component < b.component; });
    return parts;
  }

 private:
  // Parameters that are one tensor are found by name.
  void ReadParts() {
    if (has_parts_) return;
    has_parts_ = true;
    const auto& parameters = def_.type.parameters();
    const bool has_composites =
        std::any_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
          const TypeSpec type = ArgumentType(parameter.type);
          return type && !type.is(TypeKind::kTensor) && !type.is(TypeKind::kLiteral);
        });
    if (!has_composites) return;
    parts_ = InputPartsOf(def_);
    for (const FlatPart& part : parts_) {
      if (part.is_whole) continue;
      by_name_.emplace(part.name, &part);
      by_path_.emplace(part.path, &part);
    }
  }

  std::optional<size_t> LookupPrefix(std::string_view name, Piece& piece) const {
    piece.is_whole = false;
    for (size_t at = name.size(); at-- > 1;) {
      if (name[at] != '.' && name[at] != '[') continue;
      const auto owner = parameters_.Lookup(name.substr(0, at));
      if (!owner) continue;
      piece.component = name.substr(at + (name[at] == '.' ? 1 : 0));
      return owner;
    }
    return std::nullopt;
  }

  using Index = absl::flat_hash_map<std::string_view, const FlatPart*>;

  const FunctionDef& def_;
  const ParameterNames parameters_;
  bool has_parts_ = false;
  std::vector<FlatPart> parts_;
  Index by_name_;
  Index by_path_;
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
    if (missing.empty()) first = SourceNameOf(def, parameters[i]);
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

// Returns `tensor` in the form that `wanted` requires, as rules 3 to 6 say. Other differences are
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
  const bool is_vector = spec.shape().has_rank() && spec.shape().rank() == 1;
  if (is_vector && tensor.rank() == 2 && tensor.shape().dim(1) == 1) {
    return tensor.Reshaped(Shape{tensor.shape().dim(0)});
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

// Returns the name of a part within its parameter: `row_splits_0`.
std::string ComponentNameOf(const FunctionDef& def, const FlatPart& part) {
  const std::string& whole = SourceNameOf(def, def.type.parameters()[part.parameter]);
  std::string_view name = part.name;
  if (name.starts_with(whole)) name.remove_prefix(whole.size());
  if (name.starts_with('.')) name.remove_prefix(1);
  return Printable(name);
}

// Returns the count `parts[index]` of the rows of a structure whose other components are given.
std::optional<Tensor> InferRowCount(const std::vector<FlatPart>& parts, size_t index,
                                    const std::vector<const Tensor*>& given) {
  std::string_view parent = parts[index].path;
  parent.remove_suffix(std::string_view("nrows").size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string_view path = parts[i].path;
    const Tensor* tensor = given[i];
    if (i == index || !path.starts_with(parent) || tensor == nullptr || tensor->rank() < 1) {
      continue;
    }
    const std::string_view rest = path.substr(parent.size());
    if (parts[i].role == FlatPart::Role::kSplits) {
      if (!rest.ends_with("row_splits_0")) continue;
      return Tensor::Scalar(std::max<int64_t>(tensor->shape().dim(0) - 1, 0));
    }
    // The flat values of a ragged field have other rows.
    if (rest.find('.') == std::string_view::npos) return Tensor::Scalar(tensor->shape().dim(0));
  }
  return std::nullopt;
}

StatusOr<Value> ValueOfComponents(const FunctionDef& def, const std::vector<FlatPart>& parts,
                                  const Pieces& pieces, const TypeSpec& type) {
  auto names = [&] {
    std::vector<std::string> out;
    for (const FlatPart& part : parts) out.push_back(ComponentNameOf(def, part));
    return ListNames(std::move(out));
  };
  std::vector<const Tensor*> given(parts.size());
  for (const Piece& piece : pieces) {
    if (piece.part == nullptr) {
      return InvalidArgument("unknown component `", Printable(piece.component),
                             "`; components: ", names());
    }
    const Tensor*& place = given[piece.part->component];
    if (place != nullptr) {
      return InvalidWithReason("MULTIPLE_VALUES", "component `", ComponentNameOf(def, *piece.part),
                               "` is given more than once");
    }
    place = &piece.tensor->tensor;
  }
  Components components;
  components.reserve(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const FlatPart& part = parts[i];
    if (given[i] == nullptr) {
      std::optional<Tensor> rows;
      if (part.role == FlatPart::Role::kRowCount) rows = InferRowCount(parts, i, given);
      if (!rows) {
        return InvalidArgument("missing component `", ComponentNameOf(def, part),
                               "`; components: ", names());
      }
      components.push_back(*std::move(rows));
      continue;
    }
    const std::string_view path = part.path;
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor, FitTensor(*given[i], part.type, path));
    components.push_back(std::move(tensor));
  }
  return MakeValue(type, std::move(components));
}

StatusOr<FlatArgument> ArgumentOf(const FunctionDef& def, const InputNames& inputs, size_t index,
                                  const Pieces& pieces) {
  FlatArgument out;
  const Parameter& parameter = def.type.parameters()[index];
  const TypeSpec type = ArgumentType(parameter.type);
  const auto num_whole = std::count_if(pieces.begin(), pieces.end(),
                                       [](const Piece& piece) { return piece.is_whole; });
  if (num_whole > 1) {
    return InvalidWithReason("MULTIPLE_VALUES", "the argument is given more than once");
  }
  if (num_whole > 0 && pieces.size() > 1) {
    return InvalidArgument("expected either the argument or its components, found both");
  }
  if (num_whole == 0) {
    if (type && (type.is(TypeKind::kTensor) || type.is(TypeKind::kLiteral))) {
      return InvalidArgument("unknown component `", Printable(pieces[0].component),
                             "` of a parameter of type `", type.ToString(), "`");
    }
    if (type && ContainsAny(type)) {
      return InvalidArgument("expected a string tensor with the JSON of the argument, because `",
                             type.ToString(), "` does not state all its components");
    }
    SIGNET_ASSIGN_OR_RETURN(out.value,
                            type ? ValueOfComponents(def, inputs.PartsOf(index), pieces, type)
                                 : ValueOfAnyType(pieces));
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

Tensor TensorOfPart(const Value& result, const FlatPart& part) {
  const auto* literal = part.type.As<LiteralSpec>();
  return literal != nullptr ? TensorOfLiteral(literal->literal())
                            : result.components()[part.component];
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

// Returns an item of the result, or the whole result, by name. The names of items in the format of
// the model come first.
std::optional<Value> LookupItem(const FunctionDef& def, const Value& result,
                                std::string_view name) {
  std::span<const std::string> names;
  if (const auto* dict = result.spec().As<DictSpec>()) names = dict->keys();
  if (const auto* tuple = result.spec().As<NamedTupleSpec>()) names = tuple->field_names();
  for (size_t i = 0; i < names.size(); ++i) {
    if (SourceNameOfResult(def, names[i]) == name) return ChildrenOf(result)[i];
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return ChildrenOf(result)[i];
  }
  auto whole = def.source_results.find("");
  if (name == kResultName || (whole != def.source_results.end() && whole->second == name)) {
    return result;
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
  InputNames names(def);
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
    Piece piece = {.tensor = &given};
    if (const auto owner = names.Lookup(name, piece)) {
      pieces[*owner].push_back(piece);
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
          return WithField(SourceNameOf(def, parameter),
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
    auto argument = ArgumentOf(def, names, i, pieces[i]);
    if (!argument.ok()) {
      const std::string& name = SourceNameOf(def, parameter);
      return WithField(name, At(Cat("argument `", Printable(name), "`"), argument.status()));
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
  std::vector<FlatPart> parts = ResultPartsOf(def, result.spec());
  out.reserve(parts.size());
  for (FlatPart& part : parts) {
    out.push_back({std::move(part.name), TensorOfPart(result, part)});
  }
  return out;
}

StatusOr<std::vector<NamedTensor>> SelectResults(const FunctionDef& def, const Value& result,
                                                 std::span<const std::string> names,
                                                 std::string_view model, const Limits& limits) {
  if (names.empty()) return FlattenResult(def, result);
  const std::vector<FlatPart> parts = ResultPartsOf(def, result.spec());
  absl::flat_hash_map<std::string_view, const FlatPart*> by_name;
  absl::flat_hash_map<std::string_view, const FlatPart*> by_path;
  for (const FlatPart& part : parts) {
    by_name.emplace(part.name, &part);
    by_path.emplace(part.path, &part);
  }
  absl::flat_hash_set<std::string_view> seen;
  std::vector<NamedTensor> out;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return InvalidArgument("output '", Printable(name),
                             "' already requested; Duplicate output name '", Printable(name),
                             "' is not allowed in a request");
    }
    auto lookup = [&](const auto& index) {
      auto found = index.find(name);
      return found == index.end() ? nullptr : found->second;
    };
    const FlatPart* part = lookup(by_name);
    const auto item = part == nullptr ? LookupItem(def, result, name) : std::nullopt;
    if (part == nullptr && !item) part = lookup(by_path);
    if (part != nullptr) {
      out.push_back({name, TensorOfPart(result, *part)});
      continue;
    }
    if (!item) {
      std::vector<std::string> known;
      for (const FlatPart& known_part : parts) known.push_back(known_part.name);
      return InvalidArgument("unexpected inference output '", Printable(name), "' for model '",
                             Printable(model), "'; outputs: ", ListNames(std::move(known)));
    }
    if (item->spec().is(TypeKind::kTensor)) {
      out.push_back({name, item->tensor()});
      continue;
    }
    auto text = JsonTensorOf(*item, limits);
    if (!text.ok()) return At(Cat("output `", Printable(name), "`"), text.status());
    out.push_back({name, *std::move(text), true});
  }
  return out;
}

}  // namespace signet
