#include "app/models/run/memory_needs.h"

#include "app/document/text.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/train_settings.h"

namespace hw::app {
namespace {

QString text_of(const MemoryByPlace& estimates) {
  QStringList places;
  for (const auto& [place, m] : estimates) {
    const bool only_host = estimates.size() == 1 && place.empty();
    const QString total = to_q(memory_text(m.total()));
    places +=
        QObject::tr("%1 (parameters %2, optimiser %3, activations %4, data %5, copies of weights %6)")
            .arg(only_host ? total
                           : QObject::tr("%1 on %2").arg(total, place.empty() ? QObject::tr("the host") : to_q(place)),
                 to_q(memory_text(m.parameters)), to_q(memory_text(m.optimiser)), to_q(memory_text(m.activations)),
                 to_q(memory_text(m.data)), to_q(memory_text(m.copies)));
  }
  return places.join(QObject::tr("; "));
}

QString excess_of(const MemoryByPlace& estimates) {
  const auto host = estimates.find("");
  const Status fits = host == estimates.end() ? ok() : check_fits(host->second, available_memory());
  return fits ? QString() : reason_text(fits.error());
}

}  // namespace

MemoryNeeds::MemoryNeeds(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent)
    : QObject(parent),
      assets_(std::move(assets)),
      device_(std::move(device)),
      analysis_(
          document,
          [this, &document]() -> AfterEdits::Analysis {
            using Estimates = Result<MemoryByPlace>;
            const auto trainer = find_trainer(document.flat());
            const bool runs = trainer && !document.validator().blocking(document.flat(), *trainer);
            return [this, graph = runs ? document.flat() : Graph(), device = to_std(device_),
                    runs]() -> AfterEdits::Callback {
              const Estimates found =
                  runs ? estimate_memory_by_place(graph, *assets_, device) : Estimates(MemoryByPlace());
              const QString text = found ? text_of(*found) : QString();
              const QString excess = found ? excess_of(*found) : QString();
              return [this, text, excess] { set(text, excess); };
            };
          },
          [this] { set({}, {}); }) {}

void MemoryNeeds::setDevice(const QString& device) {
  device_ = device;
  renew();
}

void MemoryNeeds::set(const QString& text, const QString& excess) {
  if (text == text_ && excess == excess_) return;
  text_ = text;
  excess_ = excess;
  Q_EMIT changed();
}

}  // namespace hw::app
