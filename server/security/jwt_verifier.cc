#include "server/security/jwt_verifier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <cjose/cjose.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <simdjson.h>

#include "server/security/errors.h"
#include "server/security/openssl.h"

namespace signet {
namespace {

using simdjson::dom::element;

constexpr absl::Duration kClockDifference = absl::Seconds(30);  // tolerated for `nbf`
constexpr size_t kMaxRoles = 100;
constexpr size_t kMaxClaimBytes = 500;
constexpr int kMinRsaBits = 2048;
constexpr int kMinSecretBits = 256;

using Jwk = std::unique_ptr<cjose_jwk_t, FreeWith<cjose_jwk_release>>;
using Jws = std::unique_ptr<cjose_jws_t, FreeWith<cjose_jws_release>>;
using Number = std::unique_ptr<BIGNUM, FreeWith<BN_free>>;

// Returns the string `name` of an object, or an empty string.
std::string StringOf(const element& object, std::string_view name) {
  std::string_view text;
  return object[name].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

std::vector<unsigned char> BytesOf(const EVP_PKEY* key, const char* name, size_t size = 0) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) return {};
  Number number(raw);
  std::vector<unsigned char> out(std::max<size_t>(size, static_cast<size_t>(BN_num_bytes(raw))));
  BN_bn2binpad(raw, out.data(), static_cast<int>(out.size()));
  return out;
}

// Returns a JWK with the public key of `text`, in PEM.
StatusOr<Jwk> ReadPem(const std::string& text) {
  BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  KeyPtr key(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (key == nullptr) {
    return InvalidArgument("expected a public key in PEM (BEGIN PUBLIC KEY), a JWK, or a JWK set");
  }
  cjose_err error;
  if (EVP_PKEY_is_a(key.get(), "RSA") == 1) {
    auto n = BytesOf(key.get(), OSSL_PKEY_PARAM_RSA_N);
    auto e = BytesOf(key.get(), OSSL_PKEY_PARAM_RSA_E);
    cjose_jwk_rsa_keyspec spec = {};
    spec.n = n.data();
    spec.nlen = n.size();
    spec.e = e.data();
    spec.elen = e.size();
    if (Jwk jwk(cjose_jwk_create_RSA_spec(&spec, &error)); jwk != nullptr) return jwk;
  } else if (EVP_PKEY_is_a(key.get(), "EC") == 1) {
    char name[80] = {};
    EVP_PKEY_get_group_name(key.get(), name, sizeof(name), nullptr);
    constexpr std::pair<std::string_view, std::pair<cjose_jwk_ec_curve, size_t>> kCurves[] = {
        {"prime256v1", {CJOSE_JWK_EC_P_256, 32}},
        {"secp384r1", {CJOSE_JWK_EC_P_384, 48}},
        {"secp521r1", {CJOSE_JWK_EC_P_521, 66}},
    };
    for (const auto& [curve_name, curve] : kCurves) {
      if (curve_name != name) continue;
      auto x = BytesOf(key.get(), OSSL_PKEY_PARAM_EC_PUB_X, curve.second);
      auto y = BytesOf(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y, curve.second);
      cjose_jwk_ec_keyspec spec = {};
      spec.crv = curve.first;
      spec.x = x.data();
      spec.xlen = x.size();
      spec.y = y.data();
      spec.ylen = y.size();
      if (Jwk jwk(cjose_jwk_create_EC_spec(&spec, &error)); jwk != nullptr) return jwk;
    }
  }
  return InvalidArgument("expected an RSA key or an EC key on P-256, P-384, or P-521");
}

// Returns the algorithms for which `key` may be used.
StatusOr<std::vector<std::string>> AlgorithmsOf(const cjose_jwk_t* key) {
  cjose_err error;
  const auto bits = static_cast<int>(cjose_jwk_get_keysize(key, &error));
  switch (cjose_jwk_get_kty(key, &error)) {
    case CJOSE_JWK_KTY_RSA:
      if (bits < kMinRsaBits) {
        return InvalidArgument("expected an RSA key of at least ", kMinRsaBits, " bits, found ",
                               bits);
      }
      return std::vector<std::string>{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"};
    case CJOSE_JWK_KTY_EC:
      switch (cjose_jwk_EC_get_curve(key, &error)) {
        case CJOSE_JWK_EC_P_256:
          return std::vector<std::string>{"ES256"};
        case CJOSE_JWK_EC_P_384:
          return std::vector<std::string>{"ES384"};
        case CJOSE_JWK_EC_P_521:
          return std::vector<std::string>{"ES512"};
        default:
          return InvalidArgument("expected an EC key on P-256, P-384, or P-521");
      }
    case CJOSE_JWK_KTY_OCT:
      if (bits < kMinSecretBits) {
        return InvalidArgument("expected a secret of at least ", kMinSecretBits, " bits, found ",
                               bits);
      }
      return std::vector<std::string>{"HS256", "HS384", "HS512"};
    default:
      return InvalidArgument("expected a key of type RSA, EC, or oct");
  }
}

// Returns true if `audience` is the claim `aud` or one of its elements.
bool HasAudience(const element& claims, std::string_view audience) {
  element aud;
  if (claims["aud"].get(aud) != simdjson::SUCCESS) return false;
  std::string_view text;
  if (aud.get(text) == simdjson::SUCCESS) return text == audience;
  simdjson::dom::array list;
  if (aud.get(list) != simdjson::SUCCESS) return false;
  return std::any_of(list.begin(), list.end(), [&](const element& next) {
    return next.get(text) == simdjson::SUCCESS && text == audience;
  });
}

// Returns the time of a claim in seconds since 1970, or empty.
std::optional<absl::Time> TimeOf(const element& claims, std::string_view name) {
  double seconds = 0;
  if (claims[name].get(seconds) != simdjson::SUCCESS || !std::isfinite(seconds)) return {};
  if (std::abs(seconds) > 1e11) return {};
  return absl::UnixEpoch() + absl::Seconds(seconds);
}

}  // namespace

struct JwtVerifier::Key {
  Jwk jwk;
  std::string id;  // `kid`, or empty
  std::vector<std::string> algorithms;
};

JwtVerifier::JwtVerifier(std::string issuer, std::string audience)
    : issuer_(std::move(issuer)), audience_(std::move(audience)) {}
JwtVerifier::JwtVerifier(JwtVerifier&&) noexcept = default;
JwtVerifier& JwtVerifier::operator=(JwtVerifier&&) noexcept = default;
JwtVerifier::~JwtVerifier() = default;

StatusOr<JwtVerifier> JwtVerifier::Make(const std::string& keys, std::string issuer,
                                        std::string audience) {
  JwtVerifier out(std::move(issuer), std::move(audience));
  auto add = [&](Jwk jwk, std::string id, const std::string& algorithm) -> Status {
    SIGNET_ASSIGN_OR_RETURN(auto algorithms, AlgorithmsOf(jwk.get()));
    if (!algorithm.empty()) {
      if (std::find(algorithms.begin(), algorithms.end(), algorithm) == algorithms.end()) {
        return InvalidArgument("alg: expected one of ", Join(algorithms, ", "), ", found `",
                               Printable(algorithm), "`");
      }
      algorithms = {algorithm};
    }
    out.keys_.push_back(
        std::make_unique<const Key>(Key{std::move(jwk), std::move(id), std::move(algorithms)}));
    return absl::OkStatus();
  };
  const size_t first = keys.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || keys[first] != '{') {
    SIGNET_ASSIGN_OR_RETURN(Jwk jwk, ReadPem(keys));
    SIGNET_RETURN_IF_ERROR(add(std::move(jwk), "", ""));
    return out;
  }
  simdjson::dom::parser parser;
  element document;
  if (auto error = parser.parse(keys).get(document); error != simdjson::SUCCESS) {
    return InvalidArgument("expected JSON: ", simdjson::error_message(error));
  }
  auto add_json = [&](const element& item) -> Status {
    // Keys of other uses and types, as of encryption, may be in the same set.
    if (StringOf(item, "use") == "enc" || StringOf(item, "kty") == "OKP") return absl::OkStatus();
    std::string json = simdjson::minify(item);
    cjose_err error;
    Jwk jwk(cjose_jwk_import(json.data(), json.size(), &error));
    if (jwk == nullptr)
      return InvalidArgument("the key is not a valid JWK of type RSA, EC, or oct");
    return add(std::move(jwk), StringOf(item, "kid"), StringOf(item, "alg"));
  };
  simdjson::dom::array list;
  if (document["keys"].get(list) == simdjson::SUCCESS) {
    size_t i = 0;
    for (const element& item : list) {
      SIGNET_RETURN_IF_ERROR(At(Cat("keys[", i++, "]"), add_json(item)));
    }
  } else {
    SIGNET_RETURN_IF_ERROR(add_json(document));
  }
  if (out.keys_.empty()) {
    return InvalidArgument("expected at least one key for signatures of type RSA, EC, or oct");
  }
  return out;
}

StatusOr<Identity> JwtVerifier::Verify(std::string_view token, absl::Time now) const {
  if (token.size() > kMaxTokenBytes) return InvalidToken();
  // RFC 7515, section 2: the parts have no padding, which cjose accepts after the signature.
  if (token.find('=') != std::string_view::npos) return InvalidToken();
  cjose_err error;
  auto import = [&] { return Jws(cjose_jws_import(token.data(), token.size(), &error)); };
  Jws jws = import();
  if (jws == nullptr) return InvalidToken();
  cjose_header_t* header = cjose_jws_get_protected(jws.get());  // owned by jws
  auto text_of = [&](const char* name) {
    const char* text = cjose_header_get(header, name, &error);
    return std::string(text == nullptr ? "" : text);
  };
  const std::string algorithm = text_of("alg");
  const std::string id = text_of("kid");
  char* critical = cjose_header_get_raw(header, "crit", &error);
  if (critical != nullptr) {
    std::free(critical);
    return InvalidToken();
  }
  const bool has_named_key =
      !id.empty() &&
      std::any_of(keys_.begin(), keys_.end(), [&](const auto& key) { return key->id == id; });
  bool tried = false;
  bool verified = false;
  for (const auto& key : keys_) {
    if (has_named_key && key->id != id) continue;
    if (std::find(key->algorithms.begin(), key->algorithms.end(), algorithm) ==
        key->algorithms.end()) {
      continue;
    }
    if (tried) jws = import();  // a signature is checked once per import
    tried = true;
    verified = jws != nullptr && cjose_jws_verify(jws.get(), key->jwk.get(), &error);
    if (verified) break;
  }
  ERR_clear_error();
  if (!verified) return InvalidToken();

  uint8_t* bytes = nullptr;  // owned by jws
  size_t size = 0;
  if (!cjose_jws_get_plaintext(jws.get(), &bytes, &size, &error)) return InvalidToken();
  simdjson::dom::parser parser;
  element claims;
  if (parser.parse(reinterpret_cast<const char*>(bytes), size).get(claims) != simdjson::SUCCESS) {
    return InvalidToken();
  }
  const std::string subject = StringOf(claims, "sub");
  const std::optional<absl::Time> expires = TimeOf(claims, "exp");
  if (StringOf(claims, "iss") != issuer_ || !HasAudience(claims, audience_) || subject.empty() ||
      subject.size() > kMaxClaimBytes || !expires.has_value()) {
    return InvalidToken();
  }
  if (*expires <= now) return ExpiredToken();
  if (element nbf; claims["nbf"].get(nbf) == simdjson::SUCCESS) {
    std::optional<absl::Time> begin = TimeOf(claims, "nbf");
    if (!begin.has_value() || *begin > now + kClockDifference) return InvalidToken();
  }
  Identity identity{.names = {Cat("jwt:", subject)}, .expires = *expires};
  if (simdjson::dom::array roles; claims["roles"].get(roles) == simdjson::SUCCESS) {
    if (roles.size() > kMaxRoles) return InvalidToken();
    for (const element& role : roles) {
      std::string_view name;
      if (role.get(name) != simdjson::SUCCESS || name.size() > kMaxClaimBytes)
        return InvalidToken();
      identity.names.push_back(Cat("jwt_role:", name));
    }
  }
  return identity;
}

}  // namespace signet
