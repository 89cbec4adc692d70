// BufferBytes: counts the memory of buffers that a thread has allocated and not freed.
//
//   const int64_t before = BufferBytesOfThread();
//   auto made = Make();
//   int64_t held = BufferBytesOfThread() - before;   // bytes that `made` holds
//
// The memory is added on the thread that allocates it and subtracted on the thread that frees it. A
// difference is therefore the memory that objects built on one thread hold. Thread-safe.

#pragma once

#include <cstdint>

namespace signet {

int64_t BufferBytesOfThread();

}  // namespace signet
