// The step that makes an object exist: a finished temporary file gets its name, unless the name is taken.
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <string>
#include <string_view>

#include "../core/lock.hpp"
#include "../core/text.hpp"
#include "file_system.hpp"
#include "store.hpp"
#include "system_error.hpp"
#include "temporary_file.hpp"

namespace tarn::inline TARN_ABI {

// By link where the file system has hard links, of files that had no name before if it can make such (they cost less:
// one change of the folder instead of three); else by a rename that never replaces. Which of them is learnt from the
// first put, whose file is the probe. Writers that use different ones may meet in one folder: both are atomic. Where
// neither exists nothing else will do (creating the final name first and writing afterwards would show a torn object
// to a reader, and after a crash to all), so nothing is published there. Thread-safe.
template <file_system System>
class publisher {
 public:
  // Whether a file without a name is worth a try: as long as no file with a name was published in its stead.
  [[nodiscard]] bool takes_unnamed() {
    if constexpr (!makes_unnamed_files<System>) return false;
    const method known = learnt();
    return known == method::untried || known == method::unnamed_link;
  }

  // `created` and `already_exists` say what the folder shows, not yet that it is durable. errc::unsupported, of a file
  // without a name: nothing was put, but one that has a name may do.
  [[nodiscard]] put_result publish(System& system, int folder, temporary_file<System>& file, const char* name) {
    const method known = learnt();
    int link_error = 0;
    if (known != method::rename || !file.has_name()) {
      const outcome<> linked = file.link(name);
      if (linked) {
        learn(file.has_name() && known != method::unnamed_link ? method::link : method::unnamed_link);
        return put_result::created();
      }
      // A link leaves its source, so if it says that there is none, then it did nothing.
      link_error = linked.error_number;
      const put_result put =
          judge(system, folder, file, name, link_error, rules_out(link_error) || link_error == ENOENT);
      if (put.outcome() != put_outcome::not_applied) return put;
      // Another thread may have learnt meanwhile that such files cannot be linked. (ENOENT: also without a /proc.)
      const bool links_unnamed = known == method::unnamed_link && link_error != ENOENT;
      if (!file.has_name() && !links_unnamed) return put_result::not_applied(no_unnamed(link_error));
      const bool has_links = known == method::link || known == method::unnamed_link;
      if (has_links || !means_no_links(link_error)) return put;
    }

    const auto renamed = retry_interrupted([&] { return system.rename_new(folder, file.name(), name); });
    if (renamed) {
      learn(method::rename);
      file.renamed();
      return put_result::created();
    }
    const put_result put = judge(system, folder, file, name, renamed.error_number, rules_out(renamed.error_number));
    if (link_error != 0 && put.outcome() == put_outcome::not_applied && means_no_rename(renamed.error_number))
      return put_result::not_applied(nothing_atomic(link_error, renamed.error_number));
    return put;
  }

 private:
  enum class method : unsigned char { untried, unnamed_link, link, rename };

  // What has become of the name after a call that answered with an error. The answer alone does not tell: it may be
  // lost on a network and the call made again by a driver, so that a change that was made comes back as EEXIST, or as
  // any other error (cf. link(2), "Bugs"). So: what is there? `without_effect`: the error says that nothing was
  // changed.
  [[nodiscard]] static put_result judge(System& system, int folder, const temporary_file<System>& file,
                                        const char* name, int error_number, bool without_effect) {
    const outcome<file_status> there = system.status_at(folder, name);
    const outcome<file_status> own = system.status(file.number());
    if (there && own && there.value.same_file_as(own.value)) return put_result::created();
    if (there && (own || error_number == EEXIST)) return put_result::already_exists();

    // Nothing is there, or nobody can tell. Not even EEXIST helps: it may be of a name that is removed by now, or of
    // our own that a network file system does not show yet.
    const error why = error_number == ENOENT && file.has_name()
                          ? error{errc::io,
                                  "its temporary file was removed before it got its name: by another process, "
                                  "after a stall of more than an hour, or with the folder"}
                          : system_error(error_number, "give it its name");
    if (there.error_number == ENOENT && without_effect) return put_result::not_applied(why);
    return put_result::unknown(why);
  }

  // Errors that are found before anything is changed. After any other (EIO, ETIMEDOUT, ESTALE, ...) the change may have
  // been made, or be made yet by a server that has not seen it.
  [[nodiscard]] static bool rules_out(int error_number) noexcept {
    constexpr int numbers[] = {EACCES, EDQUOT,  EINVAL,     ELOOP,   EMLINK, ENAMETOOLONG, ENOSPC,
                               ENOSYS, ENOTDIR, EOPNOTSUPP, ENOTSUP, EPERM,  EROFS,        EXDEV};
    return is_one_of(error_number, numbers);
  }

  // Answers to link that may mean that there is no such thing here: EPERM by link(2), the others by network file
  // systems and by security policies (Android's answers EACCES). If they mean something else, rename says so too.
  [[nodiscard]] static bool means_no_links(int error_number) noexcept {
    constexpr int numbers[] = {EACCES, EINVAL, EMLINK, ENOSYS, EOPNOTSUPP, ENOTSUP, EPERM, EXDEV};
    return is_one_of(error_number, numbers);
  }
  [[nodiscard]] static bool means_no_rename(int error_number) noexcept {
    constexpr int numbers[] = {EINVAL, ENOSYS, EOPNOTSUPP, ENOTSUP};
    return is_one_of(error_number, numbers);
  }

  template <std::size_t Count>
  [[nodiscard]] static bool is_one_of(int error_number, const int (&numbers)[Count]) noexcept {
    for (const int number : numbers)
      if (number == error_number) return true;
    return false;
  }

  [[nodiscard]] static error nothing_atomic(int link_error, int rename_error) {
    return {errc::unsupported,
            concat({"the file system has neither hard links (", text_of_system_error(link_error),
                    ") nor a rename that never replaces (", text_of_system_error(rename_error),
                    "), so that nothing can be created atomically; keep the lake on another file system"})};
  }

  [[nodiscard]] static error no_unnamed(int link_error) {
    return {errc::unsupported,
            concat({"a file without a name cannot get one here (", text_of_system_error(link_error), ")"})};
  }

  [[nodiscard]] method learnt() {
    const scoped_lock hold(guard_);
    return method_;
  }
  void learn(method works) {
    const scoped_lock hold(guard_);
    method_ = works;
  }

  mutex guard_;
  method method_ = method::untried;
};

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
