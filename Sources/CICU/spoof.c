#include "CICU.h"
#include <unicode/uspoof.h>

const void *commonplace_spoof_open(void) {
    UErrorCode status = U_ZERO_ERROR;
    USpoofChecker *checker = uspoof_open(&status);
    return U_SUCCESS(status) ? checker : 0;
}

int32_t commonplace_spoof_skeleton(
    const void *checker, const char *text, int32_t length, char *skeleton, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t written = uspoof_getSkeletonUTF8(checker, 0, text, length, skeleton, capacity, &status);
    return U_SUCCESS(status) && written <= capacity ? written : -1;
}
