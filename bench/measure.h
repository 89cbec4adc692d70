// TimeOf, MedianPair: measure the time of some work, and compare two kinds of work.
//
//   double nanoseconds = TimeOf(options, [&] { Keep(ParseTypeSpec(text)); });
//   Pair pair = MedianPair(options, [&] { return TimeOf(..); }, [&] { return TimeOf(..); });
//
// TimeOf measures the processor time of the calling thread, on which other programs have little
// influence. MedianPair alternates (A B A B ...) and returns the round with the median ratio, so
// that a slow period affects both sides. Not thread-safe.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace signet {

struct BenchOptions {
  int rounds = 7;             // of paired measurements
  double seconds = 0.2;       // of one measurement of processor time
  double load_seconds = 1.5;  // of one measurement of a server under load
  bool quick = false;         // fewer sizes and short rounds, to test the benchmarks
};

struct Pair {
  double value = 0;
  double reference = 0;
};

// Makes the compiler believe that `value` is used.
template <class T>
inline void Keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Returns the processor time of the calling thread, in nanoseconds.
double ThreadNanoseconds();
double WallNanoseconds();

namespace internal {
// Doubles the number of runs of `body` until the clock is exact enough. Returns the time of one
// run.
template <class Clock, class Body>
double TimeBy(Clock clock, double seconds, Body body) {
  for (int64_t runs = 1;; runs *= 2) {
    double begin = clock();
    for (int64_t i = 0; i < runs; ++i) body();
    double taken = clock() - begin;
    if (taken >= seconds * 5e8 || runs > (int64_t{1} << 40))
      return taken / static_cast<double>(runs);
  }
}
}  // namespace internal

// Returns the nanoseconds of one call of `body`.
template <class Body>
double TimeOf(const BenchOptions& options, Body body) {
  return internal::TimeBy(ThreadNanoseconds, options.seconds, body);
}

// Returns the mean for `body(thread)`, which runs on `threads` threads at once.
template <class Body>
double TimeOnThreads(const BenchOptions& options, int threads, Body body) {
  std::vector<double> times(static_cast<size_t>(threads));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back(
        [&, t] { times[static_cast<size_t>(t)] = TimeOf(options, [&] { body(t); }); });
  }
  double sum = 0;
  for (size_t t = 0; t < running.size(); ++t) {
    running[t].join();
    sum += times[t];
  }
  return sum / threads;
}

// Returns the median round of `options.rounds`, after one that is not counted.
template <class Value, class Reference>
Pair MedianPair(const BenchOptions& options, Value value, Reference reference) {
  std::vector<Pair> rounds;
  for (int round = -1; round < options.rounds; ++round) {
    Pair pair;
    pair.value = value();
    pair.reference = reference();
    if (round >= 0) rounds.push_back(pair);
  }
  auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::nth_element(rounds.begin(), middle, rounds.end(), [](const Pair& a, const Pair& b) {
    return a.value * b.reference < b.value * a.reference;
  });
  return *middle;
}

// Returns the median of `options.rounds` results of `value`.
template <class Value>
double MedianOf(const BenchOptions& options, Value value) {
  return MedianPair(options, value, [] { return 1.0; }).value;
}

}  // namespace signet
