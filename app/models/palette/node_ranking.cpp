#include "app/models/palette/node_ranking.h"

#include <QStringList>
#include <algorithm>

#include "app/document/text.h"
#include "app/models/palette/fuzzy_match.h"

namespace hw::app {
namespace {

/// The way of the data, from left to right on a canvas; unknown categories last.
size_t category_order(const std::string& category) {
  constexpr std::string_view order[] = {"Source", "Encoder", "Layer",    "Block", "Math",
                                        "Shape",  "Loss",    "Training", "View",  "Group"};
  return static_cast<size_t>(std::find(std::begin(order), std::end(order), category) - std::begin(order));
}

/// What names are compared by: lower-case letters and digits of what follows the module ("torch.nn.", "F.").
QString bare(const QString& name) {
  QString letters;
  for (const QChar c : name.section(QLatin1Char('.'), -1)) {
    if (c.isLetterOrNumber()) letters += c.toLower();
  }
  return letters;
}

/// "BatchNorm2d" and "batch_norm" are one name: the number of dimensions does not count.
bool same_name(const QString& typed, const QString& name) {
  const QString a = bare(typed), b = bare(name);
  if (a.isEmpty() || a == b) return !a.isEmpty();
  return a.size() == b.size() + 2 && a.startsWith(b) && a[b.size()].isDigit() && a.endsWith(QLatin1Char('d'));
}

/// How well a type answers one word, or all that was typed; 0: not at all. Of its keywords each is a name of its own.
int score(const QString& typed, const NodeType& type) {
  const NodeDecl& decl = type.decl;
  const QString title = to_q(decl.title()), id = to_q(type.id), category = to_q(decl.category());
  if (bare(typed) == bare(title) || bare(typed) == bare(id)) return 1010;
  if (same_name(typed, title) || same_name(typed, id)) return 1000;
  const QString singular = typed.endsWith(QLatin1String("es")) ? typed.chopped(2)
                           : typed.endsWith(QLatin1Char('s'))  ? typed.chopped(1)
                                                               : typed;
  if (same_name(typed, category) || same_name(singular, category)) {
    // The usual choice of its category has it as its first keyword.
    const QString first = to_q(decl.keywords()).section(QLatin1Char(' '), 0, 0);
    return same_name(first, category) ? 960 : 950;
  }
  int best = std::max({fuzzy_score(typed, title), fuzzy_score(typed, id), fuzzy_score(typed, category) * 2 / 3});
  const QStringList words = title.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (const QString& word : words) {
    if (same_name(typed, word)) best = std::max(best, word == words.front() ? 930 : 920);
  }
  for (const QString& keyword : to_q(decl.keywords()).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    best = std::max(best, same_name(typed, keyword) ? 900 : keyword.startsWith(typed, Qt::CaseInsensitive) ? 450 : 0);
  }
  return best;
}

}  // namespace

int match_score(const QString& query, const NodeType& type) {
  const QStringList words = query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (words.isEmpty()) return 1;
  int total = 0;
  for (const QString& word : words) {
    const int one = score(word, type);
    if (one == 0) {
      total = 0;
      break;
    }
    total += one;
  }
  return words.size() == 1 ? total : std::max(total, score(query, type) * static_cast<int>(words.size()));
}

bool palette_order(const NodeType& a, const NodeType& b) {
  const NodeDecl &x = a.decl, &y = b.decl;
  const size_t p = category_order(x.category()), q = category_order(y.category());
  return std::tie(p, x.category(), x.title()) < std::tie(q, y.category(), y.title());
}

}  // namespace hw::app
