/* slots.c: what the slots of interposed functions (rt/enter/interpose.h) hold under control. */
#include "world/functions.h"
#include "world/memory/allocator.h"
#include "world/memory/malloc.h"
#include "world/parts.h"
#include "world/sync/sync.h"

#define CONTROL(name) [INTERPOSE_##name] = (void *)control_##name,
static void *const controls[INTERPOSE_COUNT] = { INTERPOSE_MEMORY(CONTROL) INTERPOSE_OPERATORS(CONTROL)
							 CONTROL(__libc_start_main) };
#undef CONTROL

static bool is_taken, is_observed;

void *slots_function(size_t index)
{
	if (index < INTERPOSE_OPERATORS_END && allocator_is_own())
		return allocator_function((int)index);
	if (index < INTERPOSE_MEMORY_COUNT)
		return controls[index];
	if (index < INTERPOSE_OPERATORS_END || !is_taken)
		return NULL;
	return controls[index] ? controls[index] : sync_function(index, is_observed);
}

void slots_take(bool will_be_observed)
{
	is_taken = true;
	is_observed = will_be_observed;
	entrance.announce = is_observed ? sync_announce_observed : sync_announce;
	interpose_fill();
	malloc_foreign_free = interpose_real(free);
	malloc_foreign_usable = interpose_real(malloc_usable_size);
}
