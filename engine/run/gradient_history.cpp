#include "engine/run/gradient_history.h"

#include <cassert>

namespace hw {

GradientRecorder::GradientRecorder(GradientSubjects subjects, const GradientHistory* earlier, size_t most)
    : most_(most) {
  assert(most >= 2);
  if (earlier && *earlier->subjects == subjects) {
    history_ = *earlier;
  } else {
    history_.subjects = std::make_shared<const GradientSubjects>(std::move(subjects));
  }
}

void GradientRecorder::add(GradientLook look) {
  auto& [subjects, looks, stride, added] = history_;
  if (!looks.empty() && look.step <= looks.back()->step) {
    looks.clear();
    stride = 1;
    added = 0;
  }
  // The last one goes when there is a newer one, unless its turn has come.
  if (added > 0 && (added - 1) % stride != 0) looks.pop_back();
  looks.push_back(std::make_shared<const GradientLook>(std::move(look)));
  ++added;
  if (looks.size() > most_) thin();
}

void GradientRecorder::thin() {
  auto& [subjects, looks, stride, added] = history_;
  const auto last = looks.back();
  const size_t in_turn = looks.size() - ((added - 1) % stride == 0 ? 0 : 1);
  stride *= 2;
  size_t kept = 0;
  for (size_t i = 0; i < in_turn; i += 2) looks[kept++] = looks[i];
  looks.resize(kept);
  if (looks.back() != last) looks.push_back(last);
}

}  // namespace hw
