#include "server/security/reloader.h"

#include <csignal>
#include <utility>

#include "server/observability/log.h"

namespace signet {
namespace {

void LogRejected(const Status& status) {
  Log(LogLevel::kError, "security file rejected",
      {{"reason", std::string(MessageOf(status))}, {"in_use", "the previous content"}});
}

}  // namespace

SecurityReloader::SecurityReloader(std::shared_ptr<TlsCertificates> tls, AccessControl& access)
    : tls_(std::move(tls)), access_(access) {
  // This thread must not receive signals: StopSignals waits for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SecurityReloader::~SecurityReloader() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void SecurityReloader::Run() {
  std::unique_lock lock(mu_);
  while (!stopped_.wait_for(lock, kInterval, [this] { return stop_; })) {
    lock.unlock();
    ReloadNow();
    lock.lock();
  }
}

void SecurityReloader::ReloadNow() {
  if (tls_ != nullptr) {
    StatusOr<bool> reloaded = tls_->Reload();
    if (!reloaded.ok()) {
      LogRejected(reloaded.status());
    } else if (*reloaded) {
      Log(LogLevel::kInfo, "certificate reloaded",
          {{"certificate", DescribeCertificate(tls_->pem().certificate)}});
    }
  }
  StatusOr<bool> reloaded = access_.Reload();
  if (!reloaded.ok()) {
    LogRejected(reloaded.status());
  } else if (*reloaded) {
    Log(LogLevel::kInfo, "permissions reloaded", {{"content", access_.Describe()}});
  }
}

void LogSecurity(const TlsCertificates* tls, const AccessControl& access) {
  if (tls != nullptr) {
    Log(LogLevel::kInfo, "tls",
        {{"certificate", DescribeCertificate(tls->pem().certificate)},
         {"client_certificates", tls->verifies_clients() ? "verified" : "not used"}});
  }
  if (!access.is_enabled()) return;
  Log(LogLevel::kInfo, "permissions", {{"content", access.Describe()}});
  if (tls == nullptr) {
    Log(LogLevel::kWarning, "tokens are sent in plain text",
        {{"hint", "set --tls_certificate and --tls_key, or terminate TLS in a proxy"}});
  }
}

}  // namespace signet
