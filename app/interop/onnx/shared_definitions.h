// Definitions of groups: each once, where they differ in the numbers of their constants alone.
#pragma once

#include <compare>
#include <unordered_map>

#include "app/interop/onnx/model.h"
#include "engine/graph/graph.h"

namespace hw::interop {

/// What an instance of a group is made of.
struct SharedDefinition {
  std::string group;  // its id
  ParamMap params;    // of the instance: promoted constants whose numbers are not those of the definition
};

class SharedDefinitions {
 public:
  /// The group of this definition: one that is there already, or a new one, named after `scope`. Definitions of one
  /// kind of scope are one where all but their constants of one number are the same; constants that differ are then
  /// promoted, under the name of the input that reads them. Constants that have the same numbers in both are one
  /// promoted parameter, and stay so.
  SharedDefinition add(const OnnxScope& scope, Graph definition);
  const std::map<std::string, Group>& groups() const { return groups_; }

 private:
  using Place = std::pair<std::string, std::string>;  // a node and its parameter
  /// The one number of a constant. −0 is not 0.
  struct Number {
    uint64_t bits = 0;  // of an f64
    bool is_list = false;
    auto operator<=>(const Number&) const = default;
    /// None: the parameter is no number, and no list of one.
    static std::optional<Number> of(const ParamValue& value);
    ParamValue value() const;
  };
  using Numbers = std::map<Place, Number>;
  /// Takes the numbers that instances may set out of a definition.
  Numbers taken_out(Graph& definition) const;
  /// The value of a parameter that an instance does not set.
  ParamValue standing(const std::string& group, const std::string& param) const;
  /// The parameters with which an instance of `group` has these numbers; none: two constants that are one parameter
  /// would differ.
  std::optional<ParamMap> params_for(Group& group, const Numbers& numbers) const;
  std::string new_group(const OnnxScope& scope, Graph definition);

  std::map<std::string, Group> groups_;
  std::unordered_map<std::string, std::vector<std::string>> known_;  // ids of groups by all but these numbers
  std::unordered_map<std::string, int> numbers_;                     // the last suffix of groups of one name
};

/// The last part of a path, with the one before it where it is a number: "layer1_0" of "layer1.0".
std::string short_name(const std::string& path);

}  // namespace hw::interop
