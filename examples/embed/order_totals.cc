// order_totals: builds a model in the program, calls it with records, and runs an op without a
// model.

#include <iostream>

#include "signet/model_builder.h"
#include "signet/notation.h"
#include "signet/ops/run_op.h"

namespace {

// A function that returns the total of each order.
signet::StatusOr<signet::Model> BuildShop() {
  signet::ModelBuilder shop("Adds up orders");
  shop.AddFunction("totals", "(orders: [{items: [{price: float32[], quantity: float32[]}]}])")
      .Node("cost", "mul", {"orders.items.price", "orders.items.quantity"})
      .Node("total", "segment_sum", {"cost"})
      .Result("total");
  return shop.Build();
}

signet::Status PrintTotals() {
  SIGNET_ASSIGN_OR_RETURN(signet::Model shop, BuildShop());
  SIGNET_ASSIGN_OR_RETURN(signet::Function totals, shop.FindFunction("totals"));
  SIGNET_ASSIGN_OR_RETURN(
      signet::Value orders,
      totals.ParseArgument("orders",
                           R"([{"items": [{"price": 2.5, "quantity": 4}]}, {"items": []}])"));
  SIGNET_ASSIGN_OR_RETURN(signet::Value sums, totals.Call({orders}));
  std::cout << signet::ToString(sums) << "\n";

  // The same ops run on values immediately, which is convenient for a few values. For many calls, a
  // function is faster.
  SIGNET_ASSIGN_OR_RETURN(signet::Value largest, signet::RunOp1("reduce_max", {sums}));
  std::cout << "largest: " << largest.tensor().scalar<float>() << "\n";
  return absl::OkStatus();
}

}  // namespace

int main() {
  signet::Status status = PrintTotals();
  if (!status.ok()) std::cerr << "order_totals: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
