#include "core/ops/text/time_format.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/checked_math.h"

namespace signet {
namespace {

constexpr size_t kMaxFormat = 256;
constexpr std::string_view kDateDirectives = "YymbBdjaA%";
constexpr std::string_view kTimeDirectives = "HIpMSf";

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

char LowerOf(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool StartsWithName(std::string_view text, std::string_view name) {
  return text.size() >= name.size() &&
         std::equal(name.begin(), name.end(), text.begin(),
                    [](char a, char b) { return LowerOf(a) == LowerOf(b); });
}

// Reads one of `names`, or their first three letters. Returns its index, or -1.
int TakeName(std::string_view& text, std::span<const std::string_view> names, bool is_short) {
  for (size_t i = 0; i < names.size(); ++i) {
    std::string_view name = is_short ? names[i].substr(0, 3) : names[i];
    if (!StartsWithName(text, name)) continue;
    text.remove_prefix(name.size());
    return static_cast<int>(i);
  }
  return -1;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads a number from `least` to `most` of at most `digits` digits: as many as the range allows.
bool TakeNumber(std::string_view& text, size_t digits, int64_t least, int64_t most,
                int64_t& number) {
  size_t taken = 0;
  int64_t value = 0;
  while (taken < digits && taken < text.size() && IsDigit(text[taken])) {
    const int64_t next = 10 * value + (text[taken] - '0');
    if (next > most) break;
    value = next;
    ++taken;
  }
  if (taken == 0 || value < least) return false;
  text.remove_prefix(taken);
  number = value;
  return true;
}

// Reads the digits after a decimal point as nanoseconds.
bool TakeFraction(std::string_view& text, int64_t& nanoseconds) {
  size_t taken = 0;
  int64_t value = 0;
  while (taken < 9 && taken < text.size() && IsDigit(text[taken])) {
    value = 10 * value + (text[taken++] - '0');
  }
  if (taken == 0) return false;
  text.remove_prefix(taken);
  for (size_t i = taken; i < 9; ++i) value *= 10;
  nanoseconds = value;
  return true;
}

void AppendNumber(int64_t number, size_t digits, std::string& out) {
  std::string text = std::to_string(number);
  out.append(digits > text.size() ? digits - text.size() : 0, '0');
  out += text;
}

// The parts of a date and time that a text states.
struct ReadParts {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  int64_t year_day = 0;  // 0: not stated
  int64_t hour = 0;
  int64_t hour12 = 0;  // 0: not stated
  bool is_afternoon = false;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t nanoseconds = 0;

  bool Take(char directive, std::string_view& text) {
    switch (directive) {
      case 'Y':
        return text.size() >= 4 && std::all_of(text.begin(), text.begin() + 4, IsDigit) &&
               TakeNumber(text, 4, 1, 9999, year);
      case 'y':
        if (!TakeNumber(text, 2, 0, 99, year)) return false;
        year += year < 69 ? 2000 : 1900;
        return true;
      case 'm':
        return TakeNumber(text, 2, 1, 12, month);
      case 'b':
      case 'B':
        month = TakeName(text, kMonths, directive == 'b') + 1;
        return month > 0;
      case 'd':
        return TakeNumber(text, 2, 1, 31, day);
      case 'j':
        return TakeNumber(text, 3, 1, 366, year_day);
      case 'a':
      case 'A':
        return TakeName(text, kWeekdays, directive == 'a') >= 0;
      case 'H':
        return TakeNumber(text, 2, 0, 23, hour);
      case 'I':
        return TakeNumber(text, 2, 1, 12, hour12);
      case 'p':
        is_afternoon = StartsWithName(text, "pm");
        if (!is_afternoon && !StartsWithName(text, "am")) return false;
        text.remove_prefix(2);
        return true;
      case 'M':
        return TakeNumber(text, 2, 0, 59, minute);
      case 'S':
        return TakeNumber(text, 2, 0, 59, second);
      case 'f':
        return TakeFraction(text, nanoseconds);
      default:  // %%
        if (!text.starts_with('%')) return false;
        text.remove_prefix(1);
        return true;
    }
  }

  bool ToMoment(Moment& moment) const {
    if (year_day > 0) {
      if (year_day == 366 && !IsLeapYear(year)) return false;
      moment.days = DaysFromDate({year, 1, 1}) + year_day - 1;
    } else {
      if (day > DaysInMonth(year, static_cast<int>(month))) return false;
      moment.days = DaysFromDate({year, static_cast<int>(month), static_cast<int>(day)});
    }
    const int64_t of_day = hour12 > 0 ? hour12 % 12 + (is_afternoon ? 12 : 0) : hour;
    moment.seconds = of_day * 3600 + minute * 60 + second;
    moment.nanoseconds = nanoseconds;
    return true;
  }
};

}  // namespace

// Counts years from March, so that a leap day is the last day of its year, in eras of 400 years.
int64_t DaysFromDate(const CivilDate& date) {
  const int64_t year = date.month > 2 ? date.year : date.year - 1;
  const int64_t era = FloorDivide(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t month = (date.month + 9) % 12;
  const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

CivilDate DateFromDays(int64_t days) {
  days += 719468;
  const int64_t era = FloorDivide(days, 146097);
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;  // from March
  CivilDate date;
  date.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  date.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

int DaysInMonth(int64_t year, int month) {
  if (month == 2) return IsLeapYear(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

int YearDayOf(int64_t days) {
  return static_cast<int>(days - DaysFromDate({DateFromDays(days).year, 1, 1})) + 1;
}

// The week belongs to the year of its Thursday.
int IsoWeekOf(int64_t days) {
  const int64_t thursday = days - WeekdayOf(days) + 3;
  return (YearDayOf(thursday) - 1) / 7 + 1;
}

StatusOr<TimeFormat> TimeFormat::Parse(std::string_view text, bool dates_only) {
  if (text.size() > kMaxFormat) {
    return InvalidArgument("format: ", text.size(), " characters exceed the limit of ", kMaxFormat);
  }
  TimeFormat format;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (format.parts_.empty() || format.parts_.back().directive != 0) {
        format.parts_.emplace_back();
      }
      format.parts_.back().literal += text[i];
      continue;
    }
    const char directive = i + 1 < text.size() ? text[++i] : '\0';
    const bool is_date = kDateDirectives.find(directive) != std::string_view::npos;
    const bool is_time = kTimeDirectives.find(directive) != std::string_view::npos;
    if (directive == '\0' || (!is_date && !is_time)) {
      return InvalidArgument(
          "format: expected one of %Y %y %m %b %B %d %j %a %A %H %I %p %M %S %f "
          "%%, found `%",
          directive == '\0' ? "" : Printable(std::string(1, directive)), "`");
    }
    if (is_time && dates_only) {
      return InvalidArgument("format: expected directives for dates, found `%",
                             std::string(1, directive), "`; `parse_time` and `format_time` accept ",
                             "times");
    }
    if (directive != '%' && format.Has(directive)) {
      return InvalidArgument("format: duplicate `%", std::string(1, directive), "`");
    }
    format.parts_.push_back({directive});
  }
  return format;
}

bool TimeFormat::Has(char directive) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return part.directive == directive; });
}

bool TimeFormat::Read(std::string_view text, Moment& moment) const {
  ReadParts read;
  for (const Part& part : parts_) {
    if (part.directive == 0) {
      if (!text.starts_with(part.literal)) return false;
      text.remove_prefix(part.literal.size());
    } else if (!read.Take(part.directive, text)) {
      return false;
    }
  }
  return text.empty() && read.ToMoment(moment);
}

void TimeFormat::Write(const Moment& moment, std::string& out) const {
  const CivilDate date = DateFromDays(moment.days);
  const int64_t hour = moment.seconds / 3600;
  for (const Part& part : parts_) {
    switch (part.directive) {
      case 'Y':
        AppendNumber(date.year, 4, out);
        break;
      case 'y':
        AppendNumber(date.year % 100, 2, out);
        break;
      case 'm':
        AppendNumber(date.month, 2, out);
        break;
      case 'b':
        out += kMonths[static_cast<size_t>(date.month) - 1].substr(0, 3);
        break;
      case 'B':
        out += kMonths[static_cast<size_t>(date.month) - 1];
        break;
      case 'd':
        AppendNumber(date.day, 2, out);
        break;
      case 'j':
        AppendNumber(YearDayOf(moment.days), 3, out);
        break;
      case 'a':
        out += kWeekdays[static_cast<size_t>(WeekdayOf(moment.days))].substr(0, 3);
        break;
      case 'A':
        out += kWeekdays[static_cast<size_t>(WeekdayOf(moment.days))];
        break;
      case 'H':
        AppendNumber(hour, 2, out);
        break;
      case 'I':
        AppendNumber((hour + 11) % 12 + 1, 2, out);
        break;
      case 'p':
        out += hour < 12 ? "AM" : "PM";
        break;
      case 'M':
        AppendNumber(moment.seconds / 60 % 60, 2, out);
        break;
      case 'S':
        AppendNumber(moment.seconds % 60, 2, out);
        break;
      case 'f':
        AppendNumber(moment.nanoseconds / 1000, 6, out);
        break;
      case '%':
        out += '%';
        break;
      default:
        out += part.literal;
        break;
    }
  }
}

StatusOr<TimeUnit> TimeUnit::Parse(std::string_view name) {
  if (name == "days") return TimeUnit{1};
  if (name == "seconds") return TimeUnit{kSecondsPerDay};
  if (name == "milliseconds") return TimeUnit{kSecondsPerDay * 1000};
  if (name == "microseconds") return TimeUnit{kSecondsPerDay * 1'000'000};
  if (name == "nanoseconds") return TimeUnit{kSecondsPerDay * kNanosecondsPerSecond};
  return InvalidArgument("unit: expected days, seconds, milliseconds, microseconds, or ",
                         "nanoseconds, found `", Printable(std::string(name)), "`");
}

std::optional<int64_t> TimeUnit::CountOf(const Moment& moment) const {
  if (per_day == 1) return moment.days;
  const int64_t per_second = per_day / kSecondsPerDay;
  const int64_t of_day =
      moment.seconds * per_second + moment.nanoseconds / (kNanosecondsPerSecond / per_second);
  // On days before 1970, the product may exceed int64 although the sum does not.
  if (moment.days < 0) {
    auto rest = CheckedMultiply(moment.days + 1, per_day);
    return rest ? CheckedAdd(*rest, of_day - per_day) : std::nullopt;
  }
  auto days = CheckedMultiply(moment.days, per_day);
  return days ? CheckedAdd(*days, of_day) : std::nullopt;
}

std::optional<Moment> TimeUnit::MomentOf(int64_t count) const {
  Moment moment;
  moment.days = FloorDivide(count, per_day);
  if (moment.days < kFirstDay || moment.days > kLastDay) return std::nullopt;
  if (per_day == 1) return moment;
  const int64_t per_second = per_day / kSecondsPerDay;
  const int64_t of_day = count % per_day + (count % per_day < 0 ? per_day : 0);
  moment.seconds = of_day / per_second;
  moment.nanoseconds = of_day % per_second * (kNanosecondsPerSecond / per_second);
  return moment;
}

}  // namespace signet
