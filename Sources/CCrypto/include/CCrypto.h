// What the program asks of libcrypto. A target of C and no system library: NIOSSL brings another OpenSSL of its own, whose types have
// the same names. Lengths are in bytes; null may stand where a length is 0.
#ifndef COMMONPLACE_CCRYPTO_H
#define COMMONPLACE_CCRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Writes the 32 bytes of SHA-256. False where there is no memory.
bool commonplace_sha256(const uint8_t *_Nullable bytes, size_t length, uint8_t *_Nonnull digest);

/// The same of what can still be read from an open file. False where it cannot be read, or there is no memory.
bool commonplace_sha256_of_file(int file, uint8_t *_Nonnull digest);

/// Writes the 32 bytes of HMAC-SHA-256. False where there is no memory.
bool commonplace_hmac_sha256(
    const uint8_t *_Nullable key, int key_length, const uint8_t *_Nullable bytes, size_t length, uint8_t *_Nonnull code);

/// AES-256-GCM with a key of 32 bytes: writes the nonce of 12 bytes, `length` bytes and a tag of 16. False where there is no memory.
bool commonplace_aes_gcm_seal(
    const uint8_t *_Nonnull key, const uint8_t *_Nonnull nonce, const uint8_t *_Nullable context, int context_length,
    const uint8_t *_Nullable plain, int length, uint8_t *_Nonnull sealed);

/// The reverse: `sealed` is a nonce, `length` bytes and a tag. False where the tag does not hold; what stands in `plain` then means nothing.
bool commonplace_aes_gcm_open(
    const uint8_t *_Nonnull key, const uint8_t *_Nullable context, int context_length, const uint8_t *_Nonnull sealed,
    int length, uint8_t *_Nonnull plain);

#endif
