#include "CICU.h"
#include <unicode/unorm2.h>

int32_t commonplace_normalise(
    int32_t form, const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *normaliser = form == 0   ? unorm2_getNFCInstance(&status)
                                     : form == 1 ? unorm2_getNFDInstance(&status)
                                     : form == 2 ? unorm2_getNFKCInstance(&status)
                                                 : unorm2_getNFKDInstance(&status);
    if (U_FAILURE(status)) return -1;
    int32_t wanted = unorm2_normalize(normaliser, (const UChar *)text, length, (UChar *)result, capacity, &status);
    return U_SUCCESS(status) || status == U_BUFFER_OVERFLOW_ERROR ? wanted : -1;
}
