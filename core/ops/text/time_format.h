// TimeFormat: reads and writes dates and times as a format says, in the proleptic Gregorian
// calendar of the years 1 to 9999. There are no time zones and no leap seconds.
//
//   SIGNET_ASSIGN_OR_RETURN(TimeFormat format, TimeFormat::Parse("%Y-%m-%d %H:%M"));
//   format.Read("2024-02-29 13:05", moment)   =>  true, day 19782, 47100 seconds
//   format.Write(moment)                      =>  "2024-02-29 13:05"
//
// The directives have the meaning that they have in strptime and strftime:
//   %Y  the year, 4 digits        %y  the year of 1969 to 2068, 2 digits
//   %m  the month, 01 to 12       %b, %B  the name of the month, short and long
//   %d  the day, 01 to 31         %j  the day of the year, 001 to 366
//   %a, %A  the name of the day of the week, short and long
//   %H  the hour, 00 to 23        %I, %p  the hour, 01 to 12, and AM or PM
//   %M  the minute, 00 to 59      %S  the second, 00 to 59
//   %f  the fraction of a second: read as 1 to 9 digits, written as 6 digits
//   %%  a percent sign
// Names are English, and case does not matter when they are read. Any other character stands for
// itself. A number is read with or without its leading zeros, except for %Y. Immutable.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"

namespace signet {

inline constexpr int64_t kSecondsPerDay = 86400;
inline constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
inline constexpr int64_t kFirstDay = -719162;  // 0001-01-01
inline constexpr int64_t kLastDay = 2932896;   // 9999-12-31

struct CivilDate {
  int64_t year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;    // 1 to 31

  bool operator==(const CivilDate&) const = default;
};

// Returns the number of days from 1970-01-01 to `date`, and the date of such a number.
int64_t DaysFromDate(const CivilDate& date);
CivilDate DateFromDays(int64_t days);
int DaysInMonth(int64_t year, int month);
inline bool IsLeapYear(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}
// Returns the day of the week from Monday, 0, to Sunday, 6.
inline int WeekdayOf(int64_t days) { return static_cast<int>(((days + 3) % 7 + 7) % 7); }
// Returns the day of the year, from 1.
int YearDayOf(int64_t days);
// Returns the week of the year as ISO 8601 counts, from 1 to 53.
int IsoWeekOf(int64_t days);

// A time on a day from kFirstDay to kLastDay.
struct Moment {
  int64_t days = 0;     // from 1970-01-01
  int64_t seconds = 0;  // of the day
  int64_t nanoseconds = 0;

  bool operator==(const Moment&) const = default;
};

class TimeFormat {
 public:
  // Checks a format, of at most 256 characters. With `dates_only`, directives for times are
  // rejected.
  static StatusOr<TimeFormat> Parse(std::string_view text, bool dates_only = false);

  // Reads all of `text`. Parts without a directive are those of 1970-01-01 00:00:00. Returns false
  // if the text has another form, or no such moment exists.
  bool Read(std::string_view text, Moment& moment) const;
  // Appends the text of `moment` to `out`.
  void Write(const Moment& moment, std::string& out) const;
  bool has_year() const { return Has('Y') || Has('y'); }

 private:
  struct Part {
    char directive = 0;  // 0: the literal text
    std::string literal = {};
  };
  bool Has(char directive) const;

  std::vector<Part> parts_;
};

// A unit in which dates and times are counted from 1970-01-01 00:00:00.
struct TimeUnit {
  int64_t per_day = 1;

  // Returns the unit that a text names: days, seconds, milliseconds, microseconds, nanoseconds.
  static StatusOr<TimeUnit> Parse(std::string_view name);
  // Returns the count of whole units, or nothing if int64 cannot hold it.
  std::optional<int64_t> CountOf(const Moment& moment) const;
  // Returns the moment of a count, or nothing if it is not in the years 1 to 9999.
  std::optional<Moment> MomentOf(int64_t count) const;
};

}  // namespace signet
