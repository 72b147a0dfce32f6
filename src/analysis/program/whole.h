/*
 * whole.h: a whole program in the form that the analyses work on. LLVM's modules are read once (lower.h), unit by unit, into
 * one flat table of functions, blocks, instructions, values and objects, and are then gone. What is kept is what matters
 * to sharing and locking: where pointers come from and go to, which memory is accessed, which function calls which, and
 * the control flow. Of the operations on numbers that are not pointers, additions of constants, phis and copies are
 * kept, so that loops can be counted; others only where they may carry a pointer (64 bits and more).
 *
 * Everything is named by an index into its table; WHOLE_NONE is no index. Tables only grow while the program is read; after
 * that points-to (points.h) adds heap objects, and nothing else changes. Several analyses may read at once.
 *
 * Invariants, which whole_verify checks when the program was read:
 *  1. Each index is WHOLE_NONE, where that is allowed, or that of a row; each range of rows is inside its table.
 *  2. What belongs to something names it, and is named by it: blocks and functions, instructions and blocks, accesses and
 *     instructions, results and instructions, functions and their code.
 *  3. Control stays in its function: the successors of a block are blocks of the same one.
 *  4. Object 0, and no other, is the outside.
 */
#ifndef ANALYSIS_PROGRAM_WHOLE_H
#define ANALYSIS_PROGRAM_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

#define WHOLE_NONE UINT32_MAX

/* Where in the source something is. Equal places have equal indexes within a unit. Strings are owned by the whole. */
struct whole_place {
	const char *file; /* null: not known */
	const char
		*function; /* name of the function it is written in; null: that of the function it was compiled into */
	uint32_t line, column;
	bool is_near;        /* the line is that of a neighbour: see near.h */
	uint32_t inlined_at; /* place of the call that function was inlined at, or WHOLE_NONE */
};

/*
 * Which bytes of an object stand for each other. An array's elements are not distinguished: each offset inside of it is
 * folded into the array's first element. A layout lists the outermost arrays of a type; what is inside of an element
 * has a layout of its own. Without arrays there is no layout.
 */
struct whole_array {
	uint64_t start,
		end; /* bytes from the start of the type; the last array of an object may go on to the object's end */
	uint64_t element_bytes;
	uint32_t element; /* layout of an element, or WHOLE_NONE */
	bool is_buffer;   /* that of a std::string for short texts: whoever begins to copy there ends there */
};

/* Where one begins in a type. */
struct whole_vector {
	uint64_t offset;
};

struct whole_layout {
	uint32_t first_array, array_count;   /* in arrays, by start */
	uint32_t first_vector, vector_count; /* in vectors: where a std::vector begins, outside of arrays */
	uint64_t size_bytes;                 /* of the type */
};

enum whole_object_kind {
	WHOLE_GLOBAL,       /* a variable of the program that all threads share */
	WHOLE_THREAD_LOCAL, /* one in each thread */
	WHOLE_STACK,        /* an alloca, or a parameter that is passed by value */
	WHOLE_HEAP,         /* all blocks that one call of an allocating function made; added by points.h */
	WHOLE_CODE,         /* a function */
	WHOLE_OUTSIDE,      /* memory that code which is not analysed made or keeps: object 0, one for all */
};

struct whole_object {
	uint8_t kind;         /* enum whole_object_kind */
	bool is_constant;     /* never written */
	bool is_exported;     /* code that is not analysed can name it */
	bool is_undefined;    /* a variable that no unit defines, like stdout: begins with pointers to the outside */
	uint32_t function;    /* of code: the function itself; of stack and heap: in whose body; else WHOLE_NONE */
	uint32_t instruction; /* of stack and heap: which made it; else WHOLE_NONE */
	uint32_t layout;      /* or WHOLE_NONE */
	uint64_t size_bytes;  /* 0: not known */
	uint32_t place;       /* where it is declared or made, or WHOLE_NONE */
	const char *name;     /* in the words of the source; null: none */
	uint32_t first_initial, initial_count; /* in initials: pointers that it begins with */
};

/* An object has, when the program starts, the address `value` at this offset. */
struct whole_initial {
	uint64_t offset;
	uint32_t value;
};

enum whole_value_kind {
	WHOLE_PARAMETER, /* index: its number; the one after the last is what a variadic function gets in addition */
	WHOLE_RESULT,    /* index: the instruction that makes it */
	WHOLE_ADDRESS,   /* index: an object; offset: bytes after its start */
	WHOLE_NUMBER,    /* offset: the constant itself; a null pointer is number 0 */
	WHOLE_OPAQUE,    /* nothing is known of it, e.g. undefined */
};

/* Values of an SSA form: each is made at one place. Addresses and numbers are shared by the whole program; those have no function. */
struct whole_value {
	uint8_t kind;      /* enum whole_value_kind */
	uint32_t function; /* or WHOLE_NONE */
	uint32_t index;
	int64_t offset;
};

/*
 * Loads and stores of less than 8 bytes move no pointer; those of more move one for each 8 bytes. In addition to what
 * the program has, lowering makes explicit what the compiler hides: variable arguments are in a stack object of the
 * function that va_start is given; structures passed by value are copied to a stack object of the caller's; what is
 * thrown goes through a global object named "exceptions", and what is written to files through one named "files". The
 * callee may leave a call by an exception: control then goes to the second successor of its block, if the call is an
 * invoke. A COPY of one operand is equal to it; what is a part of it has the operand twice.
 */
enum whole_op {
	WHOLE_COPY, /* result is one of the operands: phi, select, casts, arithmetic on numbers that may be pointers */
	WHOLE_OFFSET, /* result = operand 0 + offset; + any multiple of stride when that is not 0: then operand 1 is the index */
	WHOLE_SLOT,     /* result = address of the stack object `object` */
	WHOLE_LOAD,     /* result = *operand 0, size_bytes */
	WHOLE_STORE,    /* *operand 0 = operand 1, size_bytes */
	WHOLE_UPDATE,   /* atomic: result = *operand 0; *operand 0 = operand 1 (may fail and leave it) */
	WHOLE_MOVE,     /* size_bytes (0: not known) are copied from *operand 1 to *operand 0 */
	WHOLE_FILL,     /* size_bytes (0: not known) at operand 0 are set to a byte */
	WHOLE_CALL,     /* operand 0 is the callee (an address of code when it is direct), then the arguments */
	WHOLE_RETURN,   /* operand 0, if any, is what is returned */
	WHOLE_ASSEMBLY, /* inline assembly; operands are what it gets; result is opaque */
	WHOLE_FORGE,    /* result is a pointer made from a number of which nothing is known (operand 0, if any) */
	WHOLE_OTHER,    /* accesses memory, moves no pointers: va_arg and the like */
};

struct whole_instruction {
	uint8_t op; /* enum whole_op */
	uint8_t access_count;
	bool is_compiled_atomic; /* an atomic load or store: orders what is around it */
	bool is_writing;         /* of WHOLE_ASSEMBLY: it says that it writes memory */
	bool is_invoke;          /* a call at the end of its block, whose second successor is for exceptions */
	/* Of WHOLE_OFFSET: it is a number that is added to, so that what was a pointer need not be one now: what it pointed to stays known,
	 * wherever the sum would be. */
	bool is_number;
	bool is_phi; /* of WHOLE_COPY: one operand for each edge into the block, by the number of the block before */
	uint32_t function, block;
	uint32_t result;                       /* value, or WHOLE_NONE */
	uint32_t first_operand, operand_count; /* in operands */
	uint32_t first_access;                 /* in accesses */
	uint32_t object;                       /* of WHOLE_SLOT */
	uint32_t place;                        /* or WHOLE_NONE */
	uint64_t size_bytes, stride;
	int64_t offset;
	const char *
		lock; /* of a call of a function of a library that takes a lock: the name of that, "q->lock"; null: none */
};

/* A flag of an access, in addition to those of a site: it is a call that frees the block that pointer leads to, a write
 * to all of it. It has no site: its number is WHOLE_NONE. */
#define WHOLE_ACCESS_FREE (1u << 31)

/* One access that the weave would announce: a site. Those that are provably private to a thread without any analysis
 * of the whole (ir/escape.h) are no accesses here, as they are no sites there. */
struct whole_access {
	uint32_t instruction;
	uint32_t pointer;     /* value; of a gather or scatter the vector of pointers */
	uint32_t ordinal;     /* the number of the site among those of its function */
	uint8_t kind;         /* enum heddle_access of abi.h */
	uint8_t order;        /* as in struct heddle_site */
	uint32_t flags;       /* enum heddle_site_flag */
	uint64_t size_bytes;  /* 0: not known */
	uint32_t tag;         /* its type in the language, or WHOLE_NONE: not known */
	const char *variable; /* "q->head"; null: no name */
};

/*
 * Types of the language, as compilers note them for their own alias analysis (LLVM's struct-path TBAA; see types.h). A structure has
 * its members in the order of their offsets, a scalar the one it is a kind of, at 0: "int" is a kind of "omnipotent char", and
 * that of the root, which has none. Equal types of several units are one.
 */
struct whole_type {
	const char *name; /* "" of a structure without a tag */
	uint32_t first_member, member_count;
	uint32_t root;     /* itself if it is one */
	bool is_ambiguous; /* another type of this root has its name and other members */
};

struct whole_member {
	uint32_t type;
	uint64_t offset;
};

/* What is accessed: a scalar at an offset from the start of a structure; or the scalar itself, which is then the base,
 * too. */
struct whole_tag {
	uint32_t base, scalar; /* types */
	uint64_t offset;
};

/* How a block ends, as far as the result of a call decides it: `value` is compared with `constant`, and if they are equal
 * the successor number `if_equal` is next, else number 1 - if_equal. */
struct whole_test {
	uint32_t value; /* or WHOLE_NONE */
	int64_t constant;
	uint8_t if_equal;
};

/* How a block ends, for counting iterations: the successor number `if_true` is next when left and right, both values,
 * are in that relation. */
enum whole_relation { WHOLE_NO_RELATION, WHOLE_EQUAL, WHOLE_LESS };

struct whole_compare {
	uint8_t relation; /* enum whole_relation */
	uint8_t if_true;
	uint32_t left, right;
};

struct whole_block {
	uint32_t function;
	uint32_t first_instruction, instruction_count;
	uint32_t first_successor, successor_count; /* in successors: blocks */
	struct whole_test test;
	struct whole_compare compare;
};

struct whole_function {
	const char *name; /* as the linker knows it */
	const char *file; /* null: not known */
	uint32_t line;
	uint32_t unit;   /* WHOLE_NONE when it is not defined here */
	uint32_t object; /* its code, as something that can be pointed to */
	bool is_defined;
	bool is_exported; /* others than the units can call it by name */
	bool is_variadic;
	bool is_constructor; /* runs before main */
	bool is_destructor;  /* runs after it */
	/* The program declares that each call returns a block that no other code has, with nothing in it, as malloc
	 * does; and which parameter is its size in bytes, or -1. */
	bool is_allocator;
	int16_t size_parameter;
	uint32_t first_parameter,
		parameter_count;           /* values, one after the other; a variadic one has one more after them */
	uint32_t first_block, block_count; /* the first is the entry */
	uint32_t first_instruction, instruction_count;
	uint32_t
		site_count; /* that the weave has there: some may have no access here, since their memory became a value */
};

/* What could not be analysed, and what was assumed instead: for the report, not for decisions. */
enum whole_gap_kind {
	WHOLE_GAP_ASSEMBLY, /* inline assembly: neither its accesses nor the pointers it makes are known */
	WHOLE_GAP_FORGED,   /* a pointer made from a number: taken to point nowhere */
	WHOLE_GAP_EXTERNAL, /* a function that is not defined here and not in the models */
	WHOLE_GAP_NO_DEBUG, /* a unit without debug information */
	WHOLE_GAP_OPAQUE,   /* an instruction that may access memory in a way that is not known */
	WHOLE_GAP_IFUNC,
	WHOLE_GAP_COUNT
};

struct whole_gap {
	uint8_t kind;      /* enum whole_gap_kind */
	uint32_t function; /* where, or WHOLE_NONE */
	uint32_t place;    /* or WHOLE_NONE */
	const char *name;  /* of the external function, unit, ... ; may be null */
};

struct whole_unit {
	const char *source;
	uint32_t first_function, function_count; /* definitions of this unit that are in the program, in order */
};

#define WHOLE_TABLE(type, name)                                                                                        \
	struct type *name;                                                                                             \
	uint32_t name##_count, name##_room

struct whole {
	WHOLE_TABLE(whole_unit, unit);
	WHOLE_TABLE(whole_function, function);
	WHOLE_TABLE(whole_block, block);
	WHOLE_TABLE(whole_instruction, instruction);
	WHOLE_TABLE(whole_access, access);
	WHOLE_TABLE(whole_value, value);
	WHOLE_TABLE(whole_object, object);
	WHOLE_TABLE(whole_initial, initial);
	WHOLE_TABLE(whole_layout, layout);
	WHOLE_TABLE(whole_array, array);
	WHOLE_TABLE(whole_vector, vector);
	WHOLE_TABLE(whole_place, place);
	WHOLE_TABLE(whole_gap, gap);
	WHOLE_TABLE(whole_type, type);
	WHOLE_TABLE(whole_member, member);
	WHOLE_TABLE(whole_tag, tag);
	uint32_t *operands; /* values */
	uint32_t operand_count, operand_room;
	uint32_t *successors; /* blocks */
	uint32_t successor_count, successor_room;
	bool is_library;      /* no main: any code may call all exported functions, in any thread */
	struct map strings;   /* every string there is, once */
	struct map functions; /* name of an exported or external function -> 1 + its index */
	struct map addresses; /* interned values, by a text key */
	struct map types;     /* interned types and tags, by a text key */
};

struct whole *whole_new(void);
void whole_free(struct whole *whole);

/* The invariants above; a program that breaks them is a BUG. */
void whole_verify(const struct whole *whole);

/* A string that lives as long as the whole; null stays null. */
const char *whole_string(struct whole *whole, const char *text);

/* Each adds a row, zeroed but for indexes, which are WHOLE_NONE, and returns its index. */
uint32_t whole_add_unit(struct whole *whole, const char *source);
uint32_t whole_add_function(struct whole *whole, const char *name); /* with its code as an object; known by no name */
uint32_t whole_add_object(struct whole *whole, enum whole_object_kind kind);
uint32_t whole_add_initial(struct whole *whole, uint32_t object, uint64_t offset,
			   uint32_t value); /* one object after the other */
uint32_t whole_add_place(struct whole *whole, const struct whole_place *place);
uint32_t
whole_add_layout(struct whole *whole,
		 uint64_t size_bytes); /* its arrays are those that are added next, see array_count; so with vectors */
uint32_t whole_add_array(struct whole *whole, const struct whole_array *array);
uint32_t whole_add_vector(struct whole *whole, uint64_t offset);
uint32_t whole_add_access(struct whole *whole, const struct whole_access *access);
uint32_t whole_add_value(struct whole *whole, enum whole_value_kind kind, uint32_t function, uint32_t index);
uint32_t whole_add_gap(struct whole *whole, enum whole_gap_kind kind, uint32_t function, uint32_t place,
		       const char *name);
uint32_t whole_add_instruction(struct whole *whole, enum whole_op op);
uint32_t whole_add_operand(struct whole *whole, uint32_t instruction, uint32_t value); /* of the last instruction */
uint32_t whole_add_block(struct whole *whole, uint32_t function);
uint32_t whole_add_successor(struct whole *whole, uint32_t block,
			     uint32_t successor); /* of the last block that got any */

/* The value that is the address of an object, or a number; the same arguments give the same value. */
uint32_t whole_address(struct whole *whole, uint32_t object, int64_t offset);
uint32_t whole_number(struct whole *whole, int64_t number);

/* The type with that name and these members, or the tag: the same arguments give the same index. */
uint32_t whole_type(struct whole *whole, const char *name, const struct whole_member *members, uint32_t count);
uint32_t whole_tag(struct whole *whole, uint32_t base, uint32_t scalar, uint64_t offset);

/* The function of that name that units see, added as not defined if there is none. */
uint32_t whole_function_named(struct whole *whole, const char *name);
/* The same without adding; WHOLE_NONE when there is none. */
uint32_t whole_find_function(const struct whole *whole, const char *name);

/* Defined functions of that name become allocators: "NAME", or "NAME,N" when the argument number N, from 1, is the size. Returns whether
 * there is such a function, with such an argument. */
bool whole_set_allocator(struct whole *whole, const char *text);

/* The operand of an instruction; WHOLE_NONE when it has fewer. */
uint32_t whole_operand(const struct whole *whole, const struct whole_instruction *instruction, uint32_t number);

/* Whether a call that frees may mean the object: a block of the heap, or what code outside has. */
bool whole_can_be_freed(const struct whole *whole, uint32_t object);

/* The function that a call names directly, or WHOLE_NONE when it is called by a pointer. */
uint32_t whole_direct_callee(const struct whole *whole, const struct whole_instruction *call);

/* The offset that stands for this one in an object: elements of arrays are folded. is_element (may be null) says whether an
 * array was on the way. An offset that is outside of the object, where its size is known, gives false. */
bool whole_fold(const struct whole *whole, const struct whole_object *object, uint64_t offset, uint64_t *folded,
		bool *is_element);

/* Whether a std::vector begins there, as far as the object has a type that says so. */
bool whole_is_vector(const struct whole *whole, const struct whole_object *object, uint64_t offset);

/* Whether an access of size_bytes (0: not known) at a folded offset goes on into a next element of an array that it does not
 * begin at the start of: then what it touches is not what is behind the folded offset. */
bool whole_crosses_element(const struct whole *whole, const struct whole_object *object, uint64_t offset,
			   uint64_t size_bytes);

/* The value that `value` is a constant distance from, as far back as OFFSET without stride and COPY of one operand go;
 * *offset gets the distance. When the result is an address, the distance is counted from the start of its object, with what
 * the address itself has. So two values with the same base (or addresses of the same object) and distance are equal, as long as
 * the base was not made anew in between. */
uint32_t whole_base(const struct whole *whole, uint32_t value, int64_t *offset);

#endif
