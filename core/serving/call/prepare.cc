#include "core/serving/call/prepare.h"

#include <utility>

#include "core/serving/call/decode.h"
#include "core/serving/call/execute.h"
#include "core/serving/call/needed_columns.h"

namespace signet {
namespace {

constexpr size_t kRowBytes = 16;  // counted for a protobuf row in addition to its bytes

size_t EncodedBytes(const BoundCall& call) {
  size_t bytes = 0;
  for (const BoundArgument& argument : call.encoded) {
    bytes += argument.encoded.data.size();
    for (const Buffer& row : argument.encoded.rows) bytes += row.size() + kRowBytes;
  }
  return bytes;
}

Status CheckNoTypes(const BoundCall& call) {
  auto reject = [](std::string_view name) {
    return WithField(
        name, InvalidArgument("argument `", Printable(name),
                              "`: expected a value, found a type; only Explain accepts types"));
  };
  const auto& [positional, keyword] = call.arguments;
  for (size_t i = 0; i < positional.size(); ++i) {
    if (!positional[i].is_placeholder()) continue;
    return reject(PositionalName(call.called.function->def().type, i));
  }
  for (const auto& [name, value] : keyword) {
    if (value.is_placeholder()) return reject(name);
  }
  return absl::OkStatus();
}

PolymorphicFunction::Prepared PreparedDirectly(std::shared_ptr<const ConcreteFunction> concrete,
                                               BoundCall& call) {
  return {std::move(concrete), std::move(call.arguments.positional)};
}

// Sets the canonical call. Its arguments replace the arguments of the call.
Status CanonicalizeCall(BoundCall& call, const RunControl& control) {
  auto canonical = call.called.function->Canonicalize(*call.binding, call.arguments, control);
  if (control.is_stopped()) return StoppedCall();
  SIGNET_ASSIGN_OR_RETURN(call.canonical, std::move(canonical));
  call.arguments = {};
  return absl::OkStatus();
}

}  // namespace

StatusOr<PolymorphicFunction::Prepared> PrepareCall(BoundCall& call, const Limits& limits,
                                                    const RunControl& control) {
  if (call.concrete != nullptr) return PreparedDirectly(std::move(call.concrete), call);
  if (!call.canonical) {
    SIGNET_RETURN_IF_ERROR(CheckNoTypes(call));
    if (control.must_be_short() && EncodedBytes(call) > kSmallEncodedBytes) {
      return control.deferral->Move();
    }
    if (!call.encoded.empty() && !call.needs_all_columns) {
      SIGNET_ASSIGN_OR_RETURN(auto partial, PrepareWithNeededColumns(call, limits, control));
      if (control.is_stopped()) return StoppedCall();
      if (partial) return *std::move(partial);
      call.needs_all_columns = true;
    }
    if (!call.encoded.empty()) {
      Status decoded = DecodeArguments(call, limits, control.deferral);
      EndStage(call.times, Stage::kDecode);
      SIGNET_RETURN_IF_ERROR(decoded);
      auto concrete = call.called.function->LookupDirect(call.arguments);
      if (concrete != nullptr) return PreparedDirectly(std::move(concrete), call);
    }
    SIGNET_RETURN_IF_ERROR(CanonicalizeCall(call, control));
  }
  auto prepared = call.called.function->Select(*call.canonical, control);
  if (control.is_stopped()) return StoppedCall();
  return prepared;
}

}  // namespace signet
