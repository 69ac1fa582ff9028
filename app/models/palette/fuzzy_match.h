// Fuzzy ranking: how well a few typed letters fit a name.
#pragma once

#include <QString>

namespace hw::app {

/// 0: no match; higher is better. Whole name > start > start of a word > inside > initials > letters in order.
/// Case is ignored; an empty pattern fits everything equally.
int fuzzy_score(const QString& pattern, const QString& text);

}  // namespace hw::app
