// What the program asks of ICU. A target of C and no system library: Foundation brings another ICU of its own, whose
// declarations Swift would meet twice if it saw ICU's headers; and those rename each function with a macro.
#ifndef COMMONPLACE_CICU_H
#define COMMONPLACE_CICU_H

#include <stdint.h>

/// A checker for any number of threads, never closed; null where ICU has no data.
const void *_Nullable commonplace_spoof_open(void);

/// Writes the skeleton of UTS 39 of `length` bytes of UTF-8 and gives its length in bytes; -1 where it does not fit or
/// there is none.
int32_t commonplace_spoof_skeleton(
    const void *_Nonnull checker, const char *_Nonnull text, int32_t length, char *_Nonnull skeleton, int32_t capacity);

#endif
