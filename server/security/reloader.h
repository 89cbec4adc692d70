// SecurityReloader: reads certificates, tokens, keys, and the policy again when their files change.
//
// A thread checks the files once per kInterval. What it read, and why a file is wrong, is logged. A
// wrong file changes nothing. Thread-safe.

#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "server/security/access_control.h"
#include "server/security/tls.h"

namespace signet {

class SecurityReloader {
 public:
  static constexpr std::chrono::milliseconds kInterval{1000};

  // Starts the thread. `tls` may be null. `access` must outlive this object.
  SecurityReloader(std::shared_ptr<TlsCertificates> tls, AccessControl& access);
  ~SecurityReloader();
  SecurityReloader(const SecurityReloader&) = delete;
  SecurityReloader& operator=(const SecurityReloader&) = delete;

  // Checks the files now.
  void ReloadNow();

 private:
  void Run();

  const std::shared_ptr<TlsCertificates> tls_;
  AccessControl& access_;
  std::mutex mu_;
  std::condition_variable stopped_;
  bool stop_ = false;  // guarded by mu_
  std::thread thread_;
};

// Logs what a server uses: the certificate, tokens, and rules. Warns if tokens are sent in plain
// text.
void LogSecurity(const TlsCertificates* tls, const AccessControl& access);

}  // namespace signet
