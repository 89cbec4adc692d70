// MakeChannelCredentials, BearerTokenOf, MakeTokenInterceptors: turn ClientOptions into what gRPC
// needs.
// Thread-safe.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <grpcpp/security/credentials.h>
#include <grpcpp/support/client_interceptor.h>

#include "signet/client.h"
#include "signet/status.h"

namespace signet {

// Returns true if the options select TLS.
bool UsesTls(const ClientOptions& options);

// Returns true if `address` is a Unix socket or an address of this machine, or a list of such
// addresses.
bool IsLocalAddress(const std::string& address);

// Reads a small file. Returns INVALID_ARGUMENT that begins with `option` if it cannot be read.
StatusOr<std::string> ReadCredentialFile(const std::string& option, const std::string& path);

// Returns TLS or plain credentials. Returns INVALID_ARGUMENT if a file is missing or contains no
// PEM, or if there is a certificate without a key.
StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const ClientOptions& options);

// Returns the token of the options, or an empty string if there is none. Returns INVALID_ARGUMENT
// if the file of the token cannot be read, or if the token would be sent in plain text to another
// machine.
StatusOr<std::string> BearerTokenOf(const std::string& address, const ClientOptions& options,
                                    bool uses_tls);

using ClientInterceptors =
    std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>;

// Returns an interceptor that adds the token to each call, or none if there is no token. Returns
// the errors of BearerTokenOf.
StatusOr<ClientInterceptors> MakeTokenInterceptors(const std::string& address,
                                                   const ClientOptions& options);

}  // namespace signet
