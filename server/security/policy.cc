#include "server/security/policy.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <google/protobuf/repeated_ptr_field.h>

#include "core/base/nearest_name.h"
#include "core/formats/protobuf/text_message.h"
#include "signet/v1/policy.pb.h"

namespace signet {
namespace {

constexpr char kAnonymous[] = "anonymous";
constexpr char kAuthenticated[] = "authenticated";
constexpr std::string_view kKinds[] = {"token:", "jwt:", "jwt_role:", "cert:"};
// With these limits, the times of a bucket of calls fit into 64 bits of nanoseconds.
constexpr double kMinCallsPerSecond = 1e-3;
constexpr double kMaxCallsPerSecond = 1e6;
constexpr int32_t kMaxBurst = 1'000'000;

Status CheckMember(const std::string& member) {
  if (member == kAnonymous || member == kAuthenticated) return absl::OkStatus();
  for (std::string_view kind : kKinds) {
    if (member.starts_with(kind) && member.size() > kind.size()) return absl::OkStatus();
  }
  return InvalidArgument(
      "expected `token:NAME`, `jwt:SUBJECT`, `jwt_role:NAME`, `cert:NAME`, `authenticated`, or "
      "`anonymous`, found `",
      Printable(member), "`");
}

bool NeedsModels(Rpc rpc) {
  return rpc == Rpc::kCall || rpc == Rpc::kExplain || rpc == Rpc::kGetModel ||
         rpc == Rpc::kListModels;
}

template <class Number>
Number Lowest(Number a, Number b) {
  if (a == 0) return b;
  return b == 0 ? a : std::min(a, b);
}

}  // namespace

std::string_view NameOf(Rpc rpc) {
  switch (rpc) {
    case Rpc::kCall:
      return "Call";
    case Rpc::kExplain:
      return "Explain";
    case Rpc::kGetModel:
      return "GetModel";
    case Rpc::kListModels:
      return "ListModels";
    case Rpc::kHealth:
      return "health checks";
    case Rpc::kReflection:
      return "reflection";
    case Rpc::kAdmin:
      return "administration";
  }
  return "";
}

bool IsMatch(std::string_view pattern, std::string_view name) {
  // After a mismatch, the characters for the last `*` are extended by one.
  size_t p = 0;
  size_t n = 0;
  std::optional<size_t> star;
  size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star.has_value()) {
      p = *star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Permissions Permissions::AllData() {
  static const auto* const kGrant =
      new std::shared_ptr<const Grant>(std::make_shared<Grant>(Grant{~MaskOf(Rpc::kAdmin), {"*"}}));
  Permissions out;
  out.rpcs_ = (*kGrant)->rpcs;
  out.grants_ = {*kGrant};
  return out;
}

Permissions Permissions::HealthOnly() {
  Permissions out;
  out.rpcs_ = MaskOf(Rpc::kHealth);
  return out;
}

bool Permissions::Permits(Rpc rpc, std::string_view model) const {
  if (!Permits(rpc)) return false;
  for (const auto& grant : grants_) {
    if ((grant->rpcs & MaskOf(rpc)) == 0) continue;
    for (const std::string& pattern : grant->models) {
      if (IsMatch(pattern, model)) return true;
    }
  }
  return false;
}

StatusOr<AccessPolicy> AccessPolicy::Parse(std::string_view text) {
  v1::Policy proto;
  SIGNET_RETURN_IF_ERROR(ParseTextMessage(text, proto));
  AccessPolicy out;
  std::vector<std::string_view> names;
  for (int i = 0; i < proto.roles_size(); ++i) {
    const v1::Role& role = proto.roles(i);
    const std::string place = Cat("roles[", i, "]");
    if (role.name().empty()) return InvalidArgument(place, ".name: expected a name");
    if (std::find(names.begin(), names.end(), role.name()) != names.end()) {
      return InvalidArgument(place, ".name: duplicate role `", Printable(role.name()), "`");
    }
    for (const std::string& member : role.members()) {
      SIGNET_RETURN_IF_ERROR(At(Cat(place, ".members"), CheckMember(member)));
    }
    names.push_back(role.name());
    out.roles_.push_back({role.name(), {role.members().begin(), role.members().end()}});
  }
  auto find_roles = [&](const google::protobuf::RepeatedPtrField<std::string>& wanted,
                        const std::string& place) -> StatusOr<std::vector<size_t>> {
    if (wanted.empty()) return InvalidArgument(place, ".roles: expected at least one role");
    std::vector<size_t> found;
    for (const std::string& name : wanted) {
      auto role = std::find(names.begin(), names.end(), name);
      if (role == names.end()) {
        auto nearest = NearestName(name, names);
        return InvalidArgument(place, ".roles: role `", Printable(name), "` is not defined",
                               nearest ? Cat("; did you mean `", *nearest, "`?") : "");
      }
      found.push_back(static_cast<size_t>(role - names.begin()));
    }
    return found;
  };
  for (int i = 0; i < proto.rules_size(); ++i) {
    const v1::Rule& rule = proto.rules(i);
    const std::string place = Cat("rules[", i, "]");
    Rule added;
    SIGNET_ASSIGN_OR_RETURN(added.roles, find_roles(rule.roles(), place));
    Permissions::Grant grant{0, {rule.models().begin(), rule.models().end()}};
    bool needs_models = false;
    bool may_have_models = false;
    for (int number : rule.rpcs()) {
      if (number < 1 || number > static_cast<int>(Rpc::kAdmin)) {
        return InvalidArgument(place, ".rpcs: expected CALL, EXPLAIN, GET_MODEL, LIST_MODELS, ",
                               "HEALTH, REFLECTION, or ADMIN, found ", number);
      }
      const Rpc rpc{static_cast<uint8_t>(number)};
      grant.rpcs |= Permissions::MaskOf(rpc);
      needs_models = needs_models || NeedsModels(rpc);
      may_have_models = may_have_models || NeedsModels(rpc) || rpc == Rpc::kHealth;
    }
    if (grant.rpcs == 0) return InvalidArgument(place, ".rpcs: expected at least one RPC");
    const uint32_t admin = Permissions::MaskOf(Rpc::kAdmin);
    if ((grant.rpcs & admin) != 0 && grant.rpcs != admin) {
      return InvalidArgument(place, ".rpcs: expected ADMIN in a rule of its own, found other RPCs");
    }
    if (needs_models && grant.models.empty()) {
      return InvalidArgument(place, ".models: expected at least one name of a model; `*` matches ",
                             "every model");
    }
    if (!may_have_models && !grant.models.empty()) {
      return InvalidArgument(place, ".models: the RPCs of this rule have no model");
    }
    added.grant = std::make_shared<const Permissions::Grant>(std::move(grant));
    out.rules_.push_back(std::move(added));
  }
  for (int i = 0; i < proto.limits_size(); ++i) {
    const v1::CallerLimits& limits = proto.limits(i);
    const std::string place = Cat("limits[", i, "]");
    Limit added;
    SIGNET_ASSIGN_OR_RETURN(added.roles, find_roles(limits.roles(), place));
    const double rate = limits.calls_per_second();
    if (rate != 0 && !(rate >= kMinCallsPerSecond && rate <= kMaxCallsPerSecond)) {
      return InvalidArgument(place, ".calls_per_second: expected 0, or a number from 0.001 to ",
                             "1000000, found ", rate);
    }
    if (limits.burst() > kMaxBurst) {
      return InvalidArgument(place, ".burst: expected at most ", kMaxBurst, ", found ",
                             limits.burst());
    }
    if (limits.burst() < 0 || limits.concurrent_calls() < 0 || limits.request_bytes() < 0) {
      return InvalidArgument(place, ": expected numbers of at least 0");
    }
    if (rate == 0 && limits.burst() > 0) {
      return InvalidArgument(place, ".burst: expected calls_per_second, too");
    }
    if (rate == 0 && limits.concurrent_calls() == 0 && limits.request_bytes() == 0) {
      return InvalidArgument(place, ": expected calls_per_second, concurrent_calls, or ",
                             "request_bytes");
    }
    added.limits = {rate, limits.burst(), limits.concurrent_calls(), limits.request_bytes()};
    if (rate > 0 && added.limits.burst == 0) {
      added.limits.burst = static_cast<int32_t>(std::max(1.0, std::ceil(rate)));
    }
    out.limits_.push_back(std::move(added));
  }
  return out;
}

Permissions AccessPolicy::PermissionsOf(const Identity& identity) const {
  std::vector<bool> has_role(roles_.size());
  for (size_t i = 0; i < roles_.size(); ++i) {
    for (const std::string& member : roles_[i].members) {
      bool is_member = member == (identity.is_anonymous() ? kAnonymous : kAuthenticated);
      for (const std::string& name : identity.names) is_member = is_member || IsMatch(member, name);
      if (is_member) has_role[i] = true;
    }
  }
  auto applies = [&](const std::vector<size_t>& roles) {
    return std::any_of(roles.begin(), roles.end(), [&](size_t role) { return has_role[role]; });
  };
  Permissions out;
  for (const Rule& rule : rules_) {
    if (!applies(rule.roles)) continue;
    out.rpcs_ |= rule.grant->rpcs;
    out.grants_.push_back(rule.grant);
  }
  for (const Limit& limit : limits_) {
    if (!applies(limit.roles)) continue;
    CallerLimits& limits = out.limits_;
    limits.calls_per_second = Lowest(limits.calls_per_second, limit.limits.calls_per_second);
    limits.burst = Lowest(limits.burst, limit.limits.burst);
    limits.concurrent_calls = Lowest(limits.concurrent_calls, limit.limits.concurrent_calls);
    limits.request_bytes = Lowest(limits.request_bytes, limit.limits.request_bytes);
  }
  return out;
}

}  // namespace signet
