// Files and folders in memory, as a running program sees them. What a loss of power leaves of them is another matter:
// crash_states.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/strong_types.hpp"
#include "hash.hpp"

namespace tarn::inline TARN_ABI::testing {

// Immutable, so that the many disks of a test share what they have in common.
class file_content {
 public:
  file_content() : file_content(std::string()) {}
  explicit file_content(std::string bytes) : held_(std::make_shared<const held>(std::move(bytes))) {}

  [[nodiscard]] const std::string& bytes() const noexcept { return held_->bytes; }
  [[nodiscard]] std::uint64_t hash() const noexcept { return held_->hash; }

  // With `piece` at `offset`; zeros are before it if the content ends earlier.
  [[nodiscard]] file_content with(std::size_t offset, std::string_view piece) const {
    std::string changed = bytes();
    if (changed.size() < offset + piece.size()) changed.resize(offset + piece.size());
    changed.replace(offset, piece.size(), piece);
    return file_content(std::move(changed));
  }

 private:
  struct held {
    explicit held(std::string&& content) : bytes(std::move(content)), hash(hash_of(bytes)) {}
    std::string bytes;
    std::uint64_t hash;
  };
  std::shared_ptr<const held> held_;
};

// Nodes are numbered as they are made, and a number is never used again. A node without a name is not there any more,
// but for those who have it open.
class simulated_disk {
 public:
  using node_number = std::size_t;
  using folder_names = std::map<std::string, node_number, std::less<>>;

  static constexpr node_number root = 0;
  static constexpr node_number none = SIZE_MAX;

  struct node {
    bool is_folder = false;
    node_number parent = root;  // of a folder
    folder_names names;         // in a folder
    file_content content;       // of a file
    timestamp modified;
  };

  simulated_disk() { (void)add_folder(root); }

  node_number add_folder(node_number parent) {
    nodes_.emplace_back().is_folder = true;
    nodes_.back().parent = parent;
    return nodes_.size() - 1;
  }
  node_number add_file() {
    nodes_.emplace_back();
    return nodes_.size() - 1;
  }

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] node& at(node_number number) { return nodes_[number]; }
  [[nodiscard]] const node& at(node_number number) const { return nodes_[number]; }

  [[nodiscard]] node_number find(node_number folder, std::string_view name) const {
    const auto found = nodes_[folder].names.find(name);
    return found == nodes_[folder].names.end() ? none : found->second;
  }
  // `target` may be `none`: then nothing has the name any more.
  void set_name(node_number folder, std::string_view name, node_number target) {
    folder_names& names = nodes_[folder].names;
    if (target != none)
      names.insert_or_assign(std::string(name), target);
    else if (const auto found = names.find(name); found != names.end())
      names.erase(found);
  }

  // By a path, which begins at the root whether or not it says so; `none` if there is nothing.
  [[nodiscard]] node_number find_path(std::string_view path) const {
    node_number here = root;
    while (!path.empty() && here != none) {
      const std::string_view name = path.substr(0, path.find('/'));
      path.remove_prefix(name.size() < path.size() ? name.size() + 1 : path.size());
      if (name.empty() || name == ".") continue;
      if (!nodes_[here].is_folder) return none;
      here = name == ".." ? nodes_[here].parent : find(here, name);
    }
    return here;
  }

  // Of all names and what they stand for; equal for disks that no program could tell apart.
  [[nodiscard]] std::uint64_t hash() const { return hash_of_folder(root, 1); }

 private:
  [[nodiscard]] std::uint64_t hash_of_folder(node_number folder, std::uint64_t path) const {
    std::uint64_t sum = path;
    for (const auto& [name, target] : nodes_[folder].names) {
      const std::uint64_t named = mix(path, hash_of(name));
      const node& found = nodes_[target];
      sum += found.is_folder ? hash_of_folder(target, mix(named, 1)) : mix(named, found.content.hash());
    }
    return sum;
  }

  std::vector<node> nodes_;
};

}  // namespace tarn::inline TARN_ABI::testing
