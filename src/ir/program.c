/* program.c: see program.h. */
#include "ir/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/ptrmap.h"
#include "base/word.h"
#include "heddle/abi.h"
#include "ir/emit.h"
#include "ir/module.h"
#include "ir/table.h"
#include "ir/unit.h"
#include "ir/weave.h"

/* A unit with more IR than this is woven in parts, so that one large file keeps all cores busy too. */
enum { PART_BYTES = 4 << 20, MAX_PARTS = 8 };

struct program {
	struct unit *units;
	size_t count, room;
	struct weave_task *tasks;
	size_t task_count;
	struct map symbols; /* aliases the linker kept */
	struct map escaping_tls;
	struct map claims; /* shared function -> struct unit */
	struct map wrapped;
	struct proof proof;
	unsigned foreign_count;
	char *foreign;     /* one of them that does not come with every program; or null */
	struct map named;  /* symbols that other objects can name */
	struct map needed; /* those that other objects have */
	bool is_shared;
};

/* What the processes of the weave share. */
struct board {
	unsigned next;            /* next task to take, by atomic addition */
	unsigned discarded_count; /* likewise */
	int failed;               /* 1 + the task that failed first */
	struct err err;           /* written by the process that set failed */
};

/* seen: the tags of the units so far, and those to leave plain. */
static void add_unit(struct program *program, struct unit *unit, struct map *seen)
{
	/* The same file compiled twice into one program: one symbol stands for both, so one of them is woven. */
	char tag[17];
	unit_tag(unit, tag);
	if (!map_set(seen, tag, NULL)) {
		unit_release(unit);
		return;
	}
	if (program->count == program->room) {
		program->room = program->room ? program->room * 2 : 64;
		program->units = mem_resize(program->units, program->room * sizeof *program->units);
	}
	program->units[program->count++] = *unit;
}

static int read_units(struct program *program, const char *data, size_t size, const struct program_options *options,
		      struct err *err)
{
	struct map seen = { 0 };
	for (char **name = options->names; *name; name++)
		map_set(**name == '=' ? &program->wrapped : &seen, **name == '=' ? *name + 1 : *name, NULL);
	size_t at = 0;
	int got = 0;
	char *source = NULL;
	for (;;) {
		struct unit unit = { 0 };
		struct err why = ERR_INIT;
		got = unit_decode(data, size, &at, &unit, &why);
		if (got <= 0) {
			unit_release(&unit);
			if (got < 0) {
				err_set(err, -got, "cannot use an object linked into \"%s\"%s%s%s: %s", options->linked,
					source ? " (the one after \"" : "", source ? source : "", source ? "\")" : "",
					why.message);
				err_hint(err, "recompile it with this heddle-cc; make clean forces this for all "
					      "objects");
			}
			break;
		}
		free(source);
		source = mem_copy_string(unit.source);
		add_unit(program, &unit, &seen);
	}
	free(source);
	map_release(&seen);
	return got < 0 ? got : 0;
}

static bool is_alias(const char *name)
{
	return strncmp(name, MODULE_ALIAS_FUNCTION, strlen(MODULE_ALIAS_FUNCTION)) == 0 ||
	       strncmp(name, MODULE_ALIAS_VARIABLE, strlen(MODULE_ALIAS_VARIABLE)) == 0;
}

static void read_named(struct program *program, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	for (size_t i = 1; i < count; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol))
			continue;
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name)
			map_set(symbol.st_shndx == SHN_UNDEF ? &program->needed : &program->named, name, NULL);
	}
}

/* Keeps the aliases; counts the functions that have none, once for each address. */
static void read_symbols(struct program *program, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	/* Older C libraries link these into a program, too: they count, but do not say what is foreign. */
	static const char *const initialisers[] = { "__libc_csu_init", "__libc_csu_fini", NULL };
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	struct ptrmap ours = { 0 }, others = { 0 };
	for (size_t i = 1; i < count; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		void *address = (void *)(uintptr_t)symbol.st_value;
		if (!name)
			continue;
		if (is_alias(name)) {
			map_set(&program->symbols, name, NULL);
			if (address && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
				ptrmap_set(&ours, address, NULL);
		} else if (address && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && !word_is_startup(name)) {
			ptrmap_set(&others, address, (void *)(uintptr_t)name);
		}
	}
	for (size_t i = 0; i < others.room; i++) {
		bool is_ours = true;
		if (others.slots[i].key)
			ptrmap_get(&ours, others.slots[i].key, &is_ours);
		program->foreign_count += !is_ours;
		if (!is_ours && !program->foreign && !word_is_among(others.slots[i].value, initialisers))
			program->foreign = mem_copy_string(others.slots[i].value);
	}
	ptrmap_release(&ours);
	ptrmap_release(&others);
}

static int read_elf(struct program *program, Elf *elf, const struct program_options *options, struct err *err)
{
	const char *path = options->linked;
	size_t names;
	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return err_set(err, EINVAL, "cannot read \"%s\": %s", path, elf_errmsg(-1));
	Elf_Scn *section = NULL;
	int code = 0;
	while (!code && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (!name)
			continue;
		if (header.sh_type == SHT_SYMTAB)
			read_symbols(program, elf, section, &header);
		if (header.sh_type == SHT_DYNSYM)
			read_named(program, elf, section, &header);
		if (strcmp(name, HEDDLE_SECTION_UNITS) == 0) {
			Elf_Data *data = elf_rawdata(section, NULL);
			code = data && data->d_buf ? read_units(program, data->d_buf, data->d_size, options, err)
						   : err_set(err, EINVAL, "cannot read the units of \"%s\"", path);
		}
	}
	return code;
}

/* A program names its loader; a library does not. */
static bool is_shared_library(Elf *elf)
{
	GElf_Ehdr header;
	GElf_Phdr segment;
	if (!gelf_getehdr(elf, &header) || header.e_type != ET_DYN)
		return false;
	for (int i = 0; i < header.e_phnum; i++)
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_INTERP)
			return false;
	return true;
}

static int read_linked(struct program *program, const struct program_options *options, struct err *err)
{
	const char *path = options->linked;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "cannot open \"%s\": %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	int code = read_elf(program, elf, options, err);
	program->is_shared = !code && is_shared_library(elf);
	elf_end(elf);
	close(fd);
	return code;
}

/* The linker keeps the first definition in the order of the link, which is the order of the units. */
static void make_claims(struct program *program)
{
	for (size_t i = 0; i < program->count; i++) {
		const struct unit *unit = &program->units[i];
		for (size_t k = 0; k < unit->shared.count; k++)
			if (!map_has(&program->claims, unit->shared.items[k]))
				map_set(&program->claims, unit->shared.items[k], &program->units[i]);
		for (size_t k = 0; k < unit->escaping_tls.count; k++)
			map_set(&program->escaping_tls, unit->escaping_tls.items[k], NULL);
	}
}

static char *object_name(const struct program_options *options, size_t index)
{
	return mem_format("%s/clones-%zu.o", options->folder, index);
}

static void make_tasks(struct program *program)
{
	program->tasks = mem_alloc((program->count * MAX_PARTS + 1) * sizeof *program->tasks);
	for (size_t i = 0; i < program->count; i++) {
		size_t parts = 1 + program->units[i].ir.size / PART_BYTES;
		unsigned count = parts > MAX_PARTS ? MAX_PARTS : (unsigned)parts;
		for (unsigned part = 0; part < count; part++)
			program->tasks[program->task_count++] = (struct weave_task){ &program->units[i], part, count };
	}
}

static const struct weave_task *sorting_tasks;

static size_t cost_of(unsigned index)
{
	return sorting_tasks[index].unit->ir.size / sorting_tasks[index].part_count;
}

static int by_cost(const void *a, const void *b)
{
	size_t left = cost_of(*(const unsigned *)a), right = cost_of(*(const unsigned *)b);
	return left < right ? 1 : left > right ? -1 : 0;
}

/* A worker: does tasks until none is left or one has failed. */
static void work(const struct program *program, const struct program_options *options, const unsigned *order,
		 struct board *board)
{
	struct weave_context context = { .symbols = &program->symbols,
					 .escaping_tls = &program->escaping_tls,
					 .claims = &program->claims,
					 .wrapped = &program->wrapped,
					 .proof = &program->proof,
					 .is_library = options->is_library };
	for (;;) {
		unsigned turn = __atomic_fetch_add(&board->next, 1, __ATOMIC_RELAXED);
		if (turn >= program->task_count || __atomic_load_n(&board->failed, __ATOMIC_RELAXED))
			return;
		unsigned index = order[turn], discarded = 0;
		char *object = object_name(options, index);
		struct err err = ERR_INIT;
		int code = weave_unit(&context, &program->tasks[index], object, &discarded, &err);
		free(object);
		__atomic_fetch_add(&board->discarded_count, discarded, __ATOMIC_RELAXED);
		int none = 0;
		if (code && __atomic_compare_exchange_n(&board->failed, &none, (int)index + 1, 0, __ATOMIC_RELAXED,
							__ATOMIC_RELAXED))
			board->err = err;
		if (code)
			return;
	}
}

static unsigned worker_count(const struct program_options *options, size_t tasks)
{
	cpu_set_t cores;
	unsigned count = options->job_count;
	if (!count)
		count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? (unsigned)CPU_COUNT(&cores) : 1;
	return tasks < count ? (unsigned)tasks : count;
}

static int run_workers(const struct program *program, const struct program_options *options, struct board *board,
		       struct err *err)
{
	unsigned *order = mem_alloc((program->task_count + 1) * sizeof *order);
	for (unsigned i = 0; i < program->task_count; i++)
		order[i] = i;
	/* The large ones first, so that no worker starts one when the others are done. */
	sorting_tasks = program->tasks;
	qsort(order, program->task_count, sizeof *order, by_cost);
	unsigned workers = worker_count(options, program->task_count), started = 0;
	pid_t *pids = mem_alloc((workers + 1) * sizeof *pids);
	int code = 0;
	for (; workers > 1 && started < workers; started++) {
		pids[started] = fork();
		if (pids[started] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL); /* a weave that is ended leaves none of its workers behind */
			work(program, options, order, board);
			_exit(0);
		}
		if (pids[started] < 0)
			break;
	}
	if (!started)
		work(program, options, order, board);
	for (unsigned i = 0; i < started; i++) {
		int status = 0;
		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			;
		if (status != 0)
			code = err_set(err, PROGRAM_FAULT, "a weave process ended with %s %d",
				       WIFSIGNALED(status) ? "signal" : "status",
				       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
	if (board->failed) {
		code = err_set(err, PROGRAM_FAULT, "unit \"%s\": %s", program->tasks[board->failed - 1].unit->source,
			       board->err.message);
		if (board->err.hint[0])
			err_hint(err, "%s", board->err.hint);
	}
	free(order);
	free(pids);
	return code;
}

void program_build_id(const struct unit *units, size_t count, bool is_library, uint8_t id[16])
{
	struct hash hash;
	hash_init(&hash);
	hash_add(&hash, HEDDLE_VERSION, sizeof HEDDLE_VERSION);
	hash_add(&hash, is_library ? "l" : "p", 1);
	for (size_t i = 0; i < count; i++)
		hash_add(&hash, units[i].id, sizeof units[i].id);
	hash_end(&hash, id);
}

/* The object that says which build this is. */
static int write_build(const struct program *program, const struct program_options *options, const struct board *board,
		       const char *path, struct err *err)
{
	struct heddle_build build = { .unit_count = (uint32_t)program->count,
				      .foreign_count = program->foreign_count,
				      .discarded_count = board->discarded_count };
	program_build_id(program->units, program->count, options->is_library, build.id);
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("heddle.build", context);
	LLVMSetTarget(module, "x86_64-pc-linux-gnu");
	LLVMTargetMachineRef machine = emit_machine(module, 0, err);
	int code = machine ? 0 : -ENOTSUP;
	if (machine) {
		LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
		LLVMSetModuleDataLayout(module, layout);
		table_write_build(module, &build);
		code = emit_object(module, machine, path, err);
		LLVMDisposeTargetData(layout);
		LLVMDisposeTargetMachine(machine);
	}
	module_free(module);
	return code;
}

static int write_all(struct program *program, const struct program_options *options, struct board *board,
		     struct err *err)
{
	int code = run_workers(program, options, board, err);
	char *build = mem_format("%s/build.o", options->folder);
	struct buf list = { 0 };
	buf_format(&list, "%s\n", build);
	if (!code)
		code = write_build(program, options, board, build, err);
	for (size_t i = 0; i < program->task_count; i++) {
		char *object = object_name(options, i);
		buf_format(&list, "%s\n", object);
		free(object);
	}
	if (!code)
		code = proc_write_file(options->list, list.data, list.size, err);
	buf_release(&list);
	free(build);
	return code;
}

int program_units(const char *path, struct unit **units, size_t *count, bool *is_shared, struct err *err)
{
	struct program program = { 0 };
	struct program_options options = { .linked = path, .names = (char *[]){ NULL } };
	int code = read_linked(&program, &options, err);
	map_release(&program.symbols);
	map_release(&program.wrapped);
	map_release(&program.named);
	map_release(&program.needed);
	free(program.foreign);
	*units = program.units;
	*count = program.count;
	*is_shared = program.is_shared;
	if (code) {
		for (size_t i = 0; i < program.count; i++)
			unit_release(&program.units[i]);
		free(program.units);
		*units = NULL;
		*count = 0;
	}
	return code;
}

/* The output is for users who asked the compiler driver to print all it does. */
static void prove(struct program *program, const struct program_options *options)
{
	struct proof *proof = &program->proof;
	struct proof_input input = { .units = program->units,
				     .unit_count = program->count,
				     .is_library = options->is_library,
				     .level = options->proof_level,
				     .foreign = program->foreign,
				     .named = &program->named,
				     .needed = &program->needed,
				     .allocators = options->names };
	options->prove(&input, proof);
	if (proof->objection)
		fprintf(stderr, "heddle-cc: nothing was proved: %s\n", proof->objection);
	else
		fprintf(stderr, "heddle-cc: %" PRIu64 " of %" PRIu64 " accesses need not be observed\n",
			proof->proved_count, proof->site_count);
}

int program_weave(const struct program_options *options, struct err *err)
{
	struct program program = { 0 };
	struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		return err_set(err, errno, "cannot map memory: %s", strerror(errno));
	int code = read_linked(&program, options, err);
	if (!code) {
		if (options->proof_level != PROOF_NONE)
			prove(&program, options);
		program.proof.promised = options->names;
		make_claims(&program);
		make_tasks(&program);
		code = write_all(&program, options, board, err);
	}
	for (size_t i = 0; i < program.count; i++)
		unit_release(&program.units[i]);
	free(program.units);
	free(program.tasks);
	map_release(&program.symbols);
	map_release(&program.escaping_tls);
	map_release(&program.claims);
	map_release(&program.wrapped);
	map_release(&program.named);
	map_release(&program.needed);
	free(program.foreign);
	proof_release(&program.proof);
	munmap(board, sizeof *board);
	return code;
}
