// PastLosses: the losses of earlier runs of a document, for plots beside those of the present one.
#pragma once

#include <deque>
#include <memory>
#include <vector>

namespace hw::app {

class PastLosses {
 public:
  using Losses = std::shared_ptr<const std::vector<float>>;  // one a step

  /// A run is over; null or empty: it had none. Of the runs that are kept the oldest goes when they are too many.
  void keep(Losses losses);
  void clear() { all_.clear(); }
  /// Newest last; none is null or empty.
  const std::deque<Losses>& all() const { return all_; }

 private:
  std::deque<Losses> all_;
};

}  // namespace hw::app
