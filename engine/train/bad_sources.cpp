#include "engine/train/bad_sources.h"

#include "engine/core/magnitudes.h"
#include "engine/core/place_text.h"

namespace hw {

std::string bad_samples_text(const Dataset& data, Split split) {
  const DatasetSplit& samples = data.split(split);
  if (samples.x.empty() || !info(samples.x.dtype()).is_float || magnitudes_of(samples.x).finite()) return "";
  const int64_t size = element_count(data.sample), bytes = static_cast<int64_t>(size_of(samples.x.dtype()));
  int64_t bad = 0, first = -1;
  for (int64_t row = 0; row < samples.count(); ++row) {
    const std::byte* sample = samples.x.as<std::byte>() + samples.begin_of(row, size) * bytes;
    if (magnitudes_of(samples.x.dtype(), sample, size).finite()) continue;
    if (bad++ == 0) first = row;
  }
  std::string text = std::to_string(bad) + " of the " + std::to_string(samples.count()) + " samples of the " +
                     std::string(name(split)) + " split of \"" + data.name + "\" hold Inf or NaN";
  // Samples that are held out have other numbers than in their file.
  const bool in_order = split == Split::test || data.validation.count() == 0;
  if (in_order) text += "; the first is sample " + std::to_string(first);
  return text + ".";
}

std::vector<BadSource> bad_sources(const Program& program, const GivenValues& given) {
  std::vector<BadSource> found;
  for (const Instr& instr : program.instrs) {
    const auto* rows = std::get_if<SampleRowsAttr>(&instr.attr);
    if (!rows || !rows->data) continue;
    std::string text = bad_samples_text(*rows->data, rows->which);
    if (!text.empty()) found.push_back({program.nodes[instr.node], std::move(text)});
  }
  for (const auto& [socket, value] : given) {
    const Magnitudes m = magnitudes_of(value);
    if (m.finite()) continue;
    found.push_back({socket.node, socket.node + "." + socket.socket + ", as given, holds " + std::to_string(m.infs) +
                                      " Inf and " + std::to_string(m.nans) + " NaN; the first is at " +
                                      place_text(m.first_bad, value.dims()) + "."});
  }
  return found;
}

}  // namespace hw
