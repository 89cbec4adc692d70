#include "core/api/model_options.h"

namespace signet {

ModelOptions ModelOptionsOf(const LoadOptions& options) {
  ModelOptions out;
  out.function.max_concrete_functions = options.max_concrete_functions;
  out.function.max_function_bytes = options.max_function_bytes;
  out.function.max_cache_bytes = options.max_cache_bytes;
  out.function.cache_budget = std::make_shared<CacheBudget>(options.max_cache_bytes);
  out.function.max_loop_steps = options.max_loop_steps;
  out.function.max_call_bytes = options.max_call_bytes;
  return out;
}

}  // namespace signet
