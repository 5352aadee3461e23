// What the program asks of ICU. A target of C and no system library: ICU's headers rename each function with a macro,
// which Swift does not see.
#ifndef COMMONPLACE_CICU_H
#define COMMONPLACE_CICU_H

#include <stdint.h>

/// A checker for any number of threads, never closed; null where ICU has no data.
const void *_Nullable commonplace_spoof_open(void);

/// Writes the skeleton of UTS 39 of `length` bytes of UTF-8 and gives its length in bytes; -1 where it does not fit or
/// there is none.
int32_t commonplace_spoof_skeleton(
    const void *_Nonnull checker, const char *_Nonnull text, int32_t length, char *_Nonnull skeleton, int32_t capacity);

/// Writes a normal form (0 NFC, 1 NFD, 2 NFKC, 3 NFKD) of `length` units of UTF-16 and gives its length in units, also
/// where it does not fit; -1 where ICU fails.
int32_t commonplace_normalise(
    int32_t form, const uint16_t *_Nonnull text, int32_t length, uint16_t *_Nonnull result, int32_t capacity);

#endif
