// Calls: random calls of a batched function, with priorities, deadlines, and cancellation, through
// the scheduler and the batcher of a server, in simulated time.
//
// The rules: every call is answered exactly once, at its deadline at the latest; an answer is that
// of the call alone; queues and batches keep their limits; after quiet, nothing waits. Stateless.

#pragma once

#include <cstdint>
#include <string>

#include "tests/simulation/operations.h"

namespace signet {

// Runs calls that `seed` decides. Returns the rule that was broken, or an empty text. Adds what was
// covered to `coverage`.
std::string SimulateCalls(uint64_t seed, Coverage& coverage);

}  // namespace signet
