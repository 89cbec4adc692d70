// ServiceStates: the states of services that a health service reports, by name. Thread-safe.

#pragma once

#include <functional>
#include <string>

namespace signet {

class ServiceStates {
 public:
  virtual ~ServiceStates() = default;

  // Sets a function that is called with the name of a service before a check reads its state, so
  // that the state is the newest one.
  virtual void OnCheck(std::function<void(const std::string& service)> update) = 0;
  // Sets the state of `service`. Does nothing after StopServing.
  virtual void Set(const std::string& service, bool serving) = 0;
  // Sets every service to NOT_SERVING permanently.
  virtual void StopServing() = 0;
};

}  // namespace signet
