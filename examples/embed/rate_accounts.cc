// rate_accounts: calls a function of servers with structs: one call at a time, several at once, and
// over a stream.
//
//   signet-server --models examples/models --listen 127.0.0.1:8500 &
//   rate_accounts 127.0.0.1:8500
//   rate_accounts 10.0.0.1:8500,10.0.0.2:8500   # in turn, and without the one that is down

#include <chrono>
#include <future>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include "signet/client.h"
#include "signet/typed_function.h"

namespace bank {

struct Account {
  std::string name;
  std::vector<float> balances;
};
constexpr auto RecordFields(const Account*) {
  return std::tuple(signet::Field("name", &Account::name),
                    signet::Field("balances", &Account::balances));
}

struct Fee {
  std::string name;
  float fee = 0;
};
constexpr auto RecordFields(const Fee*) {
  return std::tuple(signet::Field("name", &Fee::name), signet::Field("fee", &Fee::fee));
}

}  // namespace bank

namespace {

void Print(const std::vector<bank::Fee>& fees) {
  for (const bank::Fee& fee : fees) std::cout << fee.name << ": " << fee.fee << "\n";
}

signet::Status PrintFees(const char* address) {
  signet::Client client(address, {.timeout = std::chrono::seconds(20)});
  const signet::RemoteCall fees_call{.model = {.name = "savings"}, .function = "fees"};
  const signet::TypedFunction<std::vector<bank::Fee>(std::vector<bank::Account>)> fees_of(
      client, fees_call);

  const std::vector<bank::Account> accounts = {{"Ann", {800, 400}}, {"Bo", {}}};
  SIGNET_ASSIGN_OR_RETURN(std::vector<bank::Fee> fees, fees_of(accounts));
  Print(fees);

  // Calls that run at the same time.
  std::vector<std::future<signet::StatusOr<std::vector<bank::Fee>>>> pending;
  for (float balance : {1000.0f, 2000.0f}) pending.push_back(fees_of.Async({{"Cy", {balance}}}));
  for (auto& each : pending) {
    SIGNET_ASSIGN_OR_RETURN(fees, each.get());
    Print(fees);
  }

  // A stream, which is fast for many small calls.
  signet::RemoteStream stream = client.OpenStream();
  for (float balance : {3000.0f, 4000.0f}) {
    signet::RemoteCall call = fees_call;
    call.args = {signet::ToValue(std::vector<bank::Account>{{"Di", {balance}}})};
    SIGNET_RETURN_IF_ERROR(stream.Send(call));
  }
  while (stream.pending() > 0) {
    SIGNET_ASSIGN_OR_RETURN(signet::Value result, stream.Next());
    SIGNET_ASSIGN_OR_RETURN(fees, signet::ValueAs<std::vector<bank::Fee>>(result));
    Print(fees);
  }
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: rate_accounts HOST:PORT[,HOST:PORT...]\n";
    return 2;
  }
  signet::Status status = PrintFees(argv[1]);
  if (!status.ok()) std::cerr << "rate_accounts: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
