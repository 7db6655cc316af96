#include "writing.hpp"

#include "output.hpp"

namespace lake {

exit_code with_writing(const call& asked, const std::function<tarn::result<std::string>(transaction&)>& write) {
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  tarn::result<transaction> writing = begin(*opened);
  if (!writing) return report(writing.error());
  const tarn::result<std::string> done = write(*writing);
  if (!done) return report(done.error());
  const tarn::result<tarn::version> committed = commit(*opened, *writing);
  if (!committed) return report(committed.error());
  output out;
  out.print(tarn::concat({*done, " (version ", committed->number, ")\n"}));
  return out.finish();
}

}  // namespace lake
