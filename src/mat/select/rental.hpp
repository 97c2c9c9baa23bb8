#pragma once

/// \file rental.hpp
/// When to change over, not knowing how many products are to come: the ski-rental rule with a limit on what may be
/// lost.
///
/// A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy caching. Algorithmica 3 (1988) 79-119:
/// rent until the rent paid equals the price, then buy.

#include <cstdint>

#include "core/outlook.hpp"

namespace petscspmv::select {

struct Terms {
  double share      = 0.08; ///< of the time of products so far, which changing over and looking may take, at most
  double least_gain = 0.03; ///< of the time of a product, below which a way that was timed is not worth changing to
  double guess_gain = 0.08; ///< the same where the gain is only predicted
  double hopeless =
    1.5; ///< ways are tried that are predicted to take up to so many times the present one, and left at once if they take more
  double elsewhere = 0.05; ///< of the time of a product, by which one that is done elsewhere has to be faster
  double surprise  = 2;    ///< by so many of the present products a product of a way that was never timed may be longer
};

/// The way to go on from here. It is another one than the present if
/// - what the present way has lost against the best so far is as much as changing over costs, and the change, all that was invested before,
///   and what is lost if the prediction is wrong are at most `share` of the time spent: so no number of products takes longer than with the
///   first way by more than that. Only a way that has been timed may be gone at once;
/// - or if a way that was only predicted to lose can be tried within the same limit, changing back included: predictions err.
int choose_way(const Outlook &outlook, const Terms &terms = {});

/// True if the present way has just been changed to and its products may still become shorter, so that choose_way()
/// stays with it whatever they take, but for one that is hopeless.
bool is_on_trial(const Outlook &outlook, const Terms &terms = {});

/// True if the present way is the first, and products done elsewhere, by whom the first way stands for, take so many
/// seconds each and less than by the way itself, which was timed.
bool is_better_elsewhere(const Outlook &outlook, double seconds, const Terms &terms = {});

/// Lets products done elsewhere stand for the first way, if they take less: of that, and of what is predicted from it
/// while it is the present one. Its own may be long because there were few, before caches and branches were its own: a
/// graph's took 260 us and not 135.
void take_elsewhere(Outlook &outlook, double seconds);

/// True if no number of further products would change the choice.
bool is_settled(const Outlook &outlook, const Terms &terms = {});

/// Products on a new way until one thinks again, until it is judged by what they have taken, and until its times are
/// what they will be: caches and what a processor knows of the ends of rows are another type's. AMD Zen 4, us of
/// products after a build, and of plain CSR: bccoo of a crystal (1.2 million entries) 614, 492, 420, 310, 279, 289,
/// 273, 265, ... 258 (415); of a circuit 330, 153, 116, 111, ... 107 (165); of a graph 474, 355, 266, 269, 242, 274,
/// 255, 256, ... 152 (134).
inline constexpr std::int64_t trial_products = 3, judged_products = 9, settling_products = 16;

/// The first product before which to choose, and the one after `products` of them: soon after a change or while the way
/// is on trial, and ever more seldom otherwise.
inline constexpr std::int64_t first_choice = 3;
inline std::int64_t           next_choice(std::int64_t products, bool is_new, bool settled)
{
  return is_new ? products + trial_products : products + 1 + products / (settled ? 1 : 4);
}

} // namespace petscspmv::select
