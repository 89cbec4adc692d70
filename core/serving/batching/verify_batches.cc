#include "core/serving/batching/verify_batches.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "core/serving/batching/batching.h"
#include "core/serving/batching/joined_function.h"
#include "core/serving/examples/example_arguments.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr std::chrono::seconds kTime(60);  // of one run
constexpr size_t kMostCalls = 32;          // that are compared per function
constexpr int64_t kMadeSize = 4;           // of dimensions that a type leaves open

RunControl ControlOfCheck() { return {.deadline = std::chrono::steady_clock::now() + kTime}; }

// The largest relative difference that another order of additions causes.
double ToleranceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2e-2;
    case DType::kFloat32:
    case DType::kComplex64:
      return 1e-4;
    case DType::kFloat64:
    case DType::kComplex128:
      return 1e-9;
    default:
      return 0;
  }
}

template <class T>
double NumberOf(T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return static_cast<double>(ToFloat(value));
  } else {
    return static_cast<double>(value);
  }
}

template <class T>
std::optional<std::string> FloatDifference(std::span<const T> alone, std::span<const T> joined,
                                           double tolerance) {
  double largest = 0;
  for (T value : alone) {
    const double number = std::abs(NumberOf(value));
    if (std::isfinite(number)) largest = std::max(largest, number);
  }
  for (size_t i = 0; i < alone.size(); ++i) {
    const double a = NumberOf(alone[i]);
    const double b = NumberOf(joined[i]);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::abs(a - b) <= tolerance * largest) continue;
    return Cat("element ", i, ": ", a, " alone, ", b, " joined");
  }
  return std::nullopt;
}

template <class T>
std::optional<std::string> FloatDifference(const Tensor& alone, const Tensor& joined) {
  return FloatDifference(alone.elements<T>(), joined.elements<T>(), ToleranceOf(alone.dtype()));
}

// The tensors have the same dtype and shape.
std::optional<std::string> TensorDifference(const Tensor& alone, const Tensor& joined) {
  if (SameTensor(alone, joined)) return std::nullopt;
  switch (alone.dtype()) {
    case DType::kFloat16:
      return FloatDifference<Float16>(alone, joined);
    case DType::kBFloat16:
      return FloatDifference<BFloat16>(alone, joined);
    case DType::kFloat32:
      return FloatDifference<float>(alone, joined);
    case DType::kFloat64:
      return FloatDifference<double>(alone, joined);
    default:
      break;
  }
  return "the elements differ";
}

// A call of an example, and its result when it runs alone.
struct CheckedCall {
  PreparedCall call;
  std::shared_ptr<const JoinedFunction> joined;
  int64_t rows = 0;
  Value alone;
};

class FunctionCheck {
 public:
  FunctionCheck(const LoadedModel& model, const PolymorphicFunction& function,
                const std::filesystem::path& folder, const Limits& limits)
      : model_(model),
        function_(function),
        folder_(folder),
        limits_(limits),
        has_rows_(BatchParametersOf(model.def(), function.def())) {}

  Status Check() {
    SIGNET_RETURN_IF_ERROR(CheckTypes());
    for (const std::string& example : function_.def().examples) {
      if (calls_.size() >= kMostCalls) break;
      auto arguments = ParseExampleArguments(example, function_.def().type, folder_, limits_);
      if (!arguments.ok()) continue;
      SIGNET_RETURN_IF_ERROR(
          At(Cat("example `", Printable(example), "`"), AddExample(*std::move(arguments))));
    }
    if (calls_.empty()) {
      for (bool are_zeros : {true, false}) {
        if (!are_zeros && HasOnlyFloats()) break;  // the arguments would be the same
        auto made = MakeArguments(are_zeros);
        if (made) SIGNET_RETURN_IF_ERROR(AddExample(*std::move(made)));
      }
    }
    return CompareJoined();
  }

 private:
  Status CheckTypes() const {
    const FunctionType& type = function_.def().type;
    for (size_t i = 0; i < has_rows_.size(); ++i) {
      const Parameter& parameter = type.parameters()[i];
      if (!has_rows_[i] || !parameter.type || parameter.type.is(TypeKind::kAny)) continue;
      SIGNET_RETURN_IF_ERROR(At(Cat("parameter `", parameter.name, "`"),
                                RowLayout::Make(parameter.type, model_.types()).status()));
    }
    if (!function_.output() || function_.output().is(TypeKind::kAny)) return absl::OkStatus();
    return At("the result", RowLayout::Make(function_.output(), model_.types()).status());
  }

  // Adds the call, its parts, and a call with other numbers. A call that fails alone is not added.
  Status AddExample(CallArguments arguments) {
    auto prepared = function_.Prepare(std::move(arguments), ControlOfCheck());
    if (!prepared.ok()) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(bool is_added, AddCall(*prepared, /*is_required=*/true));
    if (!is_added) return absl::OkStatus();
    const int64_t rows = calls_.back().rows;
    SIGNET_RETURN_IF_ERROR(AddChanged(*prepared, [](const RowLayout&, const Value& value) {
      return StatusOr<Components>(Changed(value));
    }));
    if (rows < 2) return absl::OkStatus();
    const int64_t sizes[] = {rows / 2, rows - rows / 2};
    for (size_t part : {1U, 0U}) {
      SIGNET_RETURN_IF_ERROR(AddChanged(
          *prepared, [&](const RowLayout& layout, const Value& value) -> StatusOr<Components> {
            SIGNET_ASSIGN_OR_RETURN(auto parts, layout.Split(value.components(), sizes));
            return std::move(parts[part]);
          }));
    }
    return absl::OkStatus();
  }

  // Returns the components with half the floats, and with the other elements of tensors in another
  // order, so that the rows of two calls differ.
  static Components Changed(const Value& value) {
    Components out;
    for (const Tensor& tensor : value.components()) {
      if (tensor.dtype() == DType::kFloat32) {
        out.push_back(Halved<float>(tensor));
      } else if (tensor.dtype() == DType::kFloat64) {
        out.push_back(Halved<double>(tensor));
      } else if (value.spec().is(TypeKind::kTensor)) {
        out.push_back(Rotated(tensor));
      } else {
        out.push_back(tensor);  // it may contain row splits
      }
    }
    return out;
  }
  template <class T>
  static Tensor Halved(const Tensor& tensor) {
    std::vector<T> halves;
    for (T number : tensor.elements<T>()) halves.push_back(number / 2);
    return Tensor::Of<T>(tensor.shape(), halves);
  }
  static Tensor Rotated(const Tensor& tensor) {
    const int64_t count = tensor.shape().num_elements();
    if (count < 2) return tensor;
    if (tensor.dtype() == DType::kString) {
      std::vector<std::string_view> strings;
      for (int64_t i = 0; i < count; ++i) strings.push_back(tensor.string_at((i + 1) % count));
      return Tensor::Strings(tensor.shape(), strings);
    }
    auto rotated = Tensor::Allocate(tensor.dtype(), tensor.shape());
    if (!rotated.ok()) return tensor;
    const auto bytes = tensor.data().bytes();
    std::rotate_copy(bytes.begin(),
                     bytes.begin() + static_cast<std::ptrdiff_t>(SizeOf(tensor.dtype())),
                     bytes.end(), rotated->data().mutable_data());
    return *std::move(rotated);
  }

  // Adds `call` with other values for the parameters with rows.
  template <class Change>
  Status AddChanged(const PreparedCall& call, Change change) {
    CanonicalCall changed;
    std::vector<Parameter> parameters = call.function->type.parameters();
    changed.arguments = call.arguments;
    for (size_t i = 0; i < has_rows_.size(); ++i) {
      if (!has_rows_[i]) continue;
      SIGNET_ASSIGN_OR_RETURN(RowLayout layout,
                              RowLayout::Make(parameters[i].type, model_.types()));
      SIGNET_ASSIGN_OR_RETURN(TypeSpec open, RowLayout::WithOpenRows(parameters[i].type));
      SIGNET_ASSIGN_OR_RETURN(Components components, change(layout, call.arguments[i]));
      Value value = Value::Trusted(std::move(open), components);
      parameters[i].type = ExactSpecOf(value);
      changed.arguments[i] = Value::Trusted(parameters[i].type, std::move(components));
    }
    changed.type = FunctionType::MakeUnchecked(std::move(parameters));
    auto prepared = function_.Select(changed, ControlOfCheck());
    if (!prepared.ok()) return absl::OkStatus();
    return AddCall(*std::move(prepared), /*is_required=*/false).status();
  }

  // Returns false if the call fails alone. If the call is required, it must be possible to join it.
  StatusOr<bool> AddCall(PreparedCall call, bool is_required) {
    auto alone = call.Run(ControlOfCheck());
    if (!alone.ok()) return false;
    auto joined = JoinedFunction::Find(function_, has_rows_, *call.function, model_.types(),
                                       ControlOfCheck());
    if (!joined.ok()) return is_required ? joined.status() : StatusOr<bool>(false);
    auto rows = (*joined)->CountRows(call);
    if (!rows) return InvalidArgument("the parameters have different numbers of rows");
    SIGNET_ASSIGN_OR_RETURN(RowLayout result, RowLayout::Make(alone->spec(), model_.types()));
    if (result.CountRows(alone->components()) != rows) {
      return InvalidArgument("expected a result with one row per row of the parameters, found `",
                             alone->spec(), "` for ", *rows, " rows");
    }
    calls_.push_back({std::move(call), *std::move(joined), *rows, *std::move(alone)});
    return true;
  }

  // Joins each call with those that follow it, and the first one also with itself.
  Status CompareJoined() const {
    for (size_t first = 0; first < calls_.size(); ++first) {
      std::vector<const CheckedCall*> batch = {&calls_[first], &calls_[first]};
      for (size_t i = first + 1; i < calls_.size(); ++i) {
        const CheckedCall& other = calls_[i];
        if (JoinedFunction::CanJoin(*batch[0]->joined, batch[0]->call, *other.joined, other.call)) {
          batch.push_back(&other);
        }
      }
      SIGNET_RETURN_IF_ERROR(CompareBatch(batch));
    }
    return absl::OkStatus();
  }

  Status CompareBatch(const std::vector<const CheckedCall*>& batch) const {
    std::vector<const PreparedCall*> calls;
    std::vector<int64_t> rows;
    for (const CheckedCall* call : batch) {
      calls.push_back(&call->call);
      rows.push_back(call->rows);
    }
    auto results = batch[0]->joined->Run(calls, rows, ControlOfCheck());
    if (!results.ok()) {
      return At("calls that succeed alone fail when they are joined", results.status());
    }
    for (size_t i = 0; i < batch.size(); ++i) {
      auto difference = FirstDifference(batch[i]->alone, (*results)[i]);
      if (!difference) continue;
      return InvalidArgument("the result of a call depends on the calls that it is joined with: ",
                             *difference);
    }
    return absl::OkStatus();
  }

  bool HasOnlyFloats() const {
    const auto& parameters = function_.def().type.parameters();
    return std::all_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
      const auto* tensor = parameter.type ? parameter.type.As<TensorSpec>() : nullptr;
      return tensor != nullptr && IsFloat(tensor->dtype());
    });
  }

  // Returns two rows for the types that the signature states, or nothing if it states too little.
  // Integers and bools are 0, which is a valid index, identifier, and flag, or a mixture of 0
  // and 1.
  std::optional<CallArguments> MakeArguments(bool are_zeros) const {
    CallArguments out;
    const FunctionDef& def = function_.def();
    for (size_t i = 0; i < def.type.parameters().size(); ++i) {
      const Parameter& parameter = def.type.parameters()[i];
      auto found = def.defaults.find(parameter.name);
      Value value;
      if (found != def.defaults.end() && !has_rows_[i]) {
        value = found->second;
      } else if (auto made = MakeTensor(parameter.type, are_zeros)) {
        value = *std::move(made);
      } else {
        return std::nullopt;
      }
      if (parameter.kind == ParameterKind::kKeywordOnly) {
        out.keyword.emplace_back(parameter.name, std::move(value));
      } else {
        out.positional.push_back(std::move(value));
      }
    }
    return out;
  }

  static std::optional<Value> MakeTensor(const TypeSpec& type, bool are_zeros) {
    if (!type.is(TypeKind::kTensor) || !type.shape()->has_rank()) return std::nullopt;
    const DType dtype = type.As<TensorSpec>()->dtype();
    Shape shape;
    for (int axis = 0; axis < type.shape()->rank(); ++axis) {
      const int64_t size = type.shape()->dim(axis);
      shape.push_back(size != kUnknownDim ? size : axis == 0 ? 2 : kMadeSize);
    }
    if (!CheckShape(shape.dims(), 16).ok() || shape.num_elements() > (int64_t{1} << 22)) {
      return std::nullopt;
    }
    const auto count = static_cast<size_t>(shape.num_elements());
    if (dtype == DType::kFloat32) {
      std::vector<float> numbers(count);
      for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i % 17) / 16 - 0.25f;
      return Value(Tensor::Of<float>(shape, numbers));
    }
    if (dtype == DType::kFloat64) {
      std::vector<double> numbers(count);
      for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(i % 17) / 16 - 0.25;
      return Value(Tensor::Of<double>(shape, numbers));
    }
    auto is_one = [&](size_t i) { return !are_zeros && i % 17 % 3 == 1; };
    if (dtype == DType::kString) {
      std::vector<std::string_view> strings;
      for (size_t i = 0; i < count; ++i) strings.push_back(is_one(i) ? "b" : "a");
      return Value(Tensor::Strings(shape, strings));
    }
    auto out = Tensor::Allocate(dtype, shape);
    if (!out.ok()) return std::nullopt;
    VisitDType(dtype, [&]<class T>(TypeTag<T>) {
      T* elements = reinterpret_cast<T*>(out->data().mutable_data());
      if constexpr (std::is_integral_v<T>) {
        for (size_t i = 0; i < count; ++i) elements[i] = static_cast<T>(is_one(i));
      } else {
        std::fill_n(elements, count, T{});
      }
    });
    return Value(*std::move(out));
  }

  const LoadedModel& model_;
  const PolymorphicFunction& function_;
  const std::filesystem::path& folder_;
  const Limits& limits_;
  const std::vector<bool> has_rows_;
  std::vector<CheckedCall> calls_;
};

}  // namespace

std::optional<std::string> FirstDifference(const Value& alone, const Value& joined) {
  if (alone.spec() != joined.spec()) {
    return Cat("`", alone.spec(), "` alone, `", joined.spec(), "` joined");
  }
  const std::vector<ComponentSpec> components = ComponentsOf(alone.spec());
  for (size_t i = 0; i < components.size(); ++i) {
    const std::string where = components[i].name.empty() ? "" : Cat("`", components[i].name, "`: ");
    const Tensor& a = alone.components()[i];
    const Tensor& b = joined.components()[i];
    if (a.shape() != b.shape()) {
      return Cat(where, "shape `", a.shape(), "` alone, `", b.shape(), "` joined");
    }
    if (auto difference = TensorDifference(a, b)) return Cat(where, *difference);
  }
  return std::nullopt;
}

Status VerifyBatches(const LoadedModel& model, const std::filesystem::path& folder,
                     const Limits& limits) {
  for (const auto& [name, parameters] : model.def().batches) {
    SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function, model.FindFunction(name));
    Status status = FunctionCheck(model, *function, folder, limits).Check();
    if (status.ok()) continue;
    return At(Cat("function `", name, "`: batch"), FailedPrecondition(MessageOf(status)));
  }
  return absl::OkStatus();
}

}  // namespace signet
