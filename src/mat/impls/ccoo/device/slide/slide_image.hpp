#pragma once

/// \file slide_image.hpp
/// Which units slide, and how their patterns become chains and singles.

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "impls/ccoo/device/slide/slide_arrays.hpp"
#include "impls/ccoo/device/slide/stride.hpp"
#include "impls/ccoo/device/unit/unit_image.hpp"
#include "kernels/coding/float_bits.hpp"
#include "impls/ccoo/plan/alike.hpp"

namespace petscspmv::ccoo::image {

template <class Scalar> using Slides = Part<SlideKind, Scalar>;

/// A pattern in chains and singles.
struct SlideParts {
  struct Part {
    Local  offset;             ///< of a single, or of the middle of a chain
    double before, at, behind; ///< values at offset - stride, offset, offset + stride
    int    slot;               ///< that of `at`
    int    slot_before, slot_behind;
  };
  std::vector<Part> chains, singles;
};

/// Nothing if there is no chain, or if there are values that must not be multiplied by zero.
template <class Scalar> std::optional<SlideParts> slide_parts(const Units<Scalar> &m, const Pattern &p, Local stride)
{
  if constexpr (sizeof(Scalar) > sizeof(double)) return {};
  else {
    if (p.first_value != Pattern::by_slot || p.slots == 0 || p.slots > 3 * most_slide_parts) return {};
    const Slot<Scalar> *const slot = m.slot.data() + p.first_slot;
    const auto                lane = [&](int k, int l) {
      return k < p.full ||
             (m.lanes_of_slots[p.first_lanes + static_cast<std::size_t>((k - p.full) / 32 * DeviceGroup::rows + l)] >> (k - p.full) % 32 &
              1);
    };
    const auto same_lanes = [&](int j, int k) {
      for (int l = 0; l < DeviceGroup::rows; ++l)
        if (lane(j, l) != lane(k, l)) return false;
      return true;
    };
    std::vector<bool> used(p.slots);
    const auto        find = [&](Local offset) {
      for (int k = 0; k < p.slots; ++k)
        if (!used[static_cast<std::size_t>(k)] && slot[k].offset == offset) return k;
      return -1;
    };
    SlideParts parts;
    for (int k = 0; k < p.slots; ++k)
      if (!kernels::is_finite(slot[k].value)) return {};
    for (int k = 0; k < p.slots; ++k) {
      const int below = find(slot[k].offset - stride), above = find(slot[k].offset + stride);
      if (used[static_cast<std::size_t>(k)] || below < 0 || above < 0 || !same_lanes(k, below) || !same_lanes(k, above)) continue;
      for (int s : {below, k, above}) used[static_cast<std::size_t>(s)] = true;
      parts.chains.push_back({slot[k].offset, slot[below].value, slot[k].value, slot[above].value, k, below, above});
    }
    if (parts.chains.empty()) return {};
    for (int k = 0; k < p.slots; ++k)
      if (!used[static_cast<std::size_t>(k)]) parts.singles.push_back({slot[k].offset, 0, slot[k].value, 0, k, -1, -1});
    return parts;
  }
}

/// Units that slide, as jobs; the others come first among the units.
template <class Scalar> class Slider {
public:
  Slider(Units<Scalar> &units, Slides<Scalar> &m, Local matrix_rows, Local stride, const SlideRules &rules)
    : units_(units), m_(m), matrix_rows_(matrix_rows), stride_(stride), rules_(rules), parts_(units.pattern.size())
  {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] = slide_parts(units, units.pattern[i], stride);
  }

  void run()
  {
    if (!choose_shape()) return;
    make_grid();
    for (std::int64_t tile = 0; tile < tiles_; ++tile)
      for (std::int64_t plane = 0; plane < planes_;) plane = add_run(tile, plane);
    if (m_.slide.size() < rules_.least_jobs) return drop();
    // Planes next to each other at about the same time.
    std::stable_sort(m_.slide.begin(), m_.slide.end(), [](const Slide &p, const Slide &q) { return p.row < q.row; });
    put_sliding_last();
    m_.stride = stride_;
  }

private:
  static constexpr Local rows = DeviceGroup::rows;

  void drop()
  {
    m_.slide.clear();
    m_.slide_data.clear();
    m_.slide_slot.clear();
  }

  /// The smallest shape that all patterns of chains fit, but for those that would ask for a larger one than most of the
  /// rows do.
  bool choose_shape()
  {
    std::size_t chains = 0, singles = 0;
    Local       low = 0, high = 0;
    for (const auto &p : parts_) {
      if (!p) continue;
      chains  = std::max(chains, p->chains.size());
      singles = std::max(singles, p->singles.size());
      for (const auto *list : {&p->chains, &p->singles})
        for (const auto &part : *list) {
          low  = std::min(low, part.offset);
          high = std::max(high, part.offset);
        }
    }
    if (chains == 0 || high - low > rules_.widest) return false;
    if (chains + singles > static_cast<std::size_t>(most_slide_parts)) return false;
    const SlideShape any{static_cast<int>(chains), static_cast<int>(singles), many_slide_warps};
    const auto       fits           = [&any](const SlideShape &s) { return any.chains <= s.chains && any.singles <= s.singles; };
    const auto       with_registers = std::find_if(slide_shapes.begin(), slide_shapes.end(), fits);
    m_.slide_shape                  = with_registers != slide_shapes.end() ? *with_registers : any;
    m_.slide_low                    = low;
    const int needs                 = m_.slide_shape.warps * DeviceGroup::rows + high - low;
    m_.slide_room                   = (needs + 2 * (slide_line - 1)) / slide_line * slide_line; // both ends are at multiples of a line
    return true;
  }

  /// Both the units that slide and those that do not stay in their order.
  void put_sliding_last()
  {
    std::vector<Unit> sliding;
    std::size_t       plain = 0;
    for (std::size_t i = 0; i < units_.unit.size(); ++i)
      if (place_[i] >= 0 && slides_[static_cast<std::size_t>(place_[i])]) sliding.push_back(units_.unit[i]);
      else units_.unit[plain++] = units_.unit[i];
    std::copy(sliding.begin(), sliding.end(), units_.unit.begin() + static_cast<std::ptrdiff_t>(plain));
    units_.plain_units = static_cast<std::uint32_t>(plain);
  }

  /// Units are in the order of their rows.
  void make_grid()
  {
    planes_ = (std::int64_t(matrix_rows_) + stride_ - 1) / stride_;
    width_  = (stride_ + rows - 1) / rows;
    tiles_  = (width_ + warps() - 1) / warps();
    grid_.assign(static_cast<std::size_t>(planes_ * width_), -1);
    slides_.assign(grid_.size(), false);
    place_.reserve(units_.unit.size());
    std::int64_t plane = 0;
    for (const Unit &u : units_.unit) {
      while (u.row - plane * stride_ >= stride_) ++plane;
      const auto at    = static_cast<Local>(u.row - plane * stride_);
      const bool whole = at % rows == 0 && parts_[u.pattern] && u.end - u.row == std::min<Local>(rows, stride_ - at);
      place_.push_back(whole ? static_cast<std::int32_t>(plane * width_ + at / rows) : -1);
      if (whole) grid_[static_cast<std::size_t>(place_.back())] = static_cast<std::int32_t>(u.pattern);
    }
    offset_of_pattern_.assign(parts_.size(), -1);
  }
  /// So many that there are not too many jobs, if all units slide.
  std::int64_t planes_of_job() const
  {
    const std::int64_t jobs = std::max<std::int64_t>(1, tuning::device_slide_jobs / tiles_); // of a tile
    return std::clamp((planes_ + jobs - 1) / jobs, rules_.least_job_planes, tuning::device_most_job_planes);
  }
  int warps() const { return m_.slide_shape.warps; }

  std::int64_t pattern(std::int64_t plane, std::int64_t u) const { return grid_[static_cast<std::size_t>(plane * width_ + u)]; }
  bool         alike(std::int64_t tile, std::int64_t p, std::int64_t q) const
  {
    for (std::int64_t u = tile * warps(), last = std::min(width_, u + warps()); u < last; ++u)
      if (pattern(p, u) < 0 || pattern(p, u) != pattern(q, u)) return false;
    return true;
  }

  /// Jobs of the planes from `plane` on that are alike; returns the next plane.
  std::int64_t add_run(std::int64_t tile, std::int64_t plane)
  {
    std::int64_t end = plane;
    while (end < planes_ && alike(tile, plane, end)) ++end;
    const std::int64_t run = end - plane;
    if (run < rules_.least_planes) return std::max(end, plane + 1);
    const std::int64_t first = tile * warps(), last = std::min(width_, first + warps());
    const std::int64_t planes = planes_of_job(), jobs = (run + planes - 1) / planes;
    for (std::int64_t j = 0; j < jobs; ++j) {
      const std::int64_t from = plane + run * j / jobs, to = plane + run * (j + 1) / jobs;
      Slide              s{};
      s.row    = static_cast<Local>(from * stride_ + first * rows);
      s.planes = static_cast<std::int32_t>(to - from);
      s.rows   = std::min<Local>(static_cast<Local>(warps()) * rows, stride_ - static_cast<Local>(first) * rows);
      for (std::int64_t u = first; u < first + warps(); ++u)
        s.data[u - first] = data_of(static_cast<std::size_t>(pattern(plane, std::min(u, last - 1))));
      m_.slide.push_back(s);
    }
    for (std::int64_t p = plane; p < end; ++p)
      for (std::int64_t u = first; u < last; ++u) slides_[static_cast<std::size_t>(p * width_ + u)] = true;
    return end;
  }

  /// Weights, offsets and lanes of a pattern: three numbers and an offset for each chain, a number and an offset for
  /// each single, a word or two for each of the 128 rows, whose bits are chains and singles.
  std::uint32_t data_of(std::size_t pattern)
  {
    std::int64_t &known = offset_of_pattern_[pattern];
    if (known >= 0) return static_cast<std::uint32_t>(known);
    const SlideShape &shape = m_.slide_shape;
    const SlideParts &p     = *parts_[pattern];
    known                   = static_cast<std::int64_t>(m_.slide_data.size());
    const auto put          = [this](double v, const void *with, std::size_t bytes) {
      double second = 0;
      std::memcpy(&second, with, bytes);
      m_.slide_data.push_back({v, second});
    };
    const auto from = [&](int slot) {
      m_.slide_slot.push_back(slot < 0 ? no_slot : units_.pattern[pattern].first_slot + static_cast<std::uint32_t>(slot));
    };
    constexpr SlideParts::Part none{0, 0, 0, 0, -1, -1, -1};
    for (int c = 0; c < shape.chains; ++c) {
      const SlideParts::Part part = c < int(p.chains.size()) ? p.chains[static_cast<std::size_t>(c)] : none;
      put(part.before, &part.at, sizeof part.at);
      put(part.behind, &part.offset, sizeof part.offset);
      for (const int slot : {part.slot_before, part.slot, part.slot_behind, -1}) from(slot);
    }
    for (int c = 0; c < shape.singles; ++c) {
      const SlideParts::Part part = c < int(p.singles.size()) ? p.singles[static_cast<std::size_t>(c)] : none;
      put(part.at, &part.offset, sizeof part.offset);
      for (const int slot : {part.slot, -1}) from(slot);
    }
    std::vector<std::uint32_t> bits(static_cast<std::size_t>(slide_words(shape) * rows)); // [words][rows]
    const Pattern             &q     = units_.pattern[pattern];
    const auto                 place = [](int bit, int l) { // among words of 32 bits for each of the rows
      return static_cast<std::size_t>(bit / 32) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(l);
    };
    const auto on = [&](int slot, int bit) {
      const int partly = slot - q.full; // its number among slots that are not there for all rows
      for (int l = 0; l < rows; ++l)
        if (partly < 0 || (units_.lanes_of_slots[q.first_lanes + place(partly, l)] >> partly % 32 & 1))
          bits[place(bit, l)] |= std::uint32_t(1) << bit % 32;
    };
    for (std::size_t c = 0; c < p.chains.size(); ++c) on(p.chains[c].slot, static_cast<int>(c));
    for (std::size_t c = 0; c < p.singles.size(); ++c) on(p.singles[c].slot, shape.chains + static_cast<int>(c));
    const std::size_t at = m_.slide_data.size();
    m_.slide_data.resize(at + bits.size() * sizeof bits[0] / sizeof(SlideData));
    m_.slide_slot.resize(2 * m_.slide_data.size(), no_slot);
    std::memcpy(m_.slide_data.data() + at, bits.data(), bits.size() * sizeof bits[0]);
    return static_cast<std::uint32_t>(known);
  }

  Units<Scalar>                         &units_;
  Slides<Scalar>                        &m_;
  Local                                  matrix_rows_;
  Local                                  stride_;
  SlideRules                             rules_;
  std::vector<std::optional<SlideParts>> parts_;
  std::int64_t                           planes_ = 0, width_ = 0, tiles_ = 0;
  std::vector<std::int32_t>              grid_;  // [planes][width] pattern, or -1
  std::vector<std::int32_t>              place_; // there, of each unit, or -1
  std::vector<bool>                      slides_;
  std::vector<std::int64_t>              offset_of_pattern_;
};

template <> struct HostKind<SlideKind> {
  template <class View> static void set_rules(DeviceRules &rules, const View &a, const OptionValues &options)
  {
    if (rules.tile != TileChoice::chunk) rules.stride = slide_stride(a, SlideRules(options));
  }
  template <class Scalar, class Index, class Image> static void make(const Source<Scalar, Index> &from, Image &m)
  {
    if (from.plan.rules.stride == 0) return;
    m.slide_cols = from.plan.cols;
    Slider<Scalar>(m, m, from.plan.rows, from.plan.rules.stride, SlideRules(from.options)).run();
  }
  /// The weights, after the slots of units. False if there is one that is not finite: rows that do not have its slot
  /// multiply it by zero.
  template <class Image, class Scalar, class Index> static bool renew_constants(Image &m, const CsrView<Scalar, Index> &, int)
  {
    if constexpr (std::is_same_v<Scalar, double>)
      for (std::size_t i = 0; i < m.slide_slot.size(); ++i) {
        if (m.slide_slot[i] == no_slot) continue;
        const double weight = m.slot[m.slide_slot[i]].value;
        if (!kernels::is_finite(weight)) return false;
        (i % 2 == 0 ? m.slide_data[i / 2].first : m.slide_data[i / 2].second) = weight;
      }
    return true;
  }
  template <class Image, class Visit> static void decode(const Image &, const Visit &) { } ///< they are units
  template <class Scalar> static Facts            facts(const Units<Scalar> &m)
  {
    return {{"units that slide", std::to_string(m.unit.size() - m.plain_units)}};
  }
};

} // namespace petscspmv::ccoo::image
