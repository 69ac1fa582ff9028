// FirstFit against a search of all that is used.
#include "engine/backend/plan/first_fit.h"

#include <gtest/gtest.h>

#include <random>

namespace hw::plan {
namespace {

class Naive {
 public:
  size_t take(size_t bytes) {
    bytes = std::max<size_t>(padded(bytes), 64);
    size_t at = 0;
    for (const auto& [begin, end] : used_) {
      if (begin - at >= bytes) break;
      at = end;
    }
    used_[at] = at + bytes;
    peak_ = std::max(peak_, at + bytes);
    return at;
  }
  void release(size_t offset) { used_.erase(offset); }
  size_t peak() const { return peak_; }

 private:
  std::map<size_t, size_t> used_;
  size_t peak_ = 0;
};

TEST(FirstFit, TakesTheFirstGapThatIsLargeEnough) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    FirstFit fit;
    Naive naive;
    std::vector<size_t> held;
    for (int step = 0; step < 400; ++step) {
      if (!held.empty() && random() % 5 < 2) {
        const size_t k = random() % held.size();
        fit.release(held[k]);
        naive.release(held[k]);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        const size_t bytes = random() % (random() % 4 == 0 ? 5000 : 300);
        held.push_back(fit.take(bytes));
        ASSERT_EQ(held.back(), naive.take(bytes));
      }
      ASSERT_EQ(fit.peak(), naive.peak());
    }
  }
}

}  // namespace
}  // namespace hw::plan
