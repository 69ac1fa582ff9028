#include "engine/io/dataset/hold_out.h"

#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/core/philox.h"
#include "engine/core/tensor_rows.h"

namespace hw {
namespace {

constexpr uint32_t kStream = 0x686f6c64;  // of its own, whatever a graph draws

/// The two parts of a split, read together.
class Parts {
 public:
  Parts(DatasetSplit whole, std::vector<int64_t> kept, std::vector<int64_t> held)
      : whole_(std::move(whole)), rows_{std::move(kept), std::move(held)} {}

  /// Hands a part over, once.
  Status take(size_t part, DatasetSplit& into) {
    const std::lock_guard lock(mutex_);
    if (!is_read_) {
      HW_CHECK(whole_.load());
      for (size_t p = 0; p < 2; ++p) {
        made_[p].x = rows_of(whole_.x, rows_[p]);
        if (!whole_.labels.empty()) made_[p].labels = rows_of(whole_.labels, rows_[p]);
      }
      whole_ = {};
      is_read_ = true;
    }
    into = std::exchange(made_[part], {});
    return ok();
  }

 private:
  std::mutex mutex_;
  DatasetSplit whole_;
  std::vector<int64_t> rows_[2];
  DatasetSplit made_[2];
  bool is_read_ = false;
};

DatasetSplit part_of(const std::shared_ptr<Parts>& parts, size_t part, size_t rows, const DatasetSplit& whole) {
  const double share = static_cast<double>(rows) / static_cast<double>(whole.count());
  auto source = std::make_shared<SplitSource>();
  source->count = static_cast<int64_t>(rows);
  source->dtype = whole.dtype();
  source->sample_bytes = static_cast<size_t>(share * static_cast<double>(whole.sample_bytes()));
  source->label_bytes = static_cast<size_t>(share * static_cast<double>(whole.bytes() - whole.sample_bytes()));
  source->read = [parts, part](DatasetSplit& into) { return parts->take(part, into); };
  return {{}, {}, std::move(source)};
}

}  // namespace

Status hold_out(Dataset& data, double share) {
  const int64_t count = data.train.count();
  const auto held = std::max<int64_t>(1, std::llround(share * static_cast<double>(count)));
  if (held >= count)
    return Error{codes::asset_lacks, data.name,
                 "it has " + std::to_string(count) + " training samples; a validation split of " +
                     std::to_string(held) + " leaves none to train with.",
                 "Lower the share that is held out, or set it to 0."};
  std::vector<std::pair<uint32_t, int64_t>> drawn;
  for (int64_t row = 0; row < count; ++row)
    drawn.emplace_back(philox_block(0, kStream, 0, static_cast<uint64_t>(row))[0], row);
  std::nth_element(drawn.begin(), drawn.begin() + held, drawn.end());
  std::vector<int64_t> rows[2];
  for (size_t i = 0; i < drawn.size(); ++i) rows[i < static_cast<size_t>(held) ? 1 : 0].push_back(drawn[i].second);
  for (auto& part : rows) std::sort(part.begin(), part.end());
  const size_t kept = rows[0].size();
  const DatasetSplit whole = data.train;
  const auto parts = std::make_shared<Parts>(whole, std::move(rows[0]), std::move(rows[1]));
  data.train = part_of(parts, 0, kept, whole);
  data.validation = part_of(parts, 1, static_cast<size_t>(held), whole);
  return ok();
}

}  // namespace hw
