// Hostile graph and weight files, made with structure: mostly right, wrong where it hurts. And what must hold of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hw::fuzz {

/// Choices, drawn from bytes while there are any, then from a generator seeded with them: libFuzzer steers by the
/// bytes, a plain test by the seed.
class Choices {
 public:
  explicit Choices(std::string_view bytes);
  explicit Choices(uint64_t seed) : state_(seed * 2 + 1) {}
  /// In [0, n); n > 0.
  uint64_t below(uint64_t n);
  bool one_in(uint64_t n) { return below(n) == 0; }

 private:
  std::string_view bytes_;
  uint64_t state_;
};

/// A bit changed, or a piece gone, doubled or cut off; nothing where there are no bytes.
void damage(Choices& choices, std::string& bytes);

/// Text of a *.halfwire file: nodes of known and unknown types, links, parameters of every kind, unknown fields, deep
/// nesting, huge numbers, bytes that are not UTF-8, other versions, pieces cut out and doubled.
std::string make_graph(Choices& choices);
/// Bytes of a *.safetensors file: headers whose lengths, offsets, shapes and dtypes fit or do not.
std::string make_weights(Choices& choices);

/// Reads text as a graph; when it is one: writing and reading it again gives the same graph and the same bytes, and the
/// validator takes it. True: it was a graph. What does not hold ends the process with a message.
bool check_graph(std::string_view text);
/// Reads bytes as weights; when they are: they are no larger than the file, and come back the same. True: they were.
bool check_weights(std::string_view bytes);

}  // namespace hw::fuzz
