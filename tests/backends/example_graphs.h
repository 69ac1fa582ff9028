// The graphs in resources/examples that train, on pictures, meshes and data sets made in code.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/compare/parity.h"
#include "engine/devices/devices.h"
#include "engine/graph/groups/flatten.h"
#include "engine/io/graph/graph_file.h"
#include "engine/node/example_assets.h"
#include "engine/plan/reduced_graph.h"
#include "engine/plan/train_settings.h"

namespace hw::test {

/// As they run, without groups, in the order of their files, by name.
inline std::vector<std::pair<std::string, Graph>> example_graphs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HALFWIRE_EXAMPLES))
    if (entry.path().extension() == ".halfwire") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::pair<std::string, Graph>> all;
  for (const auto& file : files) {
    auto graph = read_graph(file);
    EXPECT_TRUE(graph) << file;
    Graph flat = graph ? flatten(*graph) : Graph();
    if (find_trainer(flat)) all.emplace_back(file.stem(), std::move(flat));
  }
  return all;
}

/// Trains each on `device` beside the cpu, op by op, with at most `samples` a step; `sizes`: with small tables too.
inline void expect_parity(const std::shared_ptr<Device>& device, int64_t samples, bool sizes, uint64_t steps) {
  ParityOptions options;
  options.steps = steps;
  std::vector<std::string> compared;
  for (const auto& [name, graph] : example_graphs()) {
    if (name == "dtype_clash") continue;  // shows an error
    const Graph reduced = reduce_graph(graph, samples, sizes).graph;
    ExampleAssets assets;
    const auto report = parity(reduced, assets, {"cpu", *make_device("cpu"), 0}, {"gpu", device, 0}, options);
    ASSERT_TRUE(report) << name << ": " << report.error().text();
    compared.push_back(name);
    if (report->agrees()) continue;
    const ParityItem& item = report->items[*report->first];
    ADD_FAILURE() << name << ": " << item.op << " of " << item.node << " (" << item.name << ") is " << item.error
                  << " x the tolerance off in step " << report->step;
  }
  EXPECT_GE(compared.size(), 8u);
}

}  // namespace hw::test
