#include <doctest/doctest.h>
#include <errno.h>
#include <string.h>

#include <string>
#include <tarn/store/file_system.hpp>
#include <tarn/store/system_error.hpp>

TEST_CASE("An error of the system becomes one that a caller can act on, with the system's text") {
  const tarn::error full = tarn::system_error(ENOSPC, "write it");
  CHECK_EQ(full.code(), tarn::errc::no_space);
  CHECK_EQ(full.message(), "cannot write it: No space left on device; make room, then try again");
  for (const int error_number : {EDQUOT, EFBIG})
    CHECK_EQ(tarn::system_error(error_number, "write it").code(), tarn::errc::no_space);
  for (const int error_number : {EACCES, EPERM, EROFS})
    CHECK_EQ(tarn::system_error(error_number, "write it").code(), tarn::errc::permission);
  CHECK_EQ(tarn::system_error(EACCES, "open it").message(), "cannot open it: Permission denied");
  for (const int error_number : {EIO, ENOENT, EMFILE, 12'345})
    CHECK_EQ(tarn::system_error(error_number, "open it").code(), tarn::errc::io);
  for (int error_number = 0; error_number < 140; ++error_number)
    CHECK_EQ(tarn::text_of_system_error(error_number), std::string(::strerror(error_number)));
}

TEST_CASE("An interrupted call is made again, but not for ever") {
  int calls = 0;
  const auto interrupted = [&](int times) {
    calls = 0;
    return tarn::retry_interrupted([&calls, times]() -> tarn::outcome<int> {
      return ++calls <= times ? tarn::outcome<int>{0, EINTR} : tarn::outcome<int>{7, 0};
    });
  };
  CHECK_EQ(interrupted(0).value, 7);
  CHECK_EQ(calls, 1);
  CHECK_EQ(interrupted(100).value, 7);
  CHECK_EQ(interrupted(101).error_number, EINTR);
  CHECK_EQ(calls, 101);
  CHECK_EQ(tarn::retry_interrupted([] { return tarn::outcome<>{{}, EIO}; }).error_number, EIO);
}
