#include "engine/instrument/gradient_history.h"

#include <algorithm>
#include <cassert>

namespace hw {
namespace {

constexpr size_t kUsual = 15, kLeastKnown = 4;  // distances that the usual one is the median of
constexpr uint64_t kLeastGap = 64;              // steps: what an account of costs may wait for

/// `look` after the gap that lay before one that is left out.
std::shared_ptr<const GradientLook> after_gap(const std::shared_ptr<const GradientLook>& look, const std::string& gap) {
  if (gap.empty() || !look->gap.empty()) return look;
  auto copy = std::make_shared<GradientLook>(*look);
  copy->gap = gap;
  return copy;
}

}  // namespace

GradientRecorder::GradientRecorder(GradientSubjects subjects, const GradientHistory* earlier, size_t most)
    : most_(most) {
  assert(most >= 2);
  if (earlier && *earlier->subjects == subjects) {
    history_ = *earlier;
  } else {
    history_.subjects = std::make_shared<const GradientSubjects>(std::move(subjects));
  }
}

bool GradientRecorder::is_gap(uint64_t distance) const {
  if (distance < kLeastGap || distances_.size() < kLeastKnown) return false;
  std::vector<uint64_t> sorted(distances_.begin(), distances_.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return distance > kGap * *middle;
}

void GradientRecorder::add(GradientLook look, const std::string& why) {
  auto& [subjects, looks, stride, added] = history_;
  if (!looks.empty() && look.step <= looks.back()->step) {
    looks.clear();
    distances_.clear();
    stride = 1;
    added = 0;
  }
  if (!looks.empty()) {
    const uint64_t distance = look.step - looks.back()->step;
    if (is_gap(distance)) look.gap = why.empty() ? "no step was looked at" : why;
    distances_.push_back(distance);
    if (distances_.size() > kUsual) distances_.pop_front();
  }
  // The last one goes when there is a newer one, unless its turn has come.
  if (added > 0 && (added - 1) % stride != 0) {
    if (look.gap.empty()) look.gap = looks.back()->gap;
    looks.pop_back();
  }
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
  for (size_t i = 0; i < in_turn; i += 2) looks[kept++] = i > 0 ? after_gap(looks[i], looks[i - 1]->gap) : looks[i];
  const std::string left_out = in_turn % 2 == 0 ? looks[in_turn - 1]->gap : "";
  const bool is_kept = in_turn % 2 == 1 && in_turn == looks.size();
  looks.resize(kept);
  if (!is_kept) looks.push_back(after_gap(last, left_out));
}

}  // namespace hw
