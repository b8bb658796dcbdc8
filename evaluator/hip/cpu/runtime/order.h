// The order in which blocks, waves and lanes run: upwards without a seed, else drawn anew for every launch and block.
//
// Drawn for every block, so that what a kernel finds out about one block says nothing about the next; and a quarter of
// them runs upwards, so that an upward order does not tell a run without a seed from one with a seed.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace hipcpu {

class Order {
 public:
  // Every launch until the next call follows from the seed; 0 means upwards.
  void begin(uint64_t seed) { seed_ = state_ = seed; }

  bool is_drawn() const { return seed_ != 0; }

  // A number from 0 to bound - 1.
  uint64_t draw(uint64_t bound) {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;  // splitmix64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % bound;
  }

  void begin_launch(uint64_t blocks, size_t waves, size_t lanes) {
    blocks_ = blocks, first_ = 0, step_ = 1;
    waves_.resize(waves), lanes_.resize(waves * lanes), wave_size_ = lanes;
    if (drawn_upwards()) return;
    first_ = draw(blocks);
    do step_ = 1 + draw(blocks);
    while (std::gcd(step_, blocks) != 1);
  }

  void begin_block() {
    std::iota(waves_.begin(), waves_.end(), 0);
    for (size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = uint16_t(i % wave_size_);
    if (drawn_upwards()) return;
    shuffle(waves_.data(), waves_.size());
    for (size_t i = 0; i < lanes_.size(); i += wave_size_) shuffle(&lanes_[i], wave_size_);
  }

  // The block, wave or lane that is the i-th to run. Steps of one length visit every block: grids are too large to
  // store a permutation.
  uint64_t block(uint64_t i) const { return uint64_t((first_ + (unsigned __int128)i * step_) % blocks_); }
  size_t wave(size_t i) const { return waves_[i]; }
  size_t lane(size_t wave, size_t i) const { return lanes_[wave * wave_size_ + i]; }

 private:
  bool drawn_upwards() { return !is_drawn() || draw(4) == 0; }

  void shuffle(uint16_t* items, size_t count) {
    for (size_t i = count; i > 1; --i) std::swap(items[i - 1], items[draw(i)]);
  }

  uint64_t seed_ = 0, state_ = 0;
  uint64_t blocks_ = 1, first_ = 0, step_ = 1;
  size_t wave_size_ = 1;
  std::vector<uint16_t> waves_, lanes_;
};

}  // namespace hipcpu
