#include "app/models/checks/xray_heat.h"

#include <algorithm>
#include <cmath>

#include "app/document/text.h"
#include "app/models/checks/xray_words.h"
#include "app/models/text/format.h"

namespace hw::app {
namespace {

constexpr double kHarmless = 1e-6, kHarmful = 0.1;  // relative errors at the ends of the scale
constexpr size_t kMostValues = 4;                   // reported of a node

enum class Measure : uint8_t { introduced, inherited, bits };

/// Three measures of values, then of gradients.
Measure measure_of(int quantity) {
  return static_cast<Measure>(quantity % 3);
}
size_t pass_of(int quantity) {
  return quantity < 3 ? 0 : 1;
}

const RoundingError& error_of(const XrayItem& item, int quantity) {
  switch (measure_of(quantity)) {
    case Measure::introduced:
      return item.introduced;
    case Measure::inherited:
      return item.inherited;
    case Measure::bits:
      break;
  }
  return item.total;
}

Heat heat_of(const XrayItem& item, int quantity) {
  const RoundingError& e = error_of(item, quantity);
  Heat heat{0, has_bad(item)};
  if (e.not_finite > 0) {
    heat.amount = 1;
  } else if (measure_of(quantity) == Measure::bits) {
    heat.amount = std::clamp(1 - e.bits_left / significand_bits(item.dtype), 0.0, 1.0);
  } else if (e.relative > 0) {
    heat.amount = std::clamp(std::log10(e.relative / kHarmless) / std::log10(kHarmful / kHarmless), 0.0, 1.0);
  }
  return heat;
}

const XrayItem* hottest(const std::vector<const XrayItem*>& items, int quantity) {
  const auto cooler = [quantity](const XrayItem* a, const XrayItem* b) {
    return heat_of(*a, quantity).amount < heat_of(*b, quantity).amount;
  };
  return *std::max_element(items.begin(), items.end(), cooler);
}

/// Two lines, or three.
QString lines_of(const XrayItem& item) {
  QString text = QObject::tr("%1, %2\n  introduced %3, inherited %4, %5 bits left")
                     .arg(value_name(item), to_q(name(item.dtype)), error_text(item.introduced),
                          error_text(item.inherited), bits_text(item));
  if (has_bad(item)) text += QObject::tr("\n  Inf or NaN in the graph or in its f64 shadow, not in both");
  return text;
}

}  // namespace

XrayHeat::XrayHeat(XrayModel& xray, QObject* parent) : HeatSource(parent), xray_(xray) {
  const QString low = tr("≤ 1e-6"), high = tr("≥ 0.1");
  quantities_ = {
      {"xray.introduced", tr("Error Introduced"),
       tr("Relative error of a node's own rounding, against f64 on the same inputs."), low, high},
      {"xray.inherited", tr("Error Inherited"),
       tr("Relative error that the errors of a node's inputs have become in what it computes."), low, high},
      {"xray.bits", tr("Bits Left"), tr("Significant bits that agree with the whole graph in f64."), tr("all left"),
       tr("none left")},
      {"xray.gradients.introduced", tr("Error Introduced, Gradients"),
       tr("Relative error of a node's own rounding in the backward pass, against f64 on the same inputs."), low, high},
      {"xray.gradients.inherited", tr("Error Inherited, Gradients"),
       tr("Relative error that came down the backward pass into the gradients that a node computes."), low, high},
      {"xray.gradients.bits", tr("Bits Left, Gradients"),
       tr("Significant bits of gradients that agree with the whole graph in f64."), tr("all left"), tr("none left")},
  };
  for (const auto change : {&XrayModel::runningChanged, &XrayModel::staleChanged})
    connect(&xray, change, this, &HeatSource::changed);
  connect(&xray, &XrayModel::reportChanged, this, [this] {
    index();
    Q_EMIT changed();
  });
}

void XrayHeat::index() {
  by_node_.clear();
  by_value_.clear();
  marks_ = false;
  report_ = xray_.report();
  if (!report_) return;
  for (const XrayItem& item : report_->items) {
    const size_t pass = item.backward ? 1 : 0;
    by_node_[to_q(item.node)][pass].push_back(&item);
    marks_ |= has_bad(item);
    if (item.name.empty()) continue;
    const QString value = to_q(item.name);
    const bool is_gradient = value.startsWith(QLatin1String("grad(")) && value.endsWith(QLatin1Char(')'));
    by_value_[is_gradient ? value.mid(5, value.size() - 6) : value][pass] = &item;
  }
}

const XrayHeat::Items* XrayHeat::itemsOf(const QString& node, int quantity) const {
  const auto found = by_node_.constFind(node);
  if (found == by_node_.constEnd()) return nullptr;
  const Items& items = (*found)[pass_of(quantity)];
  return items.empty() ? nullptr : &items;
}

const XrayItem* XrayHeat::itemOf(const Link& link, int quantity) const {
  const auto found = by_value_.constFind(to_q(link.from + "." + link.from_socket));
  return found == by_value_.constEnd() ? nullptr : (*found)[pass_of(quantity)];
}

std::optional<Heat> XrayHeat::heatOf(const QString& node, int quantity) const {
  const Items* items = itemsOf(node, quantity);
  if (!items) return std::nullopt;
  Heat worst = heat_of(*hottest(*items, quantity), quantity);
  worst.bad = std::any_of(items->begin(), items->end(), [](const XrayItem* item) { return has_bad(*item); });
  return worst;
}

std::optional<Heat> XrayHeat::heatOf(const Link& link, int quantity) const {
  const XrayItem* item = itemOf(link, quantity);
  return item ? std::optional(heat_of(*item, quantity)) : std::nullopt;
}

QString XrayHeat::figureOf(const QString& node, int quantity) const {
  const Items* items = itemsOf(node, quantity);
  if (!items) return {};
  const XrayItem& item = *hottest(*items, quantity);
  const RoundingError& e = error_of(item, quantity);
  return measure_of(quantity) == Measure::bits && !e.has_not_finite() ? bits_text(item) : error_text(e);
}

QString XrayHeat::wordsOf(const QString& node, int quantity) const {
  const Items* items = itemsOf(node, quantity);
  if (!items) return {};
  Items order = *items;
  std::stable_sort(order.begin(), order.end(), [quantity](const XrayItem* a, const XrayItem* b) {
    return heat_of(*a, quantity).amount > heat_of(*b, quantity).amount;
  });
  QStringList lines;
  for (const XrayItem* item : order) {
    if (lines.size() == kMostValues) {
      lines += tr("and %1 more").arg(order.size() - kMostValues);
      break;
    }
    lines += lines_of(*item);
  }
  return lines.join(QLatin1Char('\n'));
}

QString XrayHeat::wordsOf(const Link& link, int quantity) const {
  const XrayItem* item = itemOf(link, quantity);
  return item ? lines_of(*item) : QString();
}

QString XrayHeat::note(int quantity) const {
  if (xray_.running()) return tr("Running the graph beside its f64 shadow…");
  if (!xray_.problem().isEmpty()) return xray_.problem();
  if (!report_)
    return tr("Not looked at yet. An X-ray runs the graph once beside a shadow in f64, and trains nothing.");
  if (xray_.stale()) return tr("%1. The graph has been edited since.").arg(xray_.caption());
  if (pass_of(quantity) == 1 && !report_->training)
    return tr("%1: there are no gradients without a Train node.").arg(xray_.caption());
  return xray_.caption() + QLatin1Char('.');
}

QString XrayHeat::action() const {
  if (xray_.running()) return tr("Cancel");
  if (!report_) return tr("X-ray");
  return xray_.stale() ? tr("X-ray Again") : QString();
}

void XrayHeat::act() {
  if (xray_.running())
    xray_.cancel();
  else
    xray_.start();
}

}  // namespace hw::app
