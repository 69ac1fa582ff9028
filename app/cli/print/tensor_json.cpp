#include "app/cli/print/tensor_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/print/tensor_components.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

/// A moment of the finite values; null where there are none.
ordered_json moment(const TensorStatistics& s, double value) {
  return s.finite() > 0 ? ordered_json(value) : ordered_json();
}

/// From the first octave with a value to the last.
ordered_json histogram_json(const TensorStatistics& s) {
  const auto filled = [](int64_t n) { return n > 0; };
  const auto begin = std::find_if(s.bins.begin(), s.bins.end(), filled);
  const auto end = std::find_if(s.bins.rbegin(), s.bins.rend(), filled).base();
  if (begin >= end) return {{"first", 0}, {"counts", ordered_json::array()}};
  return {{"first", s.first + static_cast<int>(begin - s.bins.begin())}, {"counts", std::vector<int64_t>(begin, end)}};
}

}  // namespace

ordered_json tensor_json(const Tensor& tensor) {
  const TensorStatistics s = measure(tensor);
  ordered_json j{{"dtype", name(tensor.dtype())}, {"shape", tensor.dims()},  {"count", s.count},
                 {"min", moment(s, s.min)},       {"max", moment(s, s.max)}, {"mean", moment(s, s.mean)},
                 {"std", moment(s, s.deviation)}, {"zeros", s.zeros},        {"subnormal", s.subnormal},
                 {"saturated", s.saturated},      {"nans", s.nans},          {"infs", s.infs}};
  if (info(tensor.dtype()).is_float) j["histogram"] = histogram_json(s);
  for (const ComponentStatistics& c : measure_components(tensor))
    j["components"].push_back({{"name", c.name},
                               {"min", moment(c.values, c.values.min)},
                               {"max", moment(c.values, c.values.max)},
                               {"mean", moment(c.values, c.values.mean)},
                               {"zeros", c.values.zeros}});
  return j;
}

}  // namespace hw::cli
