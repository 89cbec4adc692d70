// AccessPolicy: which callers may use which RPCs on which models (signet.v1.Policy).
//
//   SIGNET_ASSIGN_OR_RETURN(auto policy, AccessPolicy::Parse(text));
//   Permissions permissions = policy.PermissionsOf(identity);
//   permissions.Permits(Rpc::kCall, "recipes");
//
// Immutable. Permissions keep what they refer to.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/security/identity.h"
#include "signet/status.h"

namespace signet {

// What a rule can grant. The values are those of signet.v1.Rule.Rpc.
enum class Rpc : uint8_t {
  kCall = 1,  // Call and CallStream
  kExplain = 2,
  kGetModel = 3,
  kListModels = 4,
  kHealth = 5,
  kReflection = 6,
  kAdmin = 7,
};
// Returns the name of the RPC in errors: `Call`.
std::string_view NameOf(Rpc rpc);

// Returns true if `name` matches `pattern`, in which `*` stands for any characters.
//   IsMatch("team_*", "team_a")  =>  true
bool IsMatch(std::string_view pattern, std::string_view name);

// The limits of one caller; 0: no limit.
struct CallerLimits {
  double calls_per_second = 0;
  int32_t burst = 0;  // at least 1 if calls_per_second is set
  int32_t concurrent_calls = 0;
  int64_t request_bytes = 0;  // of one request
};

// What one caller may do.
class Permissions {
 public:
  // Returns permissions for every RPC except kAdmin on all models.
  static Permissions AllData();
  // Returns permissions for the health of the server, without that of its models.
  static Permissions HealthOnly();

  // Returns true if the caller may use `rpc` on at least one model, or if the RPC has no model.
  bool Permits(Rpc rpc) const { return (rpcs_ & MaskOf(rpc)) != 0; }
  // Returns true if the caller may use `rpc` on `model`.
  bool Permits(Rpc rpc, std::string_view model) const;
  const CallerLimits& limits() const { return limits_; }

 private:
  friend class AccessPolicy;

  struct Grant {
    uint32_t rpcs;
    std::vector<std::string> models;
  };
  static uint32_t MaskOf(Rpc rpc) { return uint32_t{1} << static_cast<uint32_t>(rpc); }

  uint32_t rpcs_ = 0;  // of all grants
  std::vector<std::shared_ptr<const Grant>> grants_;
  CallerLimits limits_;
};

class AccessPolicy {
 public:
  // Parses a signet.v1.Policy in text format. Returns INVALID_ARGUMENT with the line of a syntax
  // error or unknown field, or with the path of an invalid value: `rules[2].roles`.
  static StatusOr<AccessPolicy> Parse(std::string_view text);

  Permissions PermissionsOf(const Identity& identity) const;
  size_t num_rules() const { return rules_.size(); }

 private:
  struct Role {
    std::string name;
    std::vector<std::string> members;
  };
  struct Rule {
    std::vector<size_t> roles;  // indices of roles_
    std::shared_ptr<const Permissions::Grant> grant;
  };
  struct Limit {
    std::vector<size_t> roles;
    CallerLimits limits;
  };

  std::vector<Role> roles_;
  std::vector<Rule> rules_;
  std::vector<Limit> limits_;
};

}  // namespace signet
