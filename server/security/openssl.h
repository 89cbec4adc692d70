// Owners of objects of C libraries.

#pragma once

#include <memory>

#include <openssl/bio.h>
#include <openssl/evp.h>

namespace signet {

// Frees with a function: std::unique_ptr<BIO, FreeWith<BIO_free>>.
template <auto free_function>
struct FreeWith {
  template <class T>
  void operator()(T* pointer) const {
    free_function(pointer);
  }
};
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;

}  // namespace signet
