#include "select/rental.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace petscspmv::select {

namespace {

using Numbers = Outlook::Numbers;

bool possible(const Numbers &n, int w)
{
  return std::isfinite(n.product[w]) && std::isfinite(n.change[w]);
}

/// True if way `w` is so much faster than the present one that it would be gone if changing over cost nothing.
bool gains(const Outlook &o, int w, const Terms &terms)
{
  const Numbers &n     = o.numbers;
  const double   least = n.guessed[w] > 0 ? terms.guess_gain : terms.least_gain;
  return w != o.way && possible(n, w) && n.product[w] < (1 - least) * n.product[o.way];
}

/// True if way `w` is only predicted to be no better than the present one, and not by much.
bool worth_a_trial(const Outlook &o, int w, const Terms &terms)
{
  const Numbers &n = o.numbers;
  return w != o.way && possible(n, w) && n.guessed[w] > 0 && n.product[w] <= terms.hopeless * n.product[o.way];
}

/// What may be lost until a way that was only predicted has been judged.
double risk(const Outlook &o, int w, const Terms &terms)
{
  const double products = trial_products * terms.surprise + (judged_products - trial_products) * (terms.hopeless - 1);
  return o.numbers.guessed[w] > 0 ? products * o.numbers.product[o.way] : 0;
}

bool can_try(const Outlook &o, int w, const Terms &terms)
{
  const Numbers &n = o.numbers;
  return n.invested + n.change[w] + n.change[o.way] + risk(o, w, terms) <= terms.share * n.spent;
}

bool is_paid(const Outlook &o, int w, const Terms &terms)
{
  const Numbers &n     = o.numbers;
  const double   times = n.spent / n.product[o.way];
  if (times * (n.product[o.way] - n.product[w]) < n.change[w]) return false;
  return n.guessed[w] == 0 || n.invested + n.change[w] + risk(o, w, terms) <= terms.share * n.spent;
}

} // namespace

bool is_on_trial(const Outlook &o, const Terms &terms)
{
  if (o.way == 0 || o.since >= judged_products) return false; // the first is gone back to
  double other = std::numeric_limits<double>::infinity();
  for (int w = 0; w < o.ways; ++w)
    if (w != o.way && possible(o.numbers, w)) other = std::min(other, o.numbers.product[w]);
  return o.numbers.product[o.way] <= terms.hopeless * other;
}

int choose_way(const Outlook &o, const Terms &terms)
{
  if (o.numbers.unseen > 0 || is_on_trial(o, terms)) return o.way;
  int best = o.way;
  for (int w = 0; w < o.ways; ++w)
    if (gains(o, w, terms) && (best == o.way || o.numbers.product[w] < o.numbers.product[best])) best = w;
  if (best != o.way && is_paid(o, best, terms)) return best;
  int trial = o.way;
  for (int w = 0; w < o.ways; ++w)
    if (worth_a_trial(o, w, terms) && can_try(o, w, terms) && (trial == o.way || o.numbers.product[w] < o.numbers.product[trial]))
      trial = w;
  return trial;
}

bool is_better_elsewhere(const Outlook &o, double seconds, const Terms &terms)
{
  return o.ways > 0 && o.way == 0 && seconds > 0 && o.numbers.guessed[0] == 0 && seconds < (1 - terms.elsewhere) * o.numbers.product[0];
}

void take_elsewhere(Outlook &o, double seconds)
{
  Numbers &n = o.numbers;
  if (o.ways == 0 || !(seconds > 0) || seconds >= n.product[0]) return;
  if (o.way == 0 && n.guessed[0] == 0)
    for (int w = 1; w < o.ways; ++w)
      if (n.guessed[w] > 0) n.product[w] *= seconds / n.product[0];
  n.product[0] = seconds;
}

bool is_settled(const Outlook &o, const Terms &terms)
{
  if (o.ways > 1 && o.numbers.unseen > 0) return false;
  for (int w = 0; w < o.ways; ++w)
    if (gains(o, w, terms) || worth_a_trial(o, w, terms)) return false;
  return true;
}

} // namespace petscspmv::select
