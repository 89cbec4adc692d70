// ArrowMetadata: constants of Arrow's Message.fbs and Schema.fbs that Signet uses: numbers of
// tables, fields, and kinds. Internal to core/formats/arrow.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace signet::arrow {

// A message starts with this number and the size of its metadata, followed by the metadata and the
// body. A size of 0 ends the stream.
inline constexpr uint32_t kContinuation = 0xffffffff;
// A file contains this text, a stream, a Footer, its size as an int32, and the first six bytes of
// this text.
inline constexpr std::string_view kFileMagic{"ARROW1\0\0", 8};
inline constexpr size_t kFileEnd = 10;
inline constexpr size_t kBufferAlignment = 8;  // bytes, in the body
inline constexpr size_t kPairSize = 16;        // bytes of a FieldNode and of a Buffer: two int64

enum Version : int16_t { kV4 = 3, kV5 = 4 };  // they differ only in the validity of unions
enum HeaderType : uint8_t { kSchemaHeader = 1, kDictionaryBatchHeader, kRecordBatchHeader };

// The union Type.
enum Type : uint8_t {
  kNull = 1,
  kInt,
  kFloatingPoint,
  kBinary,
  kUtf8,
  kBool,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,
  kInterval,
  kList,
  kStruct,
  kUnion,
  kFixedSizeBinary,
  kFixedSizeList,
  kMap,
  kDuration,
  kLargeBinary,
  kLargeUtf8,
  kLargeList,
  kRunEndEncoded,
  kBinaryView,
  kUtf8View,
  kListView,
  kLargeListView
};
inline constexpr std::string_view kTypeNames[] = {
    "no type",       "Null",      "Int",           "FloatingPoint",
    "Binary",        "Utf8",      "Bool",          "Decimal",
    "Date",          "Time",      "Timestamp",     "Interval",
    "List",          "Struct",    "Union",         "FixedSizeBinary",
    "FixedSizeList", "Map",       "Duration",      "LargeBinary",
    "LargeUtf8",     "LargeList", "RunEndEncoded", "BinaryView",
    "Utf8View",      "ListView",  "LargeListView"};

// Numbers of the fields of tables. The only field in the table of a type has number 0.
struct MessageTable {
  enum { kVersion, kHeaderType, kHeader, kBodyLength };
};
struct FooterTable {
  enum { kVersion, kSchema };
};
struct SchemaTable {
  enum { kEndianness, kFields };
};
struct FieldTable {
  enum { kName, kNullable, kTypeType, kType, kDictionary, kChildren };
};
struct DictionaryTable {
  enum { kId, kIndexType };
};
struct BatchTable {
  enum { kLength, kNodes, kBuffers, kCompression, kFurtherCounts };
};
struct DictionaryBatchTable {
  enum { kId, kData, kIsDelta };
};
struct IntTable {
  enum { kBitWidth, kIsSigned };
};
struct DecimalTable {
  enum { kPrecision, kScale, kBitWidth };
};
struct TimeTable {
  enum { kUnit, kBitWidth };
};

}  // namespace signet::arrow
