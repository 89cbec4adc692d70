// MakeTlsContext, NamesOfCertificate: TLS of HTTP connections, with the certificates of the server.
// Stateless; thread-safe.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "server/security/tls.h"
#include "signet/status.h"

namespace signet {

// Returns a context for TLS 1.2 and later with the newest certificates. Returns
// FAILED_PRECONDITION if they cannot be used.
StatusOr<std::shared_ptr<boost::asio::ssl::context>> MakeTlsContext(
    const TlsCertificates& certificates);

// Returns the common name and the alternative names of the client's certificate, which TLS has
// verified; none if the client has sent no certificate.
std::vector<std::string> NamesOfCertificate(SSL* connection);

}  // namespace signet
