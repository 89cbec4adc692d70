// Process: what the server asks of the operating system, most of it before its first thread starts.

#pragma once

#include <cstdint>

namespace signet {

// glibc's allocator keeps the memory of large messages: by default every block beyond 128 KiB is
// mapped, faulted in page by page and unmapped, which for messages of 1 MiB is two thirds of the
// server's time. What is kept is bounded by the limits on messages and on calls in flight, and goes
// back when ReleaseFreeMemory is called.
// Where `memory`, in bytes, is small, it keeps less; 0 is unknown.
void TuneAllocator(int64_t memory = 0);

// Gives what the allocator keeps back to the operating system; takes milliseconds for gigabytes.
void ReleaseFreeMemory();

// As many open files as the system lets us have: each connection is one.
void RaiseFileLimit();

// A reader of our output, or a client, that goes away must not end us.
void IgnoreBrokenPipes();

}  // namespace signet
