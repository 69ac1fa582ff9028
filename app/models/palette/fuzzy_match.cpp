#include "app/models/palette/fuzzy_match.h"

#include <algorithm>

namespace hw::app {
namespace {

bool starts_word(const QString& text, qsizetype at) {
  return at == 0 || !text[at - 1].isLetterOrNumber();
}

/// Letters of `pattern` in order; runs and starts of words count more. 0 when some letter is missing.
int scattered(const QString& pattern, const QString& text) {
  int score = 0;
  qsizetype at = -1;
  for (const QChar c : pattern) {
    const qsizetype next = text.indexOf(c, at + 1);
    if (next < 0) return 0;
    score += next == at + 1 ? 6 : starts_word(text, next) ? 5 : 1;
    at = next;
  }
  // Letters strewn over a long text mean nothing.
  return score >= 3 * pattern.size() ? score : 0;
}

}  // namespace

int fuzzy_score(const QString& pattern, const QString& text) {
  const QString p = pattern.trimmed().toLower(), t = text.toLower();
  if (p.isEmpty()) return 1;
  const int brevity = static_cast<int>(std::max<qsizetype>(0, 60 - t.size()));
  if (p == t) return 1000;
  if (t.startsWith(p)) return 800 + brevity;
  for (qsizetype at = t.indexOf(p); at >= 0; at = t.indexOf(p, at + 1)) {
    if (starts_word(t, at)) return 600 + brevity;
  }
  if (t.contains(p)) return 400 + brevity;
  return std::min(300, scattered(p, t) * 4);
}

}  // namespace hw::app
