/* call.c: calls: intrinsics and functions that are known to move memory are turned into what they do. See lower_priv.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/lower/lower_priv.h"
#include "analysis/models/models.h"
#include "base/mem.h"
#include "base/word.h"
#include "heddle/abi.h"
#include "ir/access.h"
#include "ir/module.h"

/* va_list of the x86-64 psABI, section 3.5.7: where the two pointers to arguments are. */
enum { VA_OVERFLOW = 8, VA_REGISTERS = 16, VA_BYTES = 24 };

static uint32_t argument(struct lower *lower, LLVMValueRef call, unsigned number)
{
	return number < LLVMGetNumArgOperands(call) ? lower_value(lower, LLVMGetOperand(call, number)) : lower->opaque;
}

static uint64_t constant_size(LLVMValueRef call, unsigned number)
{
	LLVMValueRef size = LLVMGetOperand(call, number);
	return LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
}

/* Adds *to = *from, without an access. */
static uint32_t add_move(struct lower *lower, LLVMValueRef at, uint32_t to, uint32_t from, uint64_t size_bytes)
{
	uint32_t index = lower_add(lower, WHOLE_MOVE, at, NULL);
	whole_add_operand(lower->whole, index, to);
	whole_add_operand(lower->whole, index, from);
	lower->whole->instruction[index].size_bytes = size_bytes;
	return index;
}

static void add_store(struct lower *lower, LLVMValueRef at, uint32_t pointer, int64_t offset, uint64_t stride,
		      uint32_t value)
{
	if (offset || stride) {
		pointer = lower_make(lower, WHOLE_OFFSET, at, pointer, WHOLE_NONE);
		struct whole_instruction *step = &lower->whole->instruction[lower->whole->value[pointer].index];
		step->offset = offset;
		step->stride = stride;
	}
	uint32_t index = lower_add(lower, WHOLE_STORE, at, NULL);
	whole_add_operand(lower->whole, index, pointer);
	whole_add_operand(lower->whole, index, value);
	lower->whole->instruction[index].size_bytes = 8;
}

/* A stack object of the current function that the program has no name for; its address. */
static uint32_t hidden_slot(struct lower *lower, LLVMValueRef at, uint64_t size_bytes, uint32_t layout)
{
	uint32_t object = whole_add_object(lower->whole, WHOLE_STACK);
	uint32_t value = lower_make(lower, WHOLE_SLOT, at, WHOLE_NONE, WHOLE_NONE);
	uint32_t index = lower->whole->value[value].index;
	struct whole_object *row = &lower->whole->object[object];
	row->function = lower->function;
	row->instruction = index;
	row->size_bytes = size_bytes;
	row->layout = layout;
	lower->whole->instruction[index].object = object;
	return value;
}

/* ---- memcpy and its kin ---- */

struct mover {
	const char *name;
	signed char to, from, size; /* arguments; from -1: fills */
	char result;                /* 't': what it was given, 'e': after what it wrote, 0: nothing */
};

static const struct mover movers[] = {
	{ "memcpy", 0, 1, 2, 't' },        { "memmove", 0, 1, 2, 't' },       { "mempcpy", 0, 1, 2, 'e' },
	{ "memset", 0, -1, 2, 't' },       { "__memcpy_chk", 0, 1, 2, 't' },  { "__memmove_chk", 0, 1, 2, 't' },
	{ "__mempcpy_chk", 0, 1, 2, 'e' }, { "__memset_chk", 0, -1, 2, 't' }, { "bcopy", 1, 0, 2, 0 },
	{ "bzero", 0, -1, 1, 0 },          { "llvm.memcpy.", 0, 1, 2, 0 },    { "llvm.memmove.", 0, 1, 2, 0 },
	{ "llvm.memset.", 0, -1, 2, 0 },
};

static const struct mover *mover_of(const char *name)
{
	for (size_t i = 0; i < sizeof movers / sizeof *movers; i++)
		if (word_begins_with(movers[i].name, "llvm.") ? word_begins_with(name, movers[i].name)
							      : strcmp(name, movers[i].name) == 0)
			return &movers[i];
	return NULL;
}

static void move(struct lower *lower, LLVMValueRef call, const struct mover *mover)
{
	uint32_t to = argument(lower, call, (unsigned)mover->to);
	uint32_t from = mover->from >= 0 ? argument(lower, call, (unsigned)mover->from) : WHOLE_NONE;
	uint32_t index = lower_add(lower, from == WHOLE_NONE ? WHOLE_FILL : WHOLE_MOVE, call, NULL);
	whole_add_operand(lower->whole, index, to);
	if (from != WHOLE_NONE)
		whole_add_operand(lower->whole, index, from);
	lower->whole->instruction[index].size_bytes = constant_size(call, (unsigned)mover->size);
	lower_accesses(lower, call);
	if (mover->result == 'e') {
		to = lower_make(lower, WHOLE_OFFSET, call, to, WHOLE_NONE);
		lower->whole->instruction[lower->whole->value[to].index].stride = 1;
	}
	if (mover->result)
		lower_copy(lower, call, &to, 1);
}

/* ---- variable arguments ---- */

static void va_start(struct lower *lower, LLVMValueRef call)
{
	struct whole *whole = lower->whole;
	const struct whole_function *function = &whole->function[lower->function];
	uint32_t list = argument(lower, call, 0);
	uint32_t arguments =
		function->is_variadic ? function->first_parameter + function->parameter_count : lower->opaque;
	lower_add(lower, WHOLE_OTHER, call, NULL);
	lower_accesses(lower, call);
	LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
	uint32_t area = hidden_slot(lower, call, 0, lower_array_layout(lower, word));
	add_store(lower, call, area, 0, 8, arguments);
	add_store(lower, call, list, VA_OVERFLOW, 0, area);
	add_store(lower, call, list, VA_REGISTERS, 0, area);
}

/* ---- intrinsics ---- */

static bool is_any(const char *name, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (word_begins_with(name, prefixes[i]))
			return true;
	return false;
}

/* Those that return their first operand, in a way. */
static const char *const passing[] = { "llvm.threadlocal.address",
				       "llvm.launder.",
				       "llvm.strip.",
				       "llvm.ptrmask",
				       "llvm.ptr.annotation",
				       "llvm.ssa.copy",
				       "llvm.expect",
				       "llvm.annotation",
				       "llvm.preserve.",
				       "llvm.experimental.vector.reverse",
				       "llvm.vector." };

static void masked(struct lower *lower, LLVMValueRef call, bool is_load)
{
	uint32_t pointer = argument(lower, call, is_load ? 0 : 1);
	uint32_t value = is_load ? WHOLE_NONE : argument(lower, call, 0);
	LLVMTypeRef type = LLVMTypeOf(is_load ? call : LLVMGetOperand(call, 0));
	uint32_t index = lower_add(lower, is_load ? WHOLE_LOAD : WHOLE_STORE, call, is_load ? call : NULL);
	whole_add_operand(lower->whole, index, pointer);
	if (!is_load)
		whole_add_operand(lower->whole, index, value);
	lower->whole->instruction[index].size_bytes = LLVMStoreSizeOfType(lower->layout, type);
	lower_accesses(lower, call);
}

static void intrinsic(struct lower *lower, LLVMValueRef call, const char *name)
{
	if (word_begins_with(name, "llvm.va_start")) {
		va_start(lower, call);
	} else if (word_begins_with(name, "llvm.va_copy")) {
		add_move(lower, call, argument(lower, call, 0), argument(lower, call, 1), VA_BYTES);
		lower_accesses(lower, call);
	} else if (is_any(name, passing, sizeof passing / sizeof *passing)) {
		/* What is not certainly the same has two operands. */
		uint32_t values[2] = { argument(lower, call, 0), argument(lower, call, 0) };
		bool is_same = !word_begins_with(name, "llvm.ptrmask") && !strstr(name, "vector");
		lower_copy(lower, call, values, is_same ? 1 : 2);
	} else if (word_begins_with(name, "llvm.masked.load") || word_begins_with(name, "llvm.masked.gather") ||
		   word_begins_with(name, "llvm.masked.expandload")) {
		masked(lower, call, true);
	} else if (word_begins_with(name, "llvm.masked.")) {
		masked(lower, call, false);
	} else if (word_begins_with(name, "llvm.load.relative")) {
		uint32_t values[2] = { argument(lower, call, 0), argument(lower, call, 0) };
		lower_copy(lower, call, values, 2);
	} else if (!lower_mixed(lower, call, name)) {
		struct access found[ACCESS_MAX];
		bool is_opaque = false;
		access_find(call, lower->layout, found, &is_opaque);
		if (is_opaque)
			whole_add_gap(lower->whole, WHOLE_GAP_OPAQUE, lower->function, lower_place(lower, call), name);
	}
}

/* Assembly that writes memory has to say so: by an output in memory, or for memory as a whole. */
static bool is_writing(LLVMValueRef call)
{
	size_t size;
	const char *text = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &size);
	char *copy = mem_format("%.*s", (int)size, text);
	bool is = strstr(copy, "{memory}") || strstr(copy, "=*");
	free(copy);
	return is;
}

/* What goes into assembly, as far as it can be a pointer. */
static void add_arguments(struct lower *lower, LLVMValueRef call, uint32_t index)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef operand = LLVMGetOperand(call, i);
		bool is_plain = !LLVMIsAConstantStruct(operand) && !LLVMIsAConstantArray(operand) &&
				!LLVMIsAConstantVector(operand);
		whole_add_operand(lower->whole, index, is_plain ? lower_value(lower, operand) : lower->opaque);
	}
}

/* Registers that go in. The addresses of operands in memory are no values, unless the text makes them some. */
static void add_registers(struct lower *lower, LLVMValueRef call, const struct assembly *text, uint32_t index)
{
	for (unsigned i = 0; i < text->operand_count; i++) {
		const struct assembly_operand *operand = &text->operands[i];
		if (operand->argument >= 0 && (!operand->is_memory || text->takes_address))
			whole_add_operand(lower->whole, index,
					  lower_value(lower, LLVMGetOperand(call, (unsigned)operand->argument)));
	}
}

static bool is_writing_kind(uint8_t kind)
{
	return kind != HEDDLE_ACCESS_READ && kind != HEDDLE_ACCESS_ATOMIC_READ && kind != HEDDLE_ACCESS_FENCE;
}

/*
 * Assembly of which all accesses are known: every place that it writes may get what comes from any place that it reads and any
 * register that goes in, and so may every register that comes out.
 */
static void known_assembly(struct lower *lower, LLVMValueRef call, const struct assembly *text,
			   const struct access *found, unsigned count)
{
	struct whole *whole = lower->whole;
	uint32_t places[ACCESS_MAX], loaded[ACCESS_MAX];
	for (unsigned i = 0; i < count; i++) {
		if (found[i].form == ACCESS_FENCE)
			continue;
		places[i] = lower_access_place(lower, call, &found[i]);
		loaded[i] = lower_make(lower, WHOLE_LOAD, call, places[i], WHOLE_NONE);
		whole->instruction[whole->value[loaded[i]].index].size_bytes = found[i].size_bytes;
		whole->instruction[whole->value[loaded[i]].index].is_compiled_atomic = access_is_atomic(&found[i]);
	}
	uint32_t moved = lower_make(lower, WHOLE_COPY, call, lower->opaque, lower->opaque);
	uint32_t index = whole->value[moved].index;
	add_registers(lower, call, text, index);
	for (unsigned i = 0; i < count; i++)
		if (found[i].form != ACCESS_FENCE)
			whole_add_operand(whole, index, loaded[i]);
	for (unsigned i = 0; i < count; i++) {
		if (!is_writing_kind(found[i].kind))
			continue;
		uint32_t store = lower_add(lower, WHOLE_STORE, call, NULL);
		whole_add_operand(whole, store, places[i]);
		whole_add_operand(whole, store, moved);
		whole->instruction[store].size_bytes = found[i].size_bytes;
		whole->instruction[store].is_compiled_atomic = access_is_atomic(&found[i]);
	}
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind) {
		uint32_t values[2] = { moved, moved };
		lower_copy(lower, call, values, 2);
	}
}

/* Assembly without text is an obstacle for the optimiser: what goes in comes out. */
static void assembly(struct lower *lower, LLVMValueRef call)
{
	struct assembly text;
	struct access found[ACCESS_MAX];
	bool is_opaque = false;
	unsigned count = access_find(call, lower->layout, found, &is_opaque);
	access_read_assembly(call, lower->layout, &text);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		argument(lower, call, i); /* a constant may add an instruction, which must come before */
	if (!is_opaque && count && !text.uses_own) {
		known_assembly(lower, call, &text, found, count);
	} else {
		uint32_t index = lower_add(lower, text.is_empty ? WHOLE_COPY : WHOLE_ASSEMBLY, call, call);
		add_arguments(lower, call, index);
		lower->whole->instruction[index].is_writing = is_writing(call);
		if (!text.is_empty)
			whole_add_gap(lower->whole, WHOLE_GAP_ASSEMBLY, lower->function,
				      lower->whole->instruction[index].place, NULL);
	}
	lower_accesses(lower, call);
}

/* ---- libatomic ---- */

static void libatomic(struct lower *lower, LLVMValueRef call, const char *operation)
{
	const char *last = strrchr(operation, '_');
	bool is_sized = last && last[1] >= '0' && last[1] <= '9';
	uint64_t size_bytes = is_sized ? 8 : constant_size(call, 0);
	unsigned first = is_sized ? 0 : 1;
	uint32_t object = argument(lower, call, first), second = argument(lower, call, first + 1),
		 third = argument(lower, call, first + 2);
	if (is_sized) {
		bool is_compare = word_begins_with(operation, "compare");
		uint32_t index = lower_add(lower, WHOLE_UPDATE, call, call);
		whole_add_operand(lower->whole, index, object);
		if (!word_begins_with(operation, "load"))
			whole_add_operand(lower->whole, index, is_compare ? third : second);
		lower->whole->instruction[index].size_bytes = size_bytes;
		lower->whole->instruction[index].is_compiled_atomic = true;
		lower_accesses(lower, call);
		if (is_compare)
			add_move(lower, call, second, object, size_bytes);
		return;
	}
	lower_add(lower, WHOLE_OTHER, call, call);
	lower_accesses(lower, call);
	if (!word_begins_with(operation, "store"))
		add_move(lower, call, word_begins_with(operation, "exchange") ? third : second, object, size_bytes);
	if (!word_begins_with(operation, "load"))
		add_move(lower, call, object, word_begins_with(operation, "compare") ? third : second, size_bytes);
}

/* ---- the rest ---- */

/* What a call passes: itself, or the address of a copy where it is passed by value. */
static uint32_t passed(struct lower *lower, LLVMValueRef call, unsigned number)
{
	static unsigned byval;
	if (!byval)
		byval = LLVMGetEnumAttributeKindForName("byval", 5);
	uint32_t value = argument(lower, call, number);
	LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, number + 1, byval);
	if (!attribute)
		return value;
	LLVMTypeRef type = LLVMGetTypeAttributeValue(attribute);
	uint64_t size_bytes = LLVMABISizeOfType(lower->layout, type);
	uint32_t copy = hidden_slot(lower, call, size_bytes, lower_layout(lower, type));
	add_move(lower, call, copy, value, size_bytes);
	/* Among variable arguments the copy itself is where they are: its words are arguments. */
	if (number < LLVMCountParamTypes(LLVMGetCalledFunctionType(call)))
		return copy;
	uint32_t word = lower_make(lower, WHOLE_OFFSET, call, copy, WHOLE_NONE);
	lower->whole->instruction[lower->whole->value[word].index].stride = 8;
	uint32_t words = lower_make(lower, WHOLE_LOAD, call, word, WHOLE_NONE);
	lower->whole->instruction[lower->whole->value[words].index].size_bytes = 8;
	return words;
}

/* ---- files ---- */

struct carrier {
	const char *name;
	unsigned char buffer, size; /* arguments */
	bool is_counted;            /* there are argument size + 1 of that size */
	bool is_reading;
};

static const struct carrier carriers[] = {
	{ "write", 1, 2, false, false },          { "read", 1, 2, false, true },
	{ "__read_chk", 1, 2, false, true },      { "pwrite", 1, 2, false, false },
	{ "pwrite64", 1, 2, false, false },       { "pread", 1, 2, false, true },
	{ "pread64", 1, 2, false, true },         { "send", 1, 2, false, false },
	{ "sendto", 1, 2, false, false },         { "recv", 1, 2, false, true },
	{ "__recv_chk", 1, 2, false, true },      { "recvfrom", 1, 2, false, true },
	{ "fwrite", 0, 1, true, false },          { "fread", 0, 1, true, true },
	{ "fwrite_unlocked", 0, 1, true, false }, { "fread_unlocked", 0, 1, true, true },
};

/* Pointers go through files, pipes and sockets where as many bytes are written or read as a constant says, as by "write(fd, &task,
 * sizeof task)": what is written comes out where something is read. More than that would make contents of all buffers one. */
static void carry(struct lower *lower, LLVMValueRef call, const char *name)
{
	for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++) {
		const struct carrier *row = &carriers[i];
		if (strcmp(name, row->name) != 0 ||
		    LLVMGetNumArgOperands(call) <= (unsigned)row->size + row->is_counted)
			continue;
		uint64_t size_bytes = constant_size(call, row->size);
		if (row->is_counted)
			size_bytes *= constant_size(call, row->size + 1u);
		if (size_bytes < 8)
			return;
		uint32_t buffer = argument(lower, call, row->buffer);
		uint32_t files = whole_address(lower->whole, lower->files, 0);
		files = lower_make(lower, WHOLE_OFFSET, call, files, WHOLE_NONE);
		lower->whole->instruction[lower->whole->value[files].index].stride = 1;
		add_move(lower, call, row->is_reading ? buffer : files, row->is_reading ? files : buffer, size_bytes);
		return;
	}
}

/* A call that frees a block writes all of it, as far as others are concerned. */
static void release(struct lower *lower, uint32_t index, LLVMValueRef call, const char *name, const uint32_t *values)
{
	const struct model *model = LLVMIsDeclaration(LLVMGetCalledValue(call)) ? model_find(name) : NULL;
	if (!model || !model->frees || (unsigned)model->frees > LLVMGetNumArgOperands(call))
		return;
	struct whole_instruction *row = &lower->whole->instruction[index];
	if (!row->access_count)
		row->first_access = lower->whole->access_count;
	row->access_count++;
	struct whole_access access = { .instruction = index,
				       .pointer = values[model->frees],
				       .ordinal = WHOLE_NONE,
				       .kind = HEDDLE_ACCESS_WRITE,
				       .flags = WHOLE_ACCESS_FREE,
				       .tag = WHOLE_NONE };
	whole_add_access(lower->whole, &access);
}

static void ordinary(struct lower *lower, LLVMValueRef call, const char *name)
{
	unsigned count = LLVMGetNumArgOperands(call);
	uint32_t few[16], *values = count < 16 ? few : mem_alloc((count + 1) * sizeof *values);
	values[0] = lower_value(lower, LLVMGetCalledValue(call));
	for (unsigned i = 0; i < count; i++)
		values[i + 1] = passed(lower, call, i);
	if (LLVMIsAFunction(LLVMGetCalledValue(call)) && LLVMIsDeclaration(LLVMGetCalledValue(call)))
		carry(lower, call, name);
	if (strcmp(name, "__cxa_throw") == 0 && count)
		add_store(lower, call, whole_address(lower->whole, lower->exceptions, 0), 0, 0, values[1]);
	uint32_t index = lower_add(lower, WHOLE_CALL, call, call);
	lower->whole->instruction[index].is_invoke = LLVMIsAInvokeInst(call);
	lower->whole->instruction[index].lock = ptrmap_get(&lower->locks, call, NULL);
	for (unsigned i = 0; i <= count; i++)
		whole_add_operand(lower->whole, index, values[i]);
	lower_accesses(lower, call);
	if (LLVMIsAFunction(LLVMGetCalledValue(call)))
		release(lower, index, call, name, values);
	if (values != few)
		free(values);
}

void lower_call(struct lower *lower, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAInlineAsm(callee)) {
		assembly(lower, call);
		return;
	}
	const char *name = LLVMIsAFunction(callee) ? module_symbol(callee) : "";
	bool is_declared = LLVMIsAFunction(callee) && LLVMIsDeclaration(callee);
	const struct mover *mover = is_declared ? mover_of(name) : NULL;
	if (mover && LLVMGetNumArgOperands(call) > (unsigned)mover->size)
		move(lower, call, mover);
	else if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee))
		intrinsic(lower, call, name);
	else if (is_declared && word_begins_with(name, "__atomic_"))
		libatomic(lower, call, name + strlen("__atomic_"));
	else
		ordinary(lower, call, name);
}
