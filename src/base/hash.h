/* hash.h: SHA-256, for the identity of builds and for the check of what was read from files. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
	uint32_t state[8];
	uint64_t size_bytes;
	unsigned char block[64];
};

void hash_init(struct hash *hash);
void hash_add(struct hash *hash, const void *data, size_t size_bytes);

#define HASH_DIGEST 32u

/* Writes the whole digest. This or hash_end ends the use of the struct. */
void hash_digest(struct hash *hash, uint8_t digest[HASH_DIGEST]);

/* Writes the first 16 bytes of the digest: enough for identity, short enough to print. */
void hash_end(struct hash *hash, uint8_t id[16]);

#endif
