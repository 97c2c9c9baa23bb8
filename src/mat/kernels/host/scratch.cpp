#include "kernels/host/scratch.hpp"

#include <bit>
#include <cstdint>
#include <thread>

#include <pthread.h>

#include "core/runtime.hpp"

namespace petscspmv::kernels {
namespace {

/// Bytes of a block for so many: a few sizes, so that a block for matrices of many sizes seldom grows, and that their
/// claims are few entries of a map.
std::size_t block_bytes(std::size_t bytes)
{
  constexpr std::size_t least = 4096;
  if (bytes <= least) return least;
  const int step = static_cast<int>(std::bit_width(bytes - 1)) - 3; // five to eight steps of which are as much
  return (((bytes - 1) >> step) + 1) << step;
}

/// The block at which the calling thread begins to look for one: threads that multiply at the same time seldom meet,
/// and each finds its own again. A thread is where its stack is; a thread-local number would cost a call.
std::size_t first_block()
{
  const auto thread = (std::uint64_t)(std::uintptr_t)pthread_self() >> 12;
  return static_cast<std::size_t>((thread * 0x9E3779B97F4A7C15U) >> 57) % ScratchClaim::most_blocks;
}

} // namespace

class ScratchPool {
public:
  static ScratchPool &instance()
  {
    static auto &pool = *new ScratchPool; // never destroyed: static objects of the program may still multiply in their destructors
    return pool;
  }

  /// Counts a claim in the place of a smaller one, with a block that has room for it.
  void raise(std::atomic<std::size_t> &claim, std::size_t bytes)
  {
    const std::lock_guard lock(mutex_);
    const std::size_t     before = claim.load(std::memory_order_relaxed);
    if (bytes <= before) return; // another thread was faster
    const auto entry = claims_.try_emplace(block_bytes(bytes), 0).first;
    try {
      provide(entry->first);
    } catch (const std::bad_alloc &) {
      if (entry->second == 0) claims_.erase(entry);
      throw;
    }
    ++entry->second;
    if (before > 0) forget(before);
    find_largest();
    claim.store(bytes, std::memory_order_release);
  }

  void lower(std::size_t claim)
  {
    const std::lock_guard lock(mutex_);
    forget(claim);
    find_largest();
    shrink();
  }

  Scratch borrow(std::size_t bytes)
  {
    for (std::size_t i = 0, at = first_block(); i < blocks_.size(); ++i, at = (at + 1) % blocks_.size()) {
      ScratchBlock &block = blocks_[at];
      if (!block.take()) continue;
      if (block.bytes_.load(std::memory_order_relaxed) >= bytes || resizes(block, block_bytes(bytes))) return Scratch(block);
      block.give_back();
      return wait_for(bytes);
    }
    try {
      return Scratch(Arena(bytes, 0));
    } catch (const std::bad_alloc &) {
      return wait_for(bytes);
    }
  }

  void give_back(ScratchBlock &block)
  {
    block.give_back();
    if (!is_too_large(block)) return;
    const std::lock_guard lock(mutex_);
    shrink();
  }

  std::size_t bytes() const
  {
    std::size_t sum = sizeof(*this);
    for (const ScratchBlock &block : blocks_) sum += block.bytes_.load(std::memory_order_relaxed);
    return sum;
  }

private:
  bool is_too_large(const ScratchBlock &block) const
  {
    return block.bytes_.load(std::memory_order_relaxed) > largest_.load(std::memory_order_relaxed);
  }

  static bool resizes(ScratchBlock &block, std::size_t bytes)
  {
    try {
      block.resize(bytes);
      return true;
    } catch (const std::bad_alloc &) {
      return false;
    }
  }

  /// Blocks that are larger than any claim. One that is in use is left until it is given back, and one of which there
  /// is no memory for a smaller one: it may be the only one that others wait for.
  void shrink()
  {
    for (ScratchBlock &block : blocks_) {
      if (!is_too_large(block) || !block.take()) continue;
      resizes(block, largest_);
      block.give_back();
    }
  }

  Scratch wait_for(std::size_t bytes)
  {
    for (;; std::this_thread::yield())
      for (ScratchBlock &block : blocks_) {
        if (block.bytes_.load(std::memory_order_relaxed) < bytes || !block.take()) continue;
        if (block.bytes_.load(std::memory_order_relaxed) >= bytes) return Scratch(block);
        block.give_back();
      }
  }

  /// Sees to it that a block has so many bytes.
  void provide(std::size_t bytes)
  {
    for (const ScratchBlock &block : blocks_)
      if (block.bytes_.load(std::memory_order_relaxed) >= bytes) return;
    for (std::size_t i = first_block();; i = (i + 1) % blocks_.size()) {
      if (!blocks_[i].take()) continue;
      const bool grown = resizes(blocks_[i], bytes);
      blocks_[i].give_back();
      if (!grown) throw std::bad_alloc();
      return;
    }
  }

  void forget(std::size_t claim)
  {
    const auto entry = claims_.find(block_bytes(claim));
    if (--entry->second == 0) claims_.erase(entry);
  }

  void find_largest() { largest_.store(claims_.empty() ? 0 : claims_.rbegin()->first, std::memory_order_relaxed); }

  std::array<ScratchBlock, ScratchClaim::most_blocks> blocks_;
  std::atomic<std::size_t>                            largest_{0}; ///< claim of a format that is there, as a block
  std::mutex                                          mutex_;      ///< of claims
  std::map<std::size_t, std::size_t>                  claims_;     ///< how many there are for blocks of each size
};

void ScratchBlock::resize(std::size_t bytes)
{
  memory_ = bytes > 0 ? Arena(bytes, 0) : Arena();
  bytes_.store(bytes, std::memory_order_relaxed);
}

void Scratch::give_back()
{
  ScratchPool::instance().give_back(*block_);
}

ScratchClaim::~ScratchClaim()
{
  if (bytes() > 0) ScratchPool::instance().lower(bytes());
}

void ScratchClaim::raise(std::size_t bytes)
{
  if (bytes > bytes_.load(std::memory_order_acquire)) ScratchPool::instance().raise(bytes_, bytes);
}

Scratch ScratchClaim::lend(std::size_t bytes)
{
  return ScratchPool::instance().borrow(bytes);
}

} // namespace petscspmv::kernels

std::size_t petscspmv::runtime::scratch_bytes()
{
  return kernels::ScratchPool::instance().bytes();
}
