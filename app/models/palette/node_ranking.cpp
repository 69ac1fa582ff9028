#include "app/models/palette/node_ranking.h"

#include <QStringList>
#include <algorithm>

#include "app/document/text.h"
#include "app/models/palette/fuzzy_match.h"

namespace hw::app {
namespace {

/// The way of the data, from left to right on a canvas; unknown categories last.
size_t category_order(const std::string& category) {
  constexpr std::string_view order[] = {"Source", "Encoder", "Layer", "Math", "Shape", "Loss", "Training", "View"};
  return static_cast<size_t>(std::find(std::begin(order), std::end(order), category) - std::begin(order));
}

/// How well a type answers one word; 0: not at all.
int score(const QString& word, const NodeType& type) {
  const NodeDecl& decl = type.decl;
  const int title = std::max(fuzzy_score(word, to_q(decl.title())), fuzzy_score(word, to_q(type.id)));
  const int keywords = fuzzy_score(word, to_q(decl.keywords())) / 2;
  const int category = fuzzy_score(word, to_q(decl.category())) / 3;
  return std::max({title, keywords, category});
}

}  // namespace

std::vector<const NodeType*> ranked_types(const QString& query, const std::vector<const NodeType*>& types) {
  const QStringList words = query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  struct Ranked {
    int score;
    const NodeType* type;
  };
  std::vector<Ranked> ranked;
  for (const NodeType* type : types) {
    int total = 0;
    const bool all = std::all_of(words.begin(), words.end(), [&](const QString& word) {
      const int one = score(word, *type);
      total += one;
      return one > 0;
    });
    if (all) ranked.push_back({total, type});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    if (a.score != b.score) return a.score > b.score;
    const NodeDecl &x = a.type->decl, &y = b.type->decl;
    const size_t p = category_order(x.category()), q = category_order(y.category());
    return std::tie(p, x.category(), x.title()) < std::tie(q, y.category(), y.title());
  });
  std::vector<const NodeType*> out;
  for (const Ranked& r : ranked) out.push_back(r.type);
  return out;
}

}  // namespace hw::app
