// AccessControl: finds out who makes a call, and whether the caller may make it.
//
//   SIGNET_ASSIGN_OR_RETURN(Access access, server.access.Authenticate(context));
//   SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kGetModel, "recipes"));
//
// The rules:
//   1. Without the flags --tokens_file, --jwt_keys, and --policy_file, every call is permitted.
//   2. A bearer token in the metadata `authorization` identifies the caller. A token that is wrong
//      or has expired is UNAUTHENTICATED, even if anonymous callers may make the call.
//   3. Without a token, the client certificate identifies the caller. It was verified when the
//      connection began. Without both, the caller is anonymous.
//   4. With a policy, a call is permitted if a rule grants it. Otherwise, the error is
//      PERMISSION_DENIED, or UNAUTHENTICATED if the caller is anonymous. The error is the same
//      whether or not the model exists.
//   5. With tokens and without a policy, identified callers may use everything except
//      AdminService, and anonymous callers may only read the health of the server.
//
// The files are read by Load and replaced by Reload. The results of checks are kept for the SHA-256
// digests of up to kMaxCached tokens, so that a token is verified once; a reload forgets them.
// Thread-safe.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <grpcpp/server_context.h>

#include "server/security/digest.h"
#include "server/security/errors.h"
#include "server/security/identity.h"
#include "server/security/jwt_verifier.h"
#include "server/security/options.h"
#include "server/security/policy.h"
#include "server/security/token_table.h"
#include "server/security/usage.h"
#include "server/security/watched_file.h"
#include "signet/status.h"

namespace signet {

// A caller and what it may do. Immutable, except for the usage.
struct Caller {
  Identity identity;
  Permissions permissions;
  std::shared_ptr<Usage> usage;
};

// The access of one call. A default-constructed Access permits everything. Immutable; thread-safe.
class Access {
 public:
  Access() = default;
  explicit Access(std::shared_ptr<const Caller> caller) : caller_(std::move(caller)) {}

  // Returns whether the caller may use `rpc` on `model`.
  bool Permits(Rpc rpc, std::string_view model) const {
    return caller_ == nullptr || caller_->permissions.Permits(rpc, model);
  }
  // Returns the error of a call of `rpc` on `model` that is not permitted, or OK.
  Status Check(Rpc rpc, std::string_view model) const {
    return Permits(rpc, model) ? absl::OkStatus() : Denied(rpc);
  }
  // Returns OK if the caller may use `rpc` at all.
  Status Check(Rpc rpc) const {
    bool permits = caller_ == nullptr || caller_->permissions.Permits(rpc);
    return permits ? absl::OkStatus() : Denied(rpc);
  }
  // Begins a call with a request of `bytes`. Returns RESOURCE_EXHAUSTED with the reason
  // RATE_LIMITED, CALLS_LIMITED, or REQUEST_TOO_LARGE if a limit of the caller is exceeded.
  StatusOr<CallSlot> Begin(size_t bytes) const {
    if (caller_ == nullptr || caller_->usage == nullptr) return CallSlot();
    return BeginLimited(bytes);
  }

 private:
  Status Denied(Rpc rpc) const;
  StatusOr<CallSlot> BeginLimited(size_t bytes) const;

  std::shared_ptr<const Caller> caller_;  // null: everything is permitted
};

class AccessControl {
 public:
  static constexpr size_t kMaxCached = 8192;

  AccessControl();
  ~AccessControl();
  AccessControl(const AccessControl&) = delete;
  AccessControl& operator=(const AccessControl&) = delete;

  // Reads the files of `options`. Call it before the server accepts calls. Errors begin with the
  // flag of the file.
  Status Load(const SecurityOptions& options);
  // Reads the files again if one has changed. Returns true if they were replaced. If a file is
  // wrong, returns the error, once per change, and keeps what was read before.
  StatusOr<bool> Reload();

  bool is_enabled() const { return is_enabled_; }
  // Describes what was read: `3 tokens, 1 JWT key, 4 rules`.
  std::string Describe() const;

  // Returns who makes the call of `context`. Returns UNAUTHENTICATED if its token is wrong or has
  // expired.
  template <class Context>
  StatusOr<Access> Authenticate(const Context& context) const {
    if (!is_enabled_) return Access();
    return AuthenticateCall(context);
  }
  // Does both of the above for an RPC that names no model.
  template <class Context>
  Status Authorize(const Context& context, Rpc rpc) const {
    if (!is_enabled_) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(Access access, AuthenticateCall(context));
    return access.Check(rpc);
  }
  // Returns OK if the caller may use AdminService. Without the flags of rule 1, every caller may.
  template <class Context>
  Status AuthorizeAdmin(const Context& context) const {
    return Authorize(context, Rpc::kAdmin);
  }

  // The following functions serve tests and Authenticate. `authorization` is the value of the
  // metadata, if there is one.
  StatusOr<Access> AuthenticateToken(std::string_view authorization) const;
  Access AuthenticateCertificate(std::vector<std::string> names) const;
  // Does the same for a request of another protocol. An empty `authorization` is none.
  StatusOr<Access> AuthenticateRequest(std::string_view authorization,
                                       const std::vector<std::string>& certificate_names) const;
  Access Anonymous() const;

 private:
  struct Snapshot;

  StatusOr<Access> AuthenticateCall(const grpc::ServerContextBase& context) const;
  std::shared_ptr<const Snapshot> Current() const;
  StatusOr<std::shared_ptr<const Snapshot>> ReadFiles();
  std::shared_ptr<const Caller> CallerOf(const Snapshot& snapshot, Identity identity) const;
  std::shared_ptr<Usage> UsageOf(const std::string& name) const;

  bool is_enabled_ = false;
  bool verifies_clients_ = false;
  std::string issuer_;
  std::string audience_;

  std::mutex reload_mu_;  // guards the following files
  std::array<WatchedFile, 3> files_;

  mutable std::mutex mu_;
  std::shared_ptr<const Snapshot> snapshot_;  // guarded by mu_

  mutable std::mutex usage_mu_;
  // By the name of the identity; guarded by usage_mu_. The limits of a caller outlive a reload.
  mutable absl::flat_hash_map<std::string, std::shared_ptr<Usage>> usages_;
};

}  // namespace signet
