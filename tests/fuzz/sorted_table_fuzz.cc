// Law: the index of a checkpoint is rejected or read; what is read has different keys in order.

#include <cstdlib>

#include "core/frontends/savedmodel/checkpoint/sorted_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto table = signet::ReadSortedTable(std::as_bytes(std::span(data, size)));
  if (!table.ok()) return 0;
  for (size_t i = 1; i < table->size(); ++i) {
    if ((*table)[i - 1].first >= (*table)[i].first) std::abort();
  }
  return 0;
}
