#include "core/serving/batching/batch_settings.h"

namespace signet {

BatchLimits BatchLimitsOf(const v1::Batching& settings) {
  BatchLimits limits;
  if (settings.has_enabled()) limits.enabled = settings.enabled();
  if (settings.max_rows() > 0) limits.max_rows = settings.max_rows();
  if (settings.max_bytes() > 0) limits.max_bytes = settings.max_bytes();
  if (settings.max_delay_microseconds() > 0) {
    limits.max_delay = std::chrono::microseconds(settings.max_delay_microseconds());
  }
  return limits;
}

std::map<std::string, std::vector<std::string>> BatchesOf(const v1::Batching& settings) {
  std::map<std::string, std::vector<std::string>> batches;
  for (const auto& [function, batch] : settings.functions()) {
    batches[function].assign(batch.parameters().begin(), batch.parameters().end());
  }
  return batches;
}

}  // namespace signet
