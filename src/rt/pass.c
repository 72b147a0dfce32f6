/*
 * pass.c: mode pass. The program runs as it would; the clones call hooks that do nothing, or that count each site with
 * count=FILE. It shows what woven code costs and what it does.
 */
#include "rt/count.h"
#include "rt/mode.h"
#include "rt/option.h"

static void pass_access(const volatile void *address, const struct heddle_site *site)
{
	(void)address;
	(void)site;
}

static void pass_amount(const volatile void *address, uint64_t amount, const struct heddle_site *site)
{
	(void)address;
	(void)amount;
	(void)site;
}

static void pass_end(const volatile void *address, const struct heddle_site *site, uint32_t is_done)
{
	(void)address;
	(void)site;
	(void)is_done;
}

static const struct heddle_hooks empty_hooks = {
	.read = { pass_access, pass_access, pass_access, pass_access, pass_access },
	.write = { pass_access, pass_access, pass_access, pass_access, pass_access },
	.read_range = pass_amount,
	.write_range = pass_amount,
	.read_masked = pass_amount,
	.write_masked = pass_amount,
	.atomic_begin = pass_access,
	.atomic_end = pass_end,
};

static int pass_start(void)
{
	const char *path = options.count_path[0] ? options.count_path : options.note_path;
	return path[0] ? count_start(path) : 0;
}

static int pass_attach(const struct object *object, struct heddle_hooks *hooks)
{
	*hooks = empty_hooks;
	if (options.count_path[0])
		return count_attach(object, hooks);
	return options.note_path[0] ? count_attach(object, NULL) : 0;
}

static void pass_attached(const struct object *object, const struct patch_result *result)
{
	(void)object;
	count_switched(result->switched_count);
}

const struct mode mode_pass = {
	.name = "pass",
	.start = pass_start,
	.attach = pass_attach,
	.attached = pass_attached,
};
