// DescriptionCache: keeps texts that describe models, so that each is written once.
//
//   cache.FindOrMake("openapi", models, [&] { return Description{Write(models)}; },
//                    [](std::shared_ptr<const Description> text) { ... });
//
// A text depends on its key and on the models, which never change; a version that is loaded again
// is another model. What else it depends on, such as the permissions of the caller or labels, must
// be part of the key. The rules:
//   1. If several threads need a text that is not made, one of them makes it. The others do not
//      wait: their functions are called by that thread.
//   2. A newer text of the same key replaces the older one.
//   3. The texts have at most `max_bytes`. Beyond that, the text that was used least recently is
//      dropped. A longer text is made for those who need it at that time, and is not kept.
// Thread-safe.

#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/model/loaded_model.h"
#include "server/transport/compression.h"
#include "signet/buffer.h"

namespace signet {

struct Description {
  std::string text;
  std::vector<size_t> ends = {};  // of the parts of the text, if it has parts
  // The text after compression, for the clients that accept that.
  std::shared_ptr<CompressOnce> compressed = std::make_shared<CompressOnce>();
};

// Returns the text, which the buffer keeps alive.
Buffer BufferOf(const std::shared_ptr<const Description>& description);

class DescriptionCache {
 public:
  using Models = std::vector<std::shared_ptr<const LoadedModel>>;
  using Made = std::shared_ptr<const Description>;
  using Done = std::function<void(const Made&)>;

  explicit DescriptionCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Passes the text to `done`: before it returns, or on the thread that is making the text. If
  // `make` throws, `done` receives null.
  void FindOrMake(const std::string& key, const Models& models,
                  absl::FunctionRef<Description()> make, Done done);

 private:
  struct Entry {
    std::vector<std::weak_ptr<const LoadedModel>> models;
    Made made = {};                  // null while a thread makes it
    std::vector<Done> waiting = {};  // for `made`
    size_t bytes = 0;
    std::list<std::string>::iterator place = {};  // in `used_`, if it is made
  };

  static bool IsOf(const Entry& entry, const Models& models);
  // Require mu_.
  void Keep(const std::string& key, const std::shared_ptr<Entry>& entry, const Made& made);
  void Drop(const std::string& key);

  const size_t max_bytes_;
  std::mutex mu_;
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_;  // guarded by mu_
  std::list<std::string> used_;  // keys, the least recently used one first; guarded by mu_
  size_t bytes_ = 0;             // guarded by mu_
};

}  // namespace signet
