#include "engine/graph/weights/name_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace hw {
namespace {

/// The words of other tools for the last of a name.
std::string_view usual(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWords{
      {{"gamma", "weight"}, {"scale", "weight"}, {"beta", "bias"}, {"moving", "running"}, {"variance", "var"}}};
  const auto found = std::ranges::find(kWords, word, &std::pair<std::string_view, std::string_view>::first);
  return found == kWords.end() ? word : found->second;
}

}  // namespace

Words words_of(std::string_view name) {
  Words words;
  char before = 0;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool digit = std::isdigit(byte);
    if (!std::isalnum(byte)) {
      before = 0;
      continue;
    }
    if (!before || digit != static_cast<bool>(std::isdigit(static_cast<unsigned char>(before)))) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(byte));
    before = c;
  }
  for (std::string& word : words) word = usual(word);
  return words;
}

Words without_layer(Words words, bool is_only) {
  for (size_t i = 2; i + 1 < words.size(); ++i) {
    if (words[i] != "l" || (words[i - 1] != "ih" && words[i - 1] != "hh")) continue;
    const std::string number = words[i + 1];
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(at, at + 2);
    if (!is_only) words.insert(at - 2, number);
    break;
  }
  return words;
}

std::string text_of(const Words& words, size_t begin) {
  std::string text;
  for (size_t i = begin; i < words.size(); ++i) text += words[i] + " ";
  return text;
}

bool comes_before(const Words& a, const Words& b) {
  return std::ranges::lexicographical_compare(a, b, [](const std::string& x, const std::string& y) {
    const bool numbers =
        std::isdigit(static_cast<unsigned char>(x[0])) && std::isdigit(static_cast<unsigned char>(y[0]));
    return numbers && x.size() != y.size() ? x.size() < y.size() : x < y;
  });
}

bool is_part_of(const Words& part, const Words& whole) {
  if (part.empty() || whole.empty() || part.back() != whole.back()) return false;
  size_t found = 0;
  for (const std::string& word : whole)
    if (found < part.size() && word == part[found]) ++found;
  return found == part.size();
}

bool differ_in_numbers(const Words& a, const Words& b) {
  const auto is_number = [](const std::string& word) { return std::isdigit(static_cast<unsigned char>(word[0])); };
  return a != b && std::ranges::equal(a, b, [&](const std::string& x, const std::string& y) {
           return x == y || (is_number(x) && is_number(y));
         });
}

std::optional<RecurrentName> recurrent_name(const std::string& tensor) {
  const size_t dot = tensor.rfind('.'), begin = dot == tensor.npos ? 0 : dot + 1;
  for (const char* part : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
    const std::string start = std::string(part) + "_l";
    if (tensor.compare(begin, start.size(), start) != 0) continue;
    size_t end = begin + start.size(), layer = 0;
    const size_t digits = end;
    for (; end < tensor.size() && end - digits < 4 && std::isdigit(static_cast<unsigned char>(tensor[end])); ++end)
      layer = 10 * layer + static_cast<size_t>(tensor[end] - '0');
    const std::string rest = tensor.substr(end);
    if (end == digits || (!rest.empty() && rest != "_reverse")) continue;
    return RecurrentName{tensor.substr(0, dot == tensor.npos ? 0 : dot), part + rest, layer};
  }
  return std::nullopt;
}

}  // namespace hw
