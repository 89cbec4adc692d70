#include "server/security/access_control.h"

#include <chrono>
#include <utility>

#include <absl/strings/match.h>
#include <grpcpp/security/auth_context.h>

namespace signet {
namespace {

constexpr size_t kShards = 16;
constexpr size_t kMaxUsages = 16384;
constexpr char kAuthorization[] = "authorization";
constexpr std::string_view kBearer = "bearer ";

int64_t MonotonicNanoseconds() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// The callers of recent tokens or certificates, by digest.
class CallerCache {
 public:
  std::shared_ptr<const Caller> Lookup(const Digest& digest) {
    Shard& shard = ShardOf(digest);
    std::lock_guard lock(shard.mu);
    auto found = shard.callers.find(digest);
    return found == shard.callers.end() ? nullptr : found->second;
  }
  void Add(const Digest& digest, std::shared_ptr<const Caller> caller) {
    Shard& shard = ShardOf(digest);
    std::lock_guard lock(shard.mu);
    if (shard.callers.size() >= AccessControl::kMaxCached / kShards) {
      shard.callers.erase(shard.callers.begin());  // in the order of the table, which is random
    }
    shard.callers[digest] = std::move(caller);
  }
  void Remove(const Digest& digest) {
    Shard& shard = ShardOf(digest);
    std::lock_guard lock(shard.mu);
    shard.callers.erase(digest);
  }

 private:
  struct Shard {
    std::mutex mu;
    absl::flat_hash_map<Digest, std::shared_ptr<const Caller>, DigestHash, DigestEqual>
        callers;  // guarded by mu
  };
  Shard& ShardOf(const Digest& digest) { return shards_[digest.back() % kShards]; }

  std::array<Shard, kShards> shards_;
};

}  // namespace

// What the files contain, and the callers that were checked against it.
struct AccessControl::Snapshot {
  std::optional<TokenTable> tokens;
  std::optional<JwtVerifier> jwt;
  std::optional<AccessPolicy> policy;
  std::shared_ptr<const Caller> anonymous;
  mutable CallerCache by_token;
  mutable CallerCache by_certificate;
};

Status Access::Denied(Rpc rpc) const {
  if (caller_->identity.is_anonymous()) {
    return Unauthenticated(kCredentialsMissing,
                           "expected a bearer token in the metadata (over HTTP, the header) "
                           "`authorization` or a client "
                           "certificate, found neither");
  }
  const bool has_model = rpc != Rpc::kReflection && rpc != Rpc::kAdmin;
  return NotPermitted(Cat("`", Printable(caller_->identity.name()), "` has no permission for ",
                          NameOf(rpc), has_model ? " of this model" : ""));
}

StatusOr<CallSlot> Access::BeginLimited(size_t bytes) const {
  const CallerLimits& limits = caller_->permissions.limits();
  auto fail = [&](std::string_view reason, const auto&... why) {
    return WithReason(reason,
                      ResourceExhausted("`", Printable(caller_->identity.name()), "`: ", why...));
  };
  if (limits.request_bytes > 0 && bytes > static_cast<size_t>(limits.request_bytes)) {
    return fail(kRequestTooLarge, "a request of ", bytes, " bytes exceeds the limit of ",
                limits.request_bytes, " of this caller");
  }
  if (!caller_->usage->Begin(limits.concurrent_calls)) {
    return fail(kCallsLimited, "the limit of ", limits.concurrent_calls,
                " calls at a time of this caller is reached");
  }
  CallSlot slot = MakeCallSlot(caller_->usage);
  if (limits.calls_per_second > 0) {
    int64_t wait =
        caller_->usage->Take(limits.calls_per_second, limits.burst, MonotonicNanoseconds());
    if (wait > 0) {
      return fail(kRateLimited, "the limit of ", limits.calls_per_second,
                  " calls per second of this caller is reached; retry after ",
                  (wait + 999'999) / 1'000'000, " ms");
    }
  }
  return slot;
}

AccessControl::AccessControl()
    : files_{WatchedFile("--tokens_file", {}), WatchedFile("--jwt_keys", {}),
             WatchedFile("--policy_file", {})} {}
AccessControl::~AccessControl() = default;

Status AccessControl::Load(const SecurityOptions& options) {
  verifies_clients_ = !options.tls_client_ca.empty();
  issuer_ = options.jwt_issuer;
  audience_ = options.jwt_audience;
  files_ = {WatchedFile("--tokens_file", options.tokens_file),
            WatchedFile("--jwt_keys", options.jwt_keys),
            WatchedFile("--policy_file", options.policy_file)};
  for (const WatchedFile& file : files_) is_enabled_ = is_enabled_ || file.is_set();
  if (!is_enabled_) return absl::OkStatus();
  std::lock_guard reload_lock(reload_mu_);
  SIGNET_ASSIGN_OR_RETURN(std::shared_ptr<const Snapshot> read, ReadFiles());
  std::lock_guard lock(mu_);
  snapshot_ = std::move(read);
  return absl::OkStatus();
}

StatusOr<bool> AccessControl::Reload() {
  std::lock_guard reload_lock(reload_mu_);
  bool changed = false;
  for (const WatchedFile& file : files_) changed = changed || (file.is_set() && file.HasChanged());
  if (!changed) return false;
  SIGNET_ASSIGN_OR_RETURN(std::shared_ptr<const Snapshot> read, ReadFiles());
  std::lock_guard lock(mu_);
  snapshot_ = std::move(read);
  return true;
}

StatusOr<std::shared_ptr<const AccessControl::Snapshot>> AccessControl::ReadFiles() {
  // Every file is read, so that an error is returned once per change.
  std::array<StatusOr<std::string>, 3> texts;
  for (size_t i = 0; i < files_.size(); ++i) {
    texts[i] = files_[i].is_set() ? files_[i].Read() : std::string();
  }
  for (const auto& text : texts) SIGNET_RETURN_IF_ERROR(text.status());
  auto add = [](const WatchedFile& file, auto parsed, auto& member) -> Status {
    if (!parsed.ok()) return At(file.flag(), parsed.status());
    member = *std::move(parsed);
    return absl::OkStatus();
  };
  auto out = std::make_shared<Snapshot>();
  if (files_[0].is_set()) {
    SIGNET_RETURN_IF_ERROR(add(files_[0], TokenTable::Parse(*texts[0]), out->tokens));
  }
  if (files_[1].is_set()) {
    SIGNET_RETURN_IF_ERROR(
        add(files_[1], JwtVerifier::Make(*texts[1], issuer_, audience_), out->jwt));
  }
  if (files_[2].is_set()) {
    SIGNET_RETURN_IF_ERROR(add(files_[2], AccessPolicy::Parse(*texts[2]), out->policy));
  }
  out->anonymous = CallerOf(*out, {});
  return std::shared_ptr<const Snapshot>(std::move(out));
}

std::string AccessControl::Describe() const {
  std::shared_ptr<const Snapshot> snapshot = Current();
  std::vector<std::string> parts;
  if (snapshot->tokens) parts.push_back(Cat(snapshot->tokens->size(), " tokens"));
  if (snapshot->jwt) parts.push_back(Cat(snapshot->jwt->num_keys(), " JWT keys"));
  if (snapshot->policy) parts.push_back(Cat(snapshot->policy->num_rules(), " rules"));
  return Join(parts, ", ");
}

std::shared_ptr<const AccessControl::Snapshot> AccessControl::Current() const {
  std::lock_guard lock(mu_);
  return snapshot_;
}

std::shared_ptr<Usage> AccessControl::UsageOf(const std::string& name) const {
  std::lock_guard lock(usage_mu_);
  if (usages_.size() >= kMaxUsages) {
    // Callers that no cache and no call refers to are forgotten.
    absl::erase_if(usages_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  auto& usage = usages_[name];
  if (usage == nullptr) usage = std::make_shared<Usage>();
  return usage;
}

std::shared_ptr<const Caller> AccessControl::CallerOf(const Snapshot& snapshot,
                                                      Identity identity) const {
  auto caller = std::make_shared<Caller>();
  if (snapshot.policy) {
    caller->permissions = snapshot.policy->PermissionsOf(identity);
  } else if (!identity.is_anonymous()) {
    caller->permissions = Permissions::AllData();
  } else {
    caller->permissions = Permissions::HealthOnly();
  }
  const CallerLimits& limits = caller->permissions.limits();
  if (limits.calls_per_second > 0 || limits.concurrent_calls > 0 || limits.request_bytes > 0) {
    caller->usage = UsageOf(identity.name());
  }
  caller->identity = std::move(identity);
  return caller;
}

StatusOr<Access> AccessControl::AuthenticateToken(std::string_view authorization) const {
  if (authorization.size() <= kBearer.size() ||
      !absl::StartsWithIgnoreCase(std::string(authorization.substr(0, kBearer.size())),
                                  "bearer ")) {
    return Unauthenticated(
        kTokenInvalid,
        "expected the metadata (over HTTP, the header) `authorization` to be `Bearer TOKEN`");
  }
  const std::string_view token = authorization.substr(kBearer.size());
  const Digest digest = DigestOf(token);
  const std::shared_ptr<const Snapshot> snapshot = Current();
  const absl::Time now = absl::Now();
  if (auto caller = snapshot->by_token.Lookup(digest)) {
    if (caller->identity.expires > now) return Access(std::move(caller));
    snapshot->by_token.Remove(digest);
    return ExpiredToken();
  }
  Identity identity;
  if (const Identity* known = snapshot->tokens ? snapshot->tokens->Lookup(digest) : nullptr) {
    if (known->expires <= now) return ExpiredToken();
    identity = *known;
  } else if (snapshot->jwt) {
    SIGNET_ASSIGN_OR_RETURN(identity, snapshot->jwt->Verify(token, now));
  } else {
    return InvalidToken();
  }
  auto caller = CallerOf(*snapshot, std::move(identity));
  snapshot->by_token.Add(digest, caller);
  return Access(std::move(caller));
}

Access AccessControl::AuthenticateCertificate(std::vector<std::string> names) const {
  const std::shared_ptr<const Snapshot> snapshot = Current();
  if (names.empty()) return Access(snapshot->anonymous);
  for (std::string& name : names) name.insert(0, "cert:");
  std::string key;
  for (const std::string& name : names) key.append(name).push_back('\0');
  const Digest digest = DigestOf(key);
  if (auto caller = snapshot->by_certificate.Lookup(digest)) return Access(std::move(caller));
  auto caller = CallerOf(*snapshot, {.names = std::move(names)});
  snapshot->by_certificate.Add(digest, caller);
  return Access(std::move(caller));
}

Access AccessControl::Anonymous() const { return Access(Current()->anonymous); }

StatusOr<Access> AccessControl::AuthenticateRequest(
    std::string_view authorization, const std::vector<std::string>& certificate_names) const {
  if (!is_enabled_) return Access();
  if (!authorization.empty()) return AuthenticateToken(authorization);
  return verifies_clients_ ? AuthenticateCertificate(certificate_names) : Anonymous();
}

StatusOr<Access> AccessControl::AuthenticateCall(const grpc::ServerContextBase& context) const {
  auto [begin, end] = context.client_metadata().equal_range(kAuthorization);
  if (begin != end) {
    std::string_view value(begin->second.data(), begin->second.size());
    if (std::next(begin) != end) {
      return Unauthenticated(kTokenInvalid, "expected one value of the metadata `authorization`");
    }
    return AuthenticateToken(value);
  }
  if (!verifies_clients_) return Anonymous();
  std::vector<std::string> names;
  std::shared_ptr<const grpc::AuthContext> auth = context.auth_context();
  for (const char* property : {"x509_common_name", "x509_subject_alternative_name"}) {
    for (const grpc::string_ref& value : auth->FindPropertyValues(property)) {
      names.emplace_back(value.data(), value.size());
    }
  }
  return AuthenticateCertificate(std::move(names));
}

}  // namespace signet
