#include "CCrypto.h"
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <unistd.h>

enum { nonce_length = 12, tag_length = 16 };

bool commonplace_sha256(const uint8_t *bytes, size_t length, uint8_t *digest) {
    return EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL) == 1;
}

bool commonplace_sha256_of_file(int file, uint8_t *digest) {
    uint8_t part[65536];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_done = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    ssize_t count = 1;
    while (is_done && count != 0) {
        count = read(file, part, sizeof part);
        is_done = count < 0 ? errno == EINTR : EVP_DigestUpdate(context, part, (size_t)count) == 1;
    }
    is_done = is_done && EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(context);
    return is_done;
}

bool commonplace_hmac_sha256(const uint8_t *key, int key_length, const uint8_t *bytes, size_t length, uint8_t *code) {
    return HMAC(EVP_sha256(), key, key_length, bytes, length, code, NULL) != NULL;
}

bool commonplace_aes_gcm_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *context, int context_length, const uint8_t *plain,
    int length, uint8_t *sealed) {
    uint8_t *text = sealed + nonce_length;
    memcpy(sealed, nonce, nonce_length);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int written = 0;
    bool is_done = cipher && EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
        (context_length == 0 || EVP_EncryptUpdate(cipher, NULL, &written, context, context_length) == 1) &&
        (length == 0 || EVP_EncryptUpdate(cipher, text, &written, plain, length) == 1) &&
        EVP_EncryptFinal_ex(cipher, text + length, &written) == 1 &&
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, tag_length, text + length) == 1;
    EVP_CIPHER_CTX_free(cipher);
    return is_done;
}

bool commonplace_aes_gcm_open(
    const uint8_t *key, const uint8_t *context, int context_length, const uint8_t *sealed, int length,
    uint8_t *plain) {
    const uint8_t *text = sealed + nonce_length;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int written = 0;
    bool is_genuine = cipher && EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, sealed) == 1 &&
        (context_length == 0 || EVP_DecryptUpdate(cipher, NULL, &written, context, context_length) == 1) &&
        (length == 0 || EVP_DecryptUpdate(cipher, plain, &written, text, length) == 1) &&
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, tag_length, (void *)(text + length)) == 1 &&
        EVP_DecryptFinal_ex(cipher, plain + length, &written) == 1;
    EVP_CIPHER_CTX_free(cipher);
    return is_genuine;
}
