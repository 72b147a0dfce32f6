/* proof.c: see proof.h. */
#include "ir/proof.h"

#include <stdlib.h>

#include "base/mem.h"

static char *key_of(const char *tag, const char *symbol)
{
	return mem_format("%s %s", tag, symbol);
}

struct proof_function *proof_add(struct proof *proof, const char *tag, const char *symbol, uint32_t count)
{
	char *key = key_of(tag, symbol);
	struct proof_function *function = NULL;
	if (!map_has(&proof->functions, key)) {
		function = mem_alloc(sizeof *function + count);
		function->count = count;
		map_set(&proof->functions, key, function);
	}
	free(key);
	return function;
}

void proof_set_locks(struct proof_function *function, uint32_t site, const char *names)
{
	if (site >= function->count)
		return;
	if (!function->locks)
		function->locks = mem_alloc(function->count * sizeof *function->locks);
	free(function->locks[site]);
	function->locks[site] = mem_copy_string(names);
}

static void free_function(void *value)
{
	struct proof_function *function = value;
	for (uint32_t i = 0; function->locks && i < function->count; i++)
		free(function->locks[i]);
	free(function->locks);
	free(function);
}

const struct proof_function *proof_find(const struct proof *proof, const char *tag, const char *symbol)
{
	if (!proof)
		return NULL;
	char *key = key_of(tag, symbol);
	const struct proof_function *function = map_get(&proof->functions, key);
	free(key);
	return function;
}

void proof_release(struct proof *proof)
{
	map_release_values(&proof->functions, free_function);
	free(proof->objection);
}
