#pragma once

/// \file scratch.hpp
/// What a product writes besides y is memory of the process: programs keep tens of thousands of small matrices, and
/// multiply with a few at a time. It belongs to one product until that is over, because several threads of the program
/// may multiply at the same time, with one matrix or with several.
///
/// The process keeps as many blocks as products have ever run at a time, up to ScratchClaim::most_blocks, and none is
/// larger than the largest claim of a format that is there, rounded up by a quarter at most. So the last format takes
/// all with it.

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "kernels/host/arena.hpp"

namespace petscspmv::kernels {

class ScratchPool;

/// A block that nobody else has.
class alignas(64) ScratchBlock { // with a cache line of its own: threads take theirs without looking at others'
  friend ScratchPool;
  friend class Scratch;

  std::atomic<bool>        taken_{false};
  std::atomic<std::size_t> bytes_{0};
  Arena                    memory_; ///< of who has taken the block

  bool take() { return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire); }
  void give_back() { taken_.store(false, std::memory_order_release); }
  void resize(std::size_t bytes); ///< throws std::bad_alloc, and nothing has changed
};

/// Memory of a product, until the end of its life. It starts on a cache line and holds whatever it held before.
class Scratch {
public:
  Scratch() = default; ///< none
  Scratch(Scratch &&other) noexcept : block_(std::exchange(other.block_, nullptr)), own_(std::move(other.own_)), data_(other.data_) { }
  Scratch &operator=(Scratch &&) = delete;
  ~Scratch()
  {
    if (block_) give_back();
  }

  std::byte *data() const { return data_; }

private:
  friend ScratchPool;
  void give_back();
  explicit Scratch(ScratchBlock &block) : block_(&block), data_(block.memory_.data()) { }
  explicit Scratch(Arena own) : own_(std::move(own)), data_(own_.data()) { }

  ScratchBlock *block_ = nullptr;
  Arena         own_; ///< where all blocks were taken
  std::byte    *data_ = nullptr;
};

/// How much the products of a format borrow at most.
class ScratchClaim {
public:
  static constexpr std::size_t most_blocks = 128;

  ScratchClaim() = default;
  ~ScratchClaim();
  ScratchClaim(const ScratchClaim &)            = delete;
  ScratchClaim &operator=(const ScratchClaim &) = delete;

  /// Borrowing so many bytes throws nothing from now on. Several threads may do this at a time. Throws std::bad_alloc.
  void raise(std::size_t bytes);

  /// At most as many bytes as were claimed; nothing for none. A thread that is alone gets the block it had before,
  /// warm, at the price of one atomic exchange. Where there is no memory for another block, one that is in use is
  /// waited for: a thread that has borrowed must not borrow again.
  Scratch borrow(std::size_t bytes) const { return bytes > 0 ? lend(bytes) : Scratch(); }

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

private:
  static Scratch lend(std::size_t bytes);

  std::atomic<std::size_t> bytes_{0};
};

/// Bytes up to the next cache line, for arrays one behind the other.
constexpr std::size_t whole_lines(std::size_t bytes)
{
  return (bytes + 63) / 64 * 64;
}

} // namespace petscspmv::kernels
