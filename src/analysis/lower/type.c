/* type.c: layouts of types: where the arrays are, and vectors of the C++ library. See lower_priv.h and struct whole_layout. */
#include <stdlib.h>
#include <string.h>

#include "analysis/lower/lower_priv.h"
#include "base/mem.h"

/* Arrays of the current type, before they go to the table: those of its elements are there before it. */
struct arrays {
	struct whole_array *items;
	size_t count, room;
	uint64_t *vectors;
	size_t vector_count, vector_room;
};

enum { STRING_BUFFER = 16, STRING_BYTES = 32 };

static void add_array(struct arrays *arrays, struct whole_array array)
{
	if (arrays->count == arrays->room)
		arrays->items =
			mem_resize(arrays->items, (arrays->room = arrays->room * 2 + 8) * sizeof *arrays->items);
	arrays->items[arrays->count++] = array;
}

/* A std::vector, or what is left of one that optimisation took apart. */
static bool is_vector(LLVMTypeRef type)
{
	static const char *const names[] = { "class.std::vector", "struct.std::_Vector_base" };
	const char *name = LLVMGetStructName(type);
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
		size_t size = strlen(names[i]);
		if (strncmp(name, names[i], size) == 0 && (!name[size] || name[size] == '.'))
			return true;
	}
	return false;
}

/* A std::string of libstdc++: a pointer, a length, and a buffer for short texts that shares its bytes with the capacity. That is a union,
 * of which LLVM's type keeps the capacity alone. */
static bool is_string(struct lower *lower, LLVMTypeRef type)
{
	static const char name[] = "class.std::__cxx11::basic_string";
	const char *own = LLVMGetStructName(type);
	return own && strncmp(own, name, sizeof name - 1) == 0 &&
	       (!own[sizeof name - 1] || own[sizeof name - 1] == '.') && LLVMCountStructElementTypes(type) == 3 &&
	       LLVMABISizeOfType(lower->layout, type) == STRING_BYTES &&
	       LLVMOffsetOfElement(lower->layout, type, 2) == STRING_BUFFER;
}

static void add_vector(struct arrays *arrays, uint64_t offset)
{
	if (arrays->vector_count == arrays->vector_room)
		arrays->vectors = mem_resize(arrays->vectors, (arrays->vector_room = arrays->vector_room * 2 + 8) *
								      sizeof *arrays->vectors);
	arrays->vectors[arrays->vector_count++] = offset;
}

/* LLVM's type of a union is that of one member; others may be there. */
static bool is_union(LLVMTypeRef type)
{
	const char *name = LLVMGetStructName(type);
	return name && strncmp(name, "union.", 6) == 0;
}

/* The arrays of a type that begins at `start`. Structures inside of structures are no level of their own. */
static void collect(struct lower *lower, LLVMTypeRef type, uint64_t start, bool is_in_union, struct arrays *arrays)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMArrayTypeKind) {
		LLVMTypeRef element = LLVMGetElementType(type);
		uint64_t element_bytes = LLVMABISizeOfType(lower->layout, element);
		uint64_t count = LLVMGetArrayLength2(type);
		if (!element_bytes)
			return;
		add_array(arrays, (struct whole_array){ .start = start,
							.end = start + element_bytes * count,
							.element_bytes = element_bytes,
							.element = lower_layout(lower, element) });
	} else if (kind == LLVMStructTypeKind && !LLVMIsOpaqueStruct(type) && !is_in_union && is_string(lower, type)) {
		add_array(arrays, (struct whole_array){ .start = start + STRING_BUFFER,
							.end = start + STRING_BYTES,
							.element_bytes = 1,
							.element = WHOLE_NONE,
							.is_buffer = true });
	} else if (kind == LLVMStructTypeKind && !LLVMIsOpaqueStruct(type)) {
		if (is_vector(type))
			add_vector(arrays, start);
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			collect(lower, LLVMStructGetTypeAtIndex(type, i),
				start + LLVMOffsetOfElement(lower->layout, type, i), is_in_union || is_union(type),
				arrays);
	}
}

static uint32_t write_layout(struct lower *lower, uint64_t size_bytes, const struct arrays *arrays)
{
	if (!arrays->count && !arrays->vector_count)
		return WHOLE_NONE;
	uint32_t index = whole_add_layout(lower->whole, size_bytes);
	for (size_t i = 0; i < arrays->count; i++)
		whole_add_array(lower->whole, &arrays->items[i]);
	lower->whole->layout[index].array_count = (uint32_t)arrays->count;
	for (size_t i = 0; i < arrays->vector_count; i++)
		whole_add_vector(lower->whole, arrays->vectors[i]);
	lower->whole->layout[index].vector_count = (uint32_t)arrays->vector_count;
	return index;
}

uint32_t lower_layout(struct lower *lower, LLVMTypeRef type)
{
	bool is_known;
	uintptr_t known = (uintptr_t)ptrmap_get(&lower->layouts, type, &is_known);
	if (is_known)
		return known ? (uint32_t)(known - 1) : WHOLE_NONE;
	struct arrays arrays = { 0 };
	collect(lower, type, 0, false, &arrays);
	uint32_t index =
		write_layout(lower, LLVMTypeIsSized(type) ? LLVMABISizeOfType(lower->layout, type) : 0, &arrays);
	ptrmap_set(&lower->layouts, type, index == WHOLE_NONE ? NULL : (void *)((uintptr_t)index + 1));
	free(arrays.items);
	free(arrays.vectors);
	return index;
}

uint32_t lower_array_layout(struct lower *lower, LLVMTypeRef element)
{
	struct arrays arrays = { 0 };
	uint64_t size_bytes = LLVMABISizeOfType(lower->layout, element);
	if (!size_bytes)
		return WHOLE_NONE;
	add_array(&arrays, (struct whole_array){ .end = size_bytes,
						 .element_bytes = size_bytes,
						 .element = lower_layout(lower, element) });
	uint32_t index = write_layout(lower, size_bytes, &arrays);
	free(arrays.items);
	free(arrays.vectors);
	return index;
}
