#include "server/stop_signals.h"

#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include "server/observability/log.h"

namespace signet {
namespace {

// Returns true if the process was started with `signal` ignored, as nohup does for SIGHUP.
bool IsIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Returns the signals that are waited for.
sigset_t AwaitedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  if (!IsIgnored(SIGHUP)) sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

StopSignals::StopSignals(std::chrono::milliseconds pause) : pause_(pause) {
  sigset_t set = AwaitedSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // threads started from here on inherit it
  std::thread([this] { Listen(); }).detach();
}

bool StopSignals::WaitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(mu_);
  stopped_.wait_for(lock, time, [this] { return stop_ || has_hung_up_; });
  return stop_;
}

bool StopSignals::TakeHangup() {
  std::lock_guard lock(mu_);
  return std::exchange(has_hung_up_, false);
}

void StopSignals::OnSignal(int signal, std::function<void()> action) {
  std::lock_guard lock(mu_);
  actions_[signal] = std::move(action);
}

int StopSignals::WaitForStop() {
  const sigset_t set = AwaitedSignals();
  while (true) {
    int signal = 0;
    sigwait(&set, &signal);
    std::function<void()> action;
    {
      std::lock_guard lock(mu_);
      auto found = actions_.find(signal);
      if (found != actions_.end()) action = found->second;
      has_hung_up_ = has_hung_up_ || signal == SIGHUP;
    }
    if (signal == SIGHUP) stopped_.notify_all();
    if (action != nullptr) {
      action();
    } else if (signal != SIGUSR1 && signal != SIGHUP) {
      return signal;
    }
  }
}

void StopSignals::Listen() {
  WaitForStop();
  if (!serving_) std::_Exit(0);
  const auto first = std::chrono::steady_clock::now();
  {
    std::lock_guard lock(mu_);
    stop_ = true;
  }
  stopped_.notify_all();
  int signal = 0;
  do {
    signal = WaitForStop();
  } while (std::chrono::steady_clock::now() - first < pause_);
  Log(LogLevel::kWarning, "stopping at once", {{"why", "a second signal"}});
  FlushLog(std::chrono::milliseconds(100));
  std::_Exit(128 + signal);
}

}  // namespace signet
