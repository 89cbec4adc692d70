#include "core/serving/batching/joined_function.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/runtime/returned_value.h"

namespace signet {
namespace {

constexpr size_t kMaxComparedBytes = size_t{64} << 10;

// Returns for each component of each parameter whether `function` reads it.
std::vector<std::vector<bool>> NeedsOf(const ConcreteFunction& function) {
  std::vector<std::vector<bool>> needs;
  const std::vector<int>& slots = function.plan().input_slots();
  size_t slot = 0;
  for (const Parameter& parameter : function.type.parameters()) {
    std::vector<bool>& own = needs.emplace_back();
    for (size_t i = parameter.type.num_components(); i > 0; --i) {
      own.push_back(slots[slot++] != kNoEdge);
    }
  }
  return needs;
}

bool AreSame(const Value& a, const Value& b) {
  if (a.components().size() != b.components().size()) return false;
  for (size_t i = 0; i < a.components().size(); ++i) {
    if (a.components()[i].num_bytes() > kMaxComparedBytes) return false;
    if (!SameTensor(a.components()[i], b.components()[i])) return false;
  }
  return a.spec() == b.spec();
}

}  // namespace

StatusOr<std::shared_ptr<const JoinedFunction>> JoinedFunction::Find(
    const PolymorphicFunction& function, const std::vector<bool>& has_rows,
    const ConcreteFunction& single, const ExtensionTypes* types, const RunControl& control) {
  auto joined = std::make_shared<JoinedFunction>();
  std::vector<Parameter> parameters = single.type.parameters();
  if (parameters.size() != has_rows.size()) {
    return InvalidArgument("expected ", has_rows.size(), " arguments, found ", parameters.size());
  }
  joined->arguments_.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!has_rows[i]) continue;
    const std::string where = Cat("parameter `", parameters[i].name, "`");
    auto layout = RowLayout::Make(parameters[i].type, types);
    if (!layout.ok()) return At(where, layout.status());
    joined->arguments_[i] = *std::move(layout);
    SIGNET_ASSIGN_OR_RETURN(parameters[i].type, RowLayout::WithOpenRows(parameters[i].type));
  }
  FunctionType open = FunctionType::MakeUnchecked(
      std::move(parameters), {single.type.captures().begin(), single.type.captures().end()});
  SIGNET_ASSIGN_OR_RETURN(auto concrete, function.FindForRows(open, control));
  if (HasReturnMark(concrete->output())) {
    return InvalidArgument("the type of the result depends on the run");
  }
  const bool has_same_results =
      concrete->choices() == single.choices() &&
      MostSpecificCommonSupertype(concrete->output(), single.output()) == concrete->output();
  if (!has_same_results) {
    return InvalidArgument("the result depends on the number of rows: a call returns `",
                           single.output(), "`, joined calls return `", concrete->output(), "`");
  }
  auto result = RowLayout::Make(concrete->output(), types);
  if (!result.ok()) return At("the result", result.status());
  joined->result_ = *std::move(result);
  joined->needs_ = NeedsOf(*concrete);
  joined->function_ = concrete;
  return std::shared_ptr<const JoinedFunction>(std::move(joined));
}

std::optional<int64_t> JoinedFunction::CountRows(const PreparedCall& call) const {
  std::optional<int64_t> rows;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (call.is_partial) {
      const std::vector<bool> decoded = call.NeedsOf(i);
      for (size_t k = 0; k < decoded.size(); ++k) {
        if (needs_[i][k] && !decoded[k]) return std::nullopt;
      }
    }
    if (!arguments_[i]) continue;
    auto count = arguments_[i]->CountRows(call.arguments[i].components(),
                                          call.is_partial ? needs_[i] : std::vector<bool>());
    if (!count || (rows && *rows != *count)) return std::nullopt;
    rows = count;
  }
  return rows;
}

bool JoinedFunction::CanJoin(const JoinedFunction& a, const PreparedCall& call_a,
                             const JoinedFunction& b, const PreparedCall& call_b) {
  if (a.function_.owner_before(b.function_) || b.function_.owner_before(a.function_)) return false;
  for (size_t i = 0; i < a.arguments_.size(); ++i) {
    if (a.arguments_[i]) continue;
    if (!AreSame(call_a.arguments[i], call_b.arguments[i])) return false;
  }
  return true;
}

StatusOr<std::vector<Value>> JoinedFunction::Run(std::span<const PreparedCall* const> calls,
                                                 std::span<const int64_t> rows,
                                                 const RunControl& control) const {
  const std::shared_ptr<const ConcreteFunction> function = function_.lock();
  if (function == nullptr) return Unavailable("the concrete function was dropped");
  const bool is_partial =
      std::any_of(calls.begin(), calls.end(), [](const auto* call) { return call->is_partial; });
  if (is_partial && NeedsOf(*function) != needs_) return Unavailable("the plan has changed");
  std::vector<Value> arguments;
  std::vector<RowLayout::Parts> parts(calls.size());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!arguments_[i]) {
      arguments.push_back(calls[0]->arguments[i]);
      continue;
    }
    for (size_t k = 0; k < calls.size(); ++k) parts[k] = calls[k]->arguments[i].components();
    SIGNET_ASSIGN_OR_RETURN(
        Components joined,
        arguments_[i]->Join(parts, is_partial ? needs_[i] : std::vector<bool>()));
    arguments.push_back(Value::Trusted(function->type.parameters()[i].type, std::move(joined)));
  }
  SIGNET_ASSIGN_OR_RETURN(Value result, is_partial ? function->RunOnce(arguments, control)
                                                   : function->Run(arguments, control));
  const int64_t total = std::accumulate(rows.begin(), rows.end(), int64_t{0});
  if (result_->CountRows(result.components()) != total) {
    return InvalidArgument("the result does not have one row per row of the arguments");
  }
  SIGNET_ASSIGN_OR_RETURN(auto split, result_->Split(result.components(), rows));
  std::vector<Value> results;
  results.reserve(calls.size());
  for (size_t k = 0; k < calls.size(); ++k) {
    SIGNET_ASSIGN_OR_RETURN(Value own, calls[k]->function->MakeResult(std::move(split[k])));
    results.push_back(std::move(own));
  }
  return results;
}

size_t ArgumentBytesOf(const PreparedCall& call) {
  size_t bytes = 0;
  for (const Value& argument : call.arguments) {
    for (const Tensor& tensor : argument.components()) bytes += tensor.num_bytes();
  }
  return bytes;
}

}  // namespace signet
