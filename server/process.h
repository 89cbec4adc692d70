// Process settings: fatal errors, the memory allocator, locks, the limit of open files, and the
// signal SIGPIPE.
//
// Call these functions before the first thread starts, except for ReleaseFreeMemory.

#pragma once

#include <cstdint>

namespace signet {

// Makes the process end with a line on standard error if memory or threads are not available. The
// line states the limit of the address space (ulimit -v), if there is one.
void ReportFatalErrors();

// Makes glibc's allocator keep the memory of large messages. By default it maps and unmaps every
// block of more than 128 KiB, which takes two thirds of the server's time for messages of 1 MiB.
// The limits on messages and on running calls bound what it keeps; ReleaseFreeMemory returns it. If
// `memory`, the memory of the server in bytes, is small, the allocator keeps less; 0 means unknown.
void TuneAllocator(int64_t memory = 0);

// Returns the memory that the allocator keeps to the operating system. Takes milliseconds for
// gigabytes.
void ReleaseFreeMemory();

// Stops the search for deadlocks that Abseil performs at each lock in builds without NDEBUG, such
// as Debian's. gRPC uses these locks. The search takes about a tenth of the time of a small call.
void DisableDeadlockSearch();

// Raises the limit of open files to the maximum that the system permits. Each connection needs two.
void RaiseFileLimit();

// Ignores SIGPIPE, so that the process survives when a client or a reader of its output ends.
void IgnoreBrokenPipes();

}  // namespace signet
