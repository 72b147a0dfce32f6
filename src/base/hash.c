/* hash.c: SHA-256 as in FIPS 180-4. See hash.h. */
#include "base/hash.h"

#include <string.h>

static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned by)
{
	return word >> by | word << (32 - by);
}

static void add_block(uint32_t state[8], const unsigned char *block)
{
	uint32_t w[64], s[8];
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(s, state, sizeof s);
	for (int i = 0; i < 64; i++) {
		uint32_t sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t t1 = s[7] + sum1 + choice + round_constants[i] + w[i];
		uint32_t sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
		uint32_t t2 = sum0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof *s);
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

void hash_init(struct hash *hash)
{
	static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	*hash = (struct hash){ 0 };
	memcpy(hash->state, start, sizeof start);
}

void hash_add(struct hash *hash, const void *data, size_t size_bytes)
{
	const unsigned char *bytes = data;
	size_t held = hash->size_bytes % 64;
	hash->size_bytes += size_bytes;
	while (size_bytes) {
		if (held == 0 && size_bytes >= 64) {
			add_block(hash->state, bytes);
			bytes += 64;
			size_bytes -= 64;
			continue;
		}
		size_t take = 64 - held < size_bytes ? 64 - held : size_bytes;
		memcpy(hash->block + held, bytes, take);
		held += take;
		bytes += take;
		size_bytes -= take;
		if (held == 64) {
			add_block(hash->state, hash->block);
			held = 0;
		}
	}
}

void hash_digest(struct hash *hash, uint8_t digest[HASH_DIGEST])
{
	uint64_t bits = hash->size_bytes * 8;
	unsigned char pad[72] = { 0x80 };
	size_t pad_size = 1 + (119 - hash->size_bytes % 64) % 64;
	for (int i = 0; i < 8; i++)
		pad[pad_size + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
	hash_add(hash, pad, pad_size + 8);
	for (unsigned i = 0; i < HASH_DIGEST; i++)
		digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void hash_end(struct hash *hash, uint8_t id[16])
{
	uint8_t digest[HASH_DIGEST];
	hash_digest(hash, digest);
	memcpy(id, digest, 16);
}
