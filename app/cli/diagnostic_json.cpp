#include "app/cli/diagnostic_json.h"

#include <nlohmann/json.hpp>

namespace hw::cli {

using nlohmann::ordered_json;

ordered_json to_json(const Diagnostic& d) {
  ordered_json j{
      {"code", d.code},     {"severity", name(d.severity)}, {"node", d.node}, {"socket", d.socket},
      {"reason", d.reason}, {"expected", d.expected},       {"got", d.got},   {"remedies", ordered_json::array()}};
  if (d.link) j["link"] = {d.link->from + "." + d.link->from_socket, d.link->to + "." + d.link->to_socket};
  for (const Remedy& r : d.remedies) j["remedies"].push_back(r.label);
  return j;
}

ordered_json to_json(const Error& e) {
  return {{"code", e.code}, {"where", e.where}, {"reason", e.reason}, {"remedy", e.remedy}};
}

}  // namespace hw::cli
