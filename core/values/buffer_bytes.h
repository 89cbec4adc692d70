// Buffer bytes: how much memory of buffers a thread has allocated and not freed.
//
//   const int64_t before = BufferBytesOfThread();
//   auto made = Make();
//   int64_t held = BufferBytesOfThread() - before;   // by what was made
//
// The memory counts for the thread that allocates it, and is subtracted on the thread that frees
// it: differences tell the memory that is held by what one thread makes. Thread-safe.

#pragma once

#include <cstdint>

namespace signet {

int64_t BufferBytesOfThread();

}  // namespace signet
