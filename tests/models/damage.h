// Damage to a file's bytes.
#pragma once

#include <algorithm>
#include <random>
#include <string>

namespace hw::test {

/// A few bytes changed, cut, doubled or gone; there is at least one.
inline void damage(std::string& bytes, std::mt19937& random) {
  const size_t at = random() % bytes.size(), span = 1 + random() % 16;
  switch (random() % 5) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      for (size_t i = at; i < std::min(bytes.size(), at + span); ++i) bytes[i] = static_cast<char>(random());
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.insert(at, bytes.substr(random() % bytes.size(), span));
      break;
    default:
      bytes.replace(at, span, std::string(span, random() % 2 ? '\xff' : '\0'));
  }
}

}  // namespace hw::test
