// Tags: names for versions, in the log. A version is kept as long as it has one.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"
#include "client_core.hpp"
#include "commit_entry.hpp"

namespace tarn::inline TARN_ABI {

namespace tagging_detail {

// Commits one change of one tag, which two that change the same one at once cannot both make.
template <class Store, class Codec>
[[nodiscard]] result<version> commit_tag(client_core<Store, Codec>& lake, const shared_snapshot& now,
                                         std::string_view operation, const version_tag& changed) {
  entry mine;
  mine.operation = operation;
  mine.tags.push_back(changed);
  const auto check = [&](const entry& theirs) -> status {
    for (const version_tag& each : theirs.tags) {
      // A tag of the same version, which can only be taken away, may be all that keeps it.
      const version_tag* const before = now->find_tag(each.name);
      const bool held = before != nullptr && before->at == changed.at;
      if (held || each.name == changed.name)
        return error(errc::conflict, concat({"version ", theirs.at.number, " has changed the tag '", each.name,
                                             "': look at it again"}));
    }
    return changed.at == version() ? status() : check_kept_by(theirs, changed.at);
  };
  return commit_entry(lake, now, std::move(mine), check);
}

}  // namespace tagging_detail

// Whether version `at` may get this name: errc::exists if another has it, and what `check_kept` says.
template <class = void>
[[nodiscard]] status check_new_tag(const snapshot& now, std::string_view name, version at) {
  if (const status good = check_tag_name(name); !good) return good;
  if (const version_tag* const other = now.find_tag(name); other != nullptr)
    return error(errc::exists,
                 concat({"the tag '", name, "' exists, of version ", other->at.number, ": untag it first"}));
  return check_kept(now, at);
}

// Gives the name to a version that `check_new_tag` has accepted.
template <class Store, class Codec>
[[nodiscard]] result<version> tag_version(client_core<Store, Codec>& lake, const shared_snapshot& now,
                                          std::string_view name, version at) {
  return tagging_detail::commit_tag(lake, now, "tag", {std::string(name), at});
}

// Takes a name away. errc::not_found if no version has it.
template <class Store, class Codec>
[[nodiscard]] result<version> untag_version(client_core<Store, Codec>& lake, const shared_snapshot& now,
                                            std::string_view name) {
  if (const status good = check_tag_name(name); !good) return good.error();
  if (now->find_tag(name) == nullptr) return error(errc::not_found, concat({"there is no tag '", name, "'"}));
  return tagging_detail::commit_tag(lake, now, "untag", {std::string(name), version()});
}

}  // namespace tarn::inline TARN_ABI
