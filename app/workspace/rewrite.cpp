#include "app/workspace/rewrite.h"

#include "app/workspace/set_aside.h"
#include "app/workspace/weights_beside.h"
#include "engine/graph/groups/flatten.h"

namespace hw::workspace {

std::vector<RulePlaces> places_of_rules(const Graph& flat) {
  Validator validator;
  validator.reset(flat);
  std::vector<RulePlaces> all;
  for (const RewriteRule& rule : rewrite_rules()) all.push_back({&rule, rule.find(flat, validator).size()});
  return all;
}

Result<ProvenRewrite> prove_rewrite(const OpenGraph& loaded, const RewriteRequest& r, Notes& notes) {
  HW_TRY(ProvenRewrite proven,
         hw::prove_rewrite(loaded.document, *r.rule, r.weights, *loaded.assets, *r.device, r.proof));
  if (!proven.places.empty() && !r.weights)
    add_note(notes, "there are no weights: initial ones of seed " + std::to_string(r.proof.seed) + " are used.");
  return proven;
}

Result<std::vector<std::filesystem::path>> save_rewritten(const OpenGraph& loaded, const ProvenRewrite& proven,
                                                          const std::filesystem::path& file, const std::string& option,
                                                          Notes& notes) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path weights = weights_file(file);
  if (proven.weights) {
    HW_CHECK(set_weights_aside(weights, notes));
    HW_CHECK(save_weights(weights_to_save(flatten(proven.made.graph), *proven.weights), weights));
    files.push_back(weights);
  } else if (std::filesystem::exists(weights)) {
    return Error{codes::file_unwritable, by_option(option, file.string()),
                 weights.string() + " would be taken for its weights, and it has none.",
                 "Move that file, or name another graph."};
  }
  HW_CHECK(save_document(proven.made.graph, loaded.file, file.string(), loaded.option_names, notes));
  files.push_back(file);
  return files;
}

}  // namespace hw::workspace
