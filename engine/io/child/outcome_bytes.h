// What a child hands over, as bytes: the value that it made, or the error.
#pragma once

#include <string_view>

#include "engine/io/file/byte_stream.h"

namespace hw {

/// `magic`: of this kind of value. `body(writer, value)` writes it. False: the write failed (full, limit).
template <class T, class Write>
bool write_envelope(int fd, uint64_t magic, const Result<T>& outcome, const Write& body) {
  ByteWriter w(fd);
  w.number(magic);
  w.number<uint8_t>(outcome ? 1 : 0);
  if (outcome) {
    body(w, *outcome);
  } else {
    const Error& error = outcome.error();
    for (const std::string* text : {&error.code, &error.where, &error.reason, &error.remedy}) w.text(*text);
  }
  return w.finish();
}

/// The outcome that was written; `broken` where the bytes do not fit. `body(reader, value)`: whether what it read does.
template <class T, class Read>
Result<T> read_envelope(std::string_view bytes, uint64_t magic, const Error& broken, const Read& body) {
  ByteReader r(bytes);
  if (r.number<uint64_t>() != magic) return broken;
  const auto is_read = r.number<uint8_t>();
  if (!r.good() || is_read > 1) return broken;
  if (is_read == 0) {
    Error error;
    for (std::string* text : {&error.code, &error.where, &error.reason, &error.remedy}) r.text(*text);
    return r.at_end() && !error.code.empty() ? error : broken;
  }
  T value;
  if (!body(r, value) || !r.at_end()) return broken;
  return value;
}

}  // namespace hw
