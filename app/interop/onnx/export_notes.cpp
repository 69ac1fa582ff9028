#include "app/interop/onnx/export_notes.h"

#include <map>

#include "engine/core/nearest_names.h"

namespace hw::interop {

std::vector<std::string> export_notes(const ExportedModel& model) {
  std::vector<std::string> notes;
  for (const auto& [axis, because] : model.fixed)
    notes.push_back("the symbolic axis " + axis + " has the size of the Input's example, because of " + because);
  std::map<std::string, size_t> functions;
  for (const GroupFunction& f : model.groups.functions) ++functions[f.group];
  for (const GroupFunction& f : model.groups.functions) {
    if (functions.at(f.group) > 1)
      notes.push_back("instances of the group " + f.group + " have other operators; the function " + f.name +
                      " is that of " + listed(f.instances, f.instances.size()));
    if (!f.attributes.empty())
      notes.push_back("instances of the function " + f.name +
                      " differ in its attributes: " + listed(f.attributes, f.attributes.size()));
  }
  for (const auto& [path, because] : model.groups.inlined) notes.push_back(path + " is no function: " + because);
  return notes;
}

}  // namespace hw::interop
