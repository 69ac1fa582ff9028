#include "app/cli/print/precision_report.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "engine/precision/change_text.h"

namespace hw::cli {

using nlohmann::ordered_json;

namespace {

std::string loss_text(double loss) {
  if (!std::isfinite(loss)) return std::isnan(loss) ? "NaN" : loss > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.4e", loss);
  return text;
}

}  // namespace

void print_sides(const std::vector<std::pair<std::string, WhatIfSide>>& sides) {
  std::printf("%-12s %12s %12s %14s %11s %10s %11s %13s %9s\n", "", "loss", "held out", "training", "parameters",
              "optimiser", "activations", "running", "ms/step");
  for (const auto& [name, side] : sides) {
    const MemoryEstimate& m = side.bytes.training;
    char ms[32] = "-";
    if (side.ms_per_step > 0) std::snprintf(ms, sizeof ms, "%.2f", side.ms_per_step);
    std::printf("%-12s %12s %12s %14s %11s %10s %11s %13s %9s%s\n", name.c_str(), loss_text(side.loss).c_str(),
                loss_text(side.held_out_loss).c_str(), memory_text(m.total()).c_str(),
                memory_text(m.parameters).c_str(), memory_text(m.optimiser).c_str(), memory_text(m.activations).c_str(),
                memory_text(side.bytes.running).c_str(), ms, side.failed ? "  failed" : "");
  }
}

std::string padded(const std::string& text, size_t width) {
  const auto shown = static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  return std::string(width > shown ? width - shown : 0, ' ') + text;
}

ordered_json json_number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json ratio_json(const PairedTime& time) {
  return time.is_measured() ? ordered_json(time.ratio()) : ordered_json();
}

ordered_json to_json(const PrecisionBytes& bytes) {
  const MemoryEstimate& m = bytes.training;
  return {{"training",
           {{"parameters", m.parameters},
            {"optimiser", m.optimiser},
            {"activations", m.activations},
            {"data", m.data},
            {"total", m.total()}}},
          {"running", bytes.running}};
}

ordered_json to_json(const WhatIfSide& side) {
  ordered_json j{{"loss", json_number(side.loss)},
                 {"held_out_loss", json_number(side.held_out_loss)},
                 {"ms_per_step", side.ms_per_step > 0 ? ordered_json(side.ms_per_step) : ordered_json()},
                 {"bytes", to_json(side.bytes)},
                 {"failed", nullptr}};
  if (side.failed) j["failed"] = {{"code", side.failed->code}, {"reason", side.failed->reason}};
  return j;
}

Status check_output(const std::string& out, const std::string& file) {
  namespace fs = std::filesystem;
  if (out.empty()) return ok();
  std::error_code ec;
  if (fs::equivalent(out, file, ec) && !ec)
    return Error{codes::bad_usage, "-o " + out, "that is the graph itself, which is never overwritten.",
                 "Name another file."};
  const fs::path folder = fs::path(out).has_parent_path() ? fs::path(out).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ec) || ::access(folder.c_str(), W_OK) != 0)
    return Error{codes::file_unwritable, "-o " + out, "its folder is missing or cannot be written to.",
                 "Name a file in another folder."};
  return ok();
}

}  // namespace hw::cli
