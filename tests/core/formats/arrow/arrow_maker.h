// ArrowMaker: Arrow IPC streams from their parts, for what ArrowFromValue does not write: nulls,
// dictionaries, slices, several batches, wrong numbers.
//
//   ArrowMaker maker({{"x", arrow::kInt, {{0, 4, 32}, {1, 1, 1}}}});
//   maker.AddBatch(2, {{2, 0}}, {"", Bytes<int32_t>({1, 2})});

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/formats/arrow/arrow_metadata.h"
#include "core/formats/arrow/flatbuffer_writer.h"
#include "signet/buffer.h"

namespace signet {

template <class T>
std::string Bytes(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}
template <class T>
std::string Bytes(std::initializer_list<T> numbers) {
  return Bytes(std::vector<T>(numbers));
}

struct ArrowTestField {
  std::string name;
  uint8_t type;
  std::vector<FlatWriter::Field> slots = {};  // of the type's table
  std::vector<ArrowTestField> children = {};
  bool nullable = false;
  std::optional<int64_t> dictionary = {};  // of int8 indices
};

struct ArrowTestNode {
  int64_t length;
  int64_t nulls;
};

struct ArrowTestRange {
  int64_t offset;
  int64_t length;
};

class ArrowMaker {
 public:
  explicit ArrowMaker(std::vector<ArrowTestField> fields, int16_t version = arrow::kV5)
      : fields_(std::move(fields)), version_(version) {
    AddMessage(arrow::kSchemaHeader, "", [&](FlatWriter& out) { return AddSchema(out); });
    schema_size_ = text_.size();
  }

  void AddBatch(int64_t rows, const std::vector<ArrowTestNode>& nodes,
                const std::vector<std::string>& buffers, bool compressed = false) {
    AddBatchOf(rows, nodes, RangesOf(buffers), BodyOf(buffers), compressed);
  }
  // Whose buffers are where `ranges` say.
  void AddBatchOf(int64_t rows, const std::vector<ArrowTestNode>& nodes,
                  const std::vector<ArrowTestRange>& ranges, const std::string& body,
                  bool compressed = false) {
    AddMessage(arrow::kRecordBatchHeader, body,
               [&](FlatWriter& out) { return AddTable(out, rows, nodes, ranges, compressed); });
  }

  void AddDictionary(int64_t id, const std::vector<ArrowTestNode>& nodes,
                     const std::vector<std::string>& buffers, bool is_delta = false) {
    AddMessage(arrow::kDictionaryBatchHeader, BodyOf(buffers), [&](FlatWriter& out) {
      size_t table = out.AddTable({{0, 8, id}, {1, 4}, {2, 1, is_delta ? 1 : 0}});
      out.Link(table, 1, AddTable(out, nodes[0].length, nodes, RangesOf(buffers), false));
      return table;
    });
  }

  const std::string& text() const { return text_; }
  Buffer Stream() const { return Buffer::Copy(text_); }
  // As a file, whose schema is at the end, and perhaps also at the start.
  std::string File(bool has_schema_at_start) const {
    FlatWriter out;
    size_t footer = out.AddTable({{0, 2, version_}, {1, 4}});
    out.Link(footer, 1, AddSchema(out));
    std::string metadata = std::move(out).Finish();
    return std::string(arrow::kFileMagic) + text_.substr(has_schema_at_start ? 0 : schema_size_) +
           Bytes<uint32_t>({arrow::kContinuation, 0}) + metadata +
           Bytes<uint32_t>({static_cast<uint32_t>(metadata.size())}) + "ARROW1";
  }

 private:
  static std::string BodyOf(const std::vector<std::string>& buffers) {
    std::string body;
    for (const std::string& buffer : buffers) {
      body += buffer;
      body.resize((body.size() + 7) / 8 * 8);
    }
    return body;
  }

  static std::vector<ArrowTestRange> RangesOf(const std::vector<std::string>& buffers) {
    std::vector<ArrowTestRange> ranges;
    int64_t at = 0;
    for (const std::string& buffer : buffers) {
      auto size = static_cast<int64_t>(buffer.size());
      ranges.push_back({at, size});
      at += (size + 7) / 8 * 8;
    }
    return ranges;
  }

  size_t AddSchema(FlatWriter& out) const {
    size_t schema = out.AddTable({{0, 2, 0}, {1, 4}});
    out.Link(schema, 1, AddFields(out, fields_));
    return schema;
  }

  static size_t AddFields(FlatWriter& out, const std::vector<ArrowTestField>& fields) {
    size_t vector = out.AddVector(fields.size(), sizeof(uint32_t));
    for (size_t i = 0; i < fields.size(); ++i) {
      const ArrowTestField& field = fields[i];
      FlatWriter::Field slots[] = {
          {0, 4}, {1, 1, field.nullable ? 1 : 0}, {2, 1, field.type}, {3, 4}, {5, 4}, {4, 4}};
      size_t table = out.AddTable(std::span(slots).first(field.dictionary ? 6 : 5));
      out.LinkElement(vector, i, table);
      out.Link(table, 0, out.AddText(field.name));
      out.Link(table, 3, out.AddTable(field.slots));
      out.Link(table, 5, AddFields(out, field.children));
      if (field.dictionary) {
        size_t encoding = out.AddTable({{0, 8, *field.dictionary}, {1, 4}});
        out.Link(table, 4, encoding);
        out.Link(encoding, 1, out.AddTable({{0, 4, 8}, {1, 1, 1}}));
      }
    }
    return vector;
  }

  static size_t AddTable(FlatWriter& out, int64_t rows, const std::vector<ArrowTestNode>& nodes,
                         const std::vector<ArrowTestRange>& ranges, bool compressed) {
    FlatWriter::Field slots[] = {{0, 8, rows}, {1, 4}, {2, 4}, {3, 4}};
    size_t table = out.AddTable(std::span(slots).first(compressed ? 4 : 3));
    size_t vector = out.AddVector(nodes.size(), arrow::kPairSize);
    out.Link(table, 1, vector);
    for (size_t i = 0; i < nodes.size(); ++i) {
      out.SetInt64(vector, 2 * i, nodes[i].length);
      out.SetInt64(vector, 2 * i + 1, nodes[i].nulls);
    }
    vector = out.AddVector(ranges.size(), arrow::kPairSize);
    out.Link(table, 2, vector);
    for (size_t i = 0; i < ranges.size(); ++i) {
      out.SetInt64(vector, 2 * i, ranges[i].offset);
      out.SetInt64(vector, 2 * i + 1, ranges[i].length);
    }
    if (compressed) out.Link(table, 3, out.AddTable({{0, 1, 1}}));
    return table;
  }

  template <class AddHeader>
  void AddMessage(uint8_t type, const std::string& body, AddHeader add_header) {
    FlatWriter out;
    size_t message = out.AddTable(
        {{0, 2, version_}, {1, 1, type}, {2, 4}, {3, 8, static_cast<int64_t>(body.size())}});
    out.Link(message, 2, add_header(out));
    std::string metadata = std::move(out).Finish();
    text_ += Bytes<uint32_t>({arrow::kContinuation, static_cast<uint32_t>(metadata.size())});
    text_ += metadata + body;
  }

  std::vector<ArrowTestField> fields_;
  int16_t version_;
  size_t schema_size_ = 0;
  std::string text_;
};

}  // namespace signet
