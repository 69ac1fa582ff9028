// What a gradient check found, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/gradient/grad_check.h"
#include "engine/plan/reduced_graph.h"

namespace hw::cli {

nlohmann::ordered_json to_json(const GradReport& report);
nlohmann::ordered_json to_json(const std::vector<Reduction>& reductions);

/// One line a block, on stdout; `title` is what the kind of a block that is no parameter is called: "wire", "input".
void print(const GradReport& report, const char* title);
/// "sampler.points 65536 → 32, encoder.log2_table 19 → 12"; empty: nothing was reduced.
std::string text_of(const std::vector<Reduction>& reductions);

}  // namespace hw::cli
