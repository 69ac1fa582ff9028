#include "app/cli/print/gradcheck_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/core/place_text.h"
#include "engine/train/bad_value.h"

namespace hw::cli {

using nlohmann::ordered_json;

namespace {

std::string place(const GradResult& r) {
  return r.worst.index < 0 ? "a random direction" : place_text(r.worst.index, r.dims);
}

std::string held_text(const GradResult& r) {
  std::string nodes;
  for (const std::string& node : r.held) nodes += (nodes.empty() ? "" : ", ") + node;
  return nodes.empty() ? "" : "  (held fixed: what stop_gradient hands on in " + nodes + ")";
}

}  // namespace

ordered_json to_json(const GradReport& report) {
  ordered_json j{{"passed", report.passed()}, {"loss", report.loss},         {"seed", report.seed},
                 {"step", report.step},       {"suspects", report.suspects}, {"blocks", ordered_json::array()}};
  for (const GradResult& r : report.results) {
    j["blocks"].push_back({{"node", r.block.node},
                           {"name", r.block.name},
                           {"kind", r.block.is_parameter ? "parameter" : "wire"},
                           {"dims", r.dims},
                           {"verdict", name(r.verdict)},
                           {"inherited", r.inherited},
                           {"held_fixed_by", r.held},
                           {"checks", r.checks},
                           {"kinks", r.kinks},
                           {"wrong", r.wrong},
                           {"largest", r.largest},
                           {"worst",
                            {{"place", place(r)},
                             {"adjoint", r.worst.adjoint},
                             {"difference", r.worst.difference},
                             {"error", r.worst.error}}}});
  }
  return j;
}

ordered_json to_json(const std::vector<Reduction>& reductions) {
  ordered_json j = ordered_json::array();
  for (const Reduction& r : reductions)
    j.push_back({{"node", r.node}, {"param", r.param}, {"from", r.from}, {"to", r.to}});
  return j;
}

void print(const GradReport& report, const char* title) {
  size_t wide = 5;
  for (const GradResult& r : report.results) wide = std::max(wide, r.block.name.size());
  std::printf("%-*s  %-9s  %-9s %6s %6s %6s  %12s  %9s  worst: adjoint, difference\n", static_cast<int>(wide), "value",
              "kind", "verdict", "checks", "kinks", "wrong", "largest", "error/tol");
  for (const GradResult& r : report.results) {
    std::printf("%-*s  %-9s  %-9s %6zu %6zu %6zu  %12.5g  %9.2g  %.9g, %.9g at %s%s%s\n", static_cast<int>(wide),
                r.block.name.c_str(), r.block.is_parameter ? "parameter" : title, std::string(name(r.verdict)).c_str(),
                r.checks, r.kinks, r.wrong, r.largest, r.worst.error, r.worst.adjoint, r.worst.difference,
                place(r).c_str(), r.inherited ? "  (inherited)" : "", held_text(r).c_str());
  }
}

std::string text_of(const std::vector<Reduction>& reductions) {
  std::string text;
  for (const Reduction& r : reductions) {
    text += (text.empty() ? "" : ", ") + r.node + "." + r.param + " " + std::to_string(r.from) + " → " +
            std::to_string(r.to);
  }
  return text;
}

}  // namespace hw::cli
