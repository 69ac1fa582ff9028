#include "engine/node/einsum_equation.h"

#include <algorithm>

#include "engine/node/many_inputs.h"

namespace hw::einsum {
namespace {

Error wrong(const Params& p, std::string reason) {
  return {codes::bad_parameter, "equation", std::move(reason) + " Got \"" + p.text("equation") + "\".",
          "\"ij,jk->ik\" is a matrix product, \"bij->bji\" a transpose, \"ij->i\" a sum."};
}

}  // namespace

Result<Equation> parse(const Params& p) {
  std::string text;
  for (const char c : p.text("equation"))
    if (c != ' ') text += c;
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  Equation e;
  for (size_t at = 0; at <= left.size();) {
    const size_t end = std::min(left.find(',', at), left.size());
    e.terms.push_back(left.substr(at, end - at));
    at = end + 1;
  }
  if (e.terms.size() > 26) return wrong(p, "It has more than 26 terms.");
  const auto letters = [](std::string term) {
    if (const size_t dots = term.find("..."); dots != term.npos) term.erase(dots, 3);
    return term;
  };
  const auto sound = [&](const std::string& term) {
    std::string list = letters(term);
    const bool all = std::ranges::all_of(list, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    std::ranges::sort(list);
    return all && std::ranges::adjacent_find(list) == list.end();
  };
  for (const std::string& term : e.terms)
    if (!sound(term)) return wrong(p, "A term is letters, each once, and at most one ellipsis.");
  std::string all;
  for (const std::string& term : e.terms) all += letters(term);
  if (arrow == text.npos) {
    if (left.find("...") != left.npos) e.result = "...";
    for (int c = 'A'; c <= 'z'; ++c)
      if (std::ranges::count(all, static_cast<char>(c)) == 1) e.result += static_cast<char>(c);
    return e;
  }
  e.result = text.substr(arrow + 2);
  if (!sound(e.result)) return wrong(p, "The result is letters, each once, and at most one ellipsis.");
  for (const char c : letters(e.result))
    if (all.find(c) == all.npos) return wrong(p, std::string("The result has the axis ") + c + ", which no term has.");
  return e;
}

Result<Equation> expand(const Params& p, Equation e, const std::vector<size_t>& ranks) {
  size_t most = 0;
  std::vector<size_t> hidden;
  for (size_t i = 0; i < e.terms.size(); ++i) {
    const bool open = e.terms[i].find("...") != std::string::npos;
    const size_t letters = e.terms[i].size() - (open ? 3 : 0);
    if (open ? ranks[i] < letters || ranks[i] > letters + 9 : ranks[i] != letters) {
      Error error = wrong(
          p, "The term \"" + e.terms[i] + "\" does not name the " + std::to_string(ranks[i]) + " axes of its input.");
      error.code = codes::rank_mismatch;
      error.where = shapes::input_ids_up_to(e.terms.size())[i];
      return error;
    }
    hidden.push_back(ranks[i] - letters);
    most = std::max(most, hidden.back());
  }
  const auto replaced = [&](std::string& term, size_t count) {
    const size_t dots = term.find("...");
    if (dots == term.npos) return;
    std::string digits;
    for (size_t d = most - count; d < most; ++d) digits += static_cast<char>('0' + d);
    term.replace(dots, 3, digits);
  };
  for (size_t i = 0; i < e.terms.size(); ++i) replaced(e.terms[i], hidden[i]);
  replaced(e.result, most);
  return e;
}

}  // namespace hw::einsum
