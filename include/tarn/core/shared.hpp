// Shared ownership: `shared<T>` counts its owners, `copy_on_write<T>` adds value semantics on top of it.
// Counting is thread-safe; the object itself is as safe as T is.
//
// Why not std::shared_ptr: <memory> alone adds 130 ms and 15,000 lines to every file that includes tarn, and <atomic>
// 55 ms (g++ 12); both compilers that tarn supports have the two operations needed here built in.
#pragma once

#include <cstddef>
#include <utility>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// A counted owner of one T. A default-constructed or moved-from one owns nothing and must not be dereferenced.
template <class T>
class shared {
 public:
  shared() noexcept = default;
  shared(const shared& other) noexcept : block_(other.block_) {
    // A new owner comes from an existing one, so nothing has to be ordered before it.
    if (block_ != nullptr) __atomic_fetch_add(&block_->owners, 1, __ATOMIC_RELAXED);
  }
  shared(shared&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  shared& operator=(shared other) noexcept {
    block* const mine = block_;
    block_ = other.block_;
    other.block_ = mine;
    return *this;
  }
  ~shared() {
    if (block_ != nullptr) release();
  }

  template <class... Arguments>
  [[nodiscard]] static shared make(Arguments&&... arguments) {
    shared made;
    made.block_ = new block{1, T(std::forward<Arguments>(arguments)...)};
    return made;
  }

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  [[nodiscard]] T& operator*() const noexcept { return block_->object; }
  [[nodiscard]] T* operator->() const noexcept { return &block_->object; }

  // Whether this is the only owner: then nobody else can see a change of the object.
  [[nodiscard]] bool unique() const noexcept {
    return block_ != nullptr && __atomic_load_n(&block_->owners, __ATOMIC_ACQUIRE) == 1;
  }

 private:
  struct block {
    std::size_t owners;
    T object;
  };

  // Apart, so that owners of nothing, which each success is (see `result`), end without a call.
  [[gnu::noinline]] void release() noexcept {
    // Release what this owner did; the last one acquires what all others did before it destroys the object.
    if (__atomic_fetch_sub(&block_->owners, 1, __ATOMIC_ACQ_REL) == 1) delete block_;
  }

  block* block_ = nullptr;
};

// A value that is cheap to copy: copies share one T until one of them is written.
template <class T>
class copy_on_write {
 public:
  copy_on_write() : object_(shared<T>::make()) {}
  explicit copy_on_write(T object) : object_(shared<T>::make(std::move(object))) {}

  [[nodiscard]] const T& operator*() const noexcept { return *object_; }
  [[nodiscard]] const T* operator->() const noexcept { return &*object_; }

  // The T to change; copied first if another copy shares it.
  [[nodiscard]] T& writable() {
    if (!object_.unique()) object_ = shared<T>::make(std::as_const(*object_));
    return *object_;
  }

 private:
  shared<T> object_;
};

}  // namespace tarn::inline TARN_ABI
