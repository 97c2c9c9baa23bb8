#pragma once

/// \file scratch_pool.hpp
/// What a product writes besides y belongs to the product: several threads may multiply with one matrix at the same
/// time.

#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace petscspmv::kernels {

/// Sets of scratch memory for the products of one format. A product borrows a set that nobody uses, or has another one
/// made; there are as many as were ever wanted at a time, up to `kept`.
///
/// Places are tried in their order: a thread that is alone finds its set in the first one, warm, at the price of one
/// atomic exchange.
template <class Set> class ScratchPool {
  static constexpr int kept = 32;

  struct Place {
    std::atomic<bool>    taken{false};
    std::unique_ptr<Set> set; ///< of the thread that has taken the place
  };

public:
  /// A set, until the end of its life; or none.
  class Loan {
  public:
    Loan() = default;
    explicit Loan(Place &place) : place_(&place), set_(place.set.get()) { }
    explicit Loan(std::unique_ptr<Set> own) : own_(std::move(own)), set_(own_.get()) { }
    Loan(Loan &&other) noexcept : place_(std::exchange(other.place_, nullptr)), own_(std::move(other.own_)), set_(other.set_) { }
    Loan &operator=(Loan &&) = delete;
    ~Loan()
    {
      if (place_) place_->taken.store(false, std::memory_order_release);
    }
    explicit operator bool() const { return set_ != nullptr; }
    Set     &operator*() const { return *set_; }
    Set     *operator->() const { return set_; }

  private:
    Place               *place_ = nullptr;
    std::unique_ptr<Set> own_; ///< where all places were taken
    Set                 *set_ = nullptr;
  };

  /// make() gives a new set. Where there is no memory for another one, one that is in use is waited for; throws
  /// std::bad_alloc only if there is none.
  template <class Make> Loan borrow(const Make &make)
  {
    for (Place &place : places_) {
      if (!take(place)) continue;
      if (place.set || try_fill(place, make)) return Loan(place);
      place.taken.store(false, std::memory_order_release);
      return wait_for_one();
    }
    try {
      return Loan(std::make_unique<Set>(make()));
    } catch (const std::bad_alloc &) {
      return wait_for_one();
    }
  }

  /// The same for products that need none unless `needed`.
  template <class Make> Loan borrow_if(bool needed, const Make &make) { return needed ? borrow(make) : Loan(); }

  /// Makes the first set, so that borrow() throws nothing from now on; what there was before is forgotten. No product
  /// is under way. Throws std::bad_alloc.
  template <class Make> void renew(const Make &make)
  {
    forget();
    places_[0].set = std::make_unique<Set>(make());
    sets_.store(1, std::memory_order_relaxed);
  }

  /// Back to no sets. No product is under way.
  void forget()
  {
    for (Place &place : places_) place.set.reset();
    sets_.store(0, std::memory_order_relaxed);
  }

  /// Sets that are kept.
  int count() const { return sets_.load(std::memory_order_relaxed); }

private:
  static bool take(Place &place)
  {
    return !place.taken.load(std::memory_order_relaxed) && !place.taken.exchange(true, std::memory_order_acquire);
  }

  template <class Make> bool try_fill(Place &place, const Make &make)
  {
    try {
      place.set = std::make_unique<Set>(make());
    } catch (const std::bad_alloc &) {
      return false;
    }
    sets_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  Loan wait_for_one()
  {
    if (count() == 0) throw std::bad_alloc();
    for (;; std::this_thread::yield())
      for (Place &place : places_) {
        if (!take(place)) continue;
        if (place.set) return Loan(place);
        place.taken.store(false, std::memory_order_release);
      }
  }

  std::array<Place, kept> places_;
  std::atomic<int>        sets_{0}; ///< that are in places
};

} // namespace petscspmv::kernels
