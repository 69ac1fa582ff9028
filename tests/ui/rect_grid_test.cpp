// The grid of the canvas against looking at every rectangle.
#include "app/canvas/rect_grid.h"

#include <QTest>
#include <random>
#include <vector>

namespace hw::app {

class RectGridTest : public QObject {
  Q_OBJECT

  std::mt19937 random_{20240611};
  double at(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  QRectF somewhere() {
    const bool is_long = at(0, 1) < 0.05;  // in more cells than a grid wants to know
    return {at(-9000, 9000), at(-9000, 9000), at(0, is_long ? 15000 : 400), at(0, is_long ? 15000 : 300)};
  }
  static std::vector<int> brute(const std::vector<QRectF>& all, const std::vector<bool>& known, const QRectF& area) {
    std::vector<int> found;
    for (size_t i = 0; i < all.size(); ++i) {
      const QRectF& r = all[i];
      if (known[i] && r.left() <= area.right() && area.left() <= r.right() && r.top() <= area.bottom() &&
          area.top() <= r.bottom())
        found.push_back(static_cast<int>(i));
    }
    return found;
  }

 private Q_SLOTS:
  void agrees_with_brute_force_as_items_come_move_and_go() {
    RectGrid grid;
    std::vector<QRectF> all(500);
    std::vector<bool> known(all.size(), false);
    for (int round = 0; round < 4000; ++round) {
      const auto item = static_cast<size_t>(at(0, static_cast<double>(all.size()) - 0.001));
      if (at(0, 1) < 0.2) {
        grid.remove(static_cast<int>(item));
        known[item] = false;
      } else {
        all[item] = at(0, 1) < 0.5 ? somewhere() : all[item].translated(at(-30, 30), at(-30, 30));
        grid.set(static_cast<int>(item), all[item]);
        known[item] = true;
      }
      const double size = at(0, 1) < 0.1 ? 30000 : at(0, 2000);
      const QRectF area(at(-10000, 10000), at(-10000, 10000), size, at(0, 1) < 0.1 ? 0 : size);
      QCOMPARE(grid.in(area), brute(all, known, area));
    }
  }

  void finds_what_lies_on_the_border_and_forgets() {
    RectGrid grid;
    grid.set(3, {512, 0, 10, 10});
    QCOMPARE(grid.in({500, 5, 12, 0}), std::vector<int>{3});
    QCOMPARE(grid.in({522.5, 0, 1, 1}), std::vector<int>{});
    grid.set(3, {-5000, -5000, 10, 10});
    QCOMPARE(grid.in({500, 5, 12, 0}), std::vector<int>{});
    QCOMPARE(grid.in({-1e12, -1e12, 2e12, 2e12}), std::vector<int>{3});
    grid.clear();
    QCOMPARE(grid.in({-1e12, -1e12, 2e12, 2e12}), std::vector<int>{});
  }
};

}  // namespace hw::app

QTEST_APPLESS_MAIN(hw::app::RectGridTest)
#include "rect_grid_test.moc"
