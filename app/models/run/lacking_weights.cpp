#include "app/models/run/lacking_weights.h"

#include "engine/graph/lower/parameter_count.h"

namespace hw::app {

LackingWeights::LackingWeights(const Document& document, std::function<std::shared_ptr<const Weights>()> weights,
                               QObject* parent)
    : QObject(parent),
      analysis_(
          document,
          [this, &document, asked = std::move(weights)]() -> AfterEdits::Analysis {
            const std::shared_ptr<const Weights> held = asked();
            return [this, held, graph = held ? document.flat() : Graph()]() -> AfterEdits::Callback {
              size_t count = 0;
              if (held) {
                Validator validator;
                validator.reset(graph);
                count = count_without(graph, validator, *held);
              }
              return [this, count] { set(count); };
            };
          },
          [this] { set(0); }) {}

void LackingWeights::renew() {
  set(0);
  analysis_.renew();
}

void LackingWeights::set(size_t count) {
  if (std::exchange(count_, count) != count) Q_EMIT changed();
}

}  // namespace hw::app
