/* assembly_names.c: see assembly_names.h. The Intel 64 manual, volume 2, has them. */
#include "ir/assembly_names.h"

#include <string.h>

#include "base/word.h"

/* Names of one effect and, if it follows from them, of one size. With a suffix: b, w, l and q may follow. */
struct row {
	enum assembly_effect effect;
	uint32_t size_bytes;
	bool has_suffix;
	const char *names;
};

static const struct row rows[] = {
	{ ASSEMBLY_MOVES, 0, true, " mov movabs movnti movbe " },
	{ ASSEMBLY_MODIFIES, 0, true,
	  " add sub and or xor adc sbb inc dec neg not shl sal shr sar rol ror rcl rcr shld shrd " },
	{ ASSEMBLY_SETS_BIT, 0, true, " bts btr btc " },
	{ ASSEMBLY_TESTS_BIT, 0, true, " bt " },
	{ ASSEMBLY_EXCHANGES, 0, true, " xchg " },
	{ ASSEMBLY_ADDS, 0, true, " xadd " },
	{ ASSEMBLY_COMPARES, 0, true, " cmpxchg " },
	{ ASSEMBLY_COMPARES_PAIR, 8, false, " cmpxchg8b " },
	{ ASSEMBLY_COMPARES_PAIR, 16, false, " cmpxchg16b " },
	{ ASSEMBLY_READS, 0, true, " cmp test push mul div idiv " },
	{ ASSEMBLY_LOADS, 0, true,
	  " imul bsf bsr popcnt lzcnt tzcnt crc32 andn bextr blsr blsi mulx rorx sarx shlx shrx " },
	{ ASSEMBLY_LOADS, 1, false, " movsbw movsbl movsbq movzbw movzbl movzbq " },
	{ ASSEMBLY_LOADS, 2, false, " movswl movswq movzwl movzwq " },
	{ ASSEMBLY_LOADS, 4, false, " movslq " },
	{ ASSEMBLY_LOADS, 0, false, " movsx movzx movsxd " },
	{ ASSEMBLY_STORES, 0, true, " pop " },
	{ ASSEMBLY_MOVES, 4, false, " movd vmovd movss vmovss " },
	{ ASSEMBLY_MOVES, 8, false, " vmovq movlps movhps movlpd movhpd movntq " },
	{ ASSEMBLY_MOVES, 16, false,
	  " movaps movups movapd movupd movdqa movdqu movntdq movntps movntpd movntdqa lddqu " },
	{ ASSEMBLY_MOVES, 0, false,
	  " vmovaps vmovups vmovapd vmovupd vmovdqa vmovdqu vmovntdq vmovntps vmovntpd vmovdqa32 vmovdqa64 vmovdqu8 "
	  "vmovdqu16 vmovdqu32 vmovdqu64 " },
	{ ASSEMBLY_STORES, 2, false, " fnstcw fstcw fnstsw fstsw " },
	{ ASSEMBLY_READS, 2, false, " fldcw " },
	{ ASSEMBLY_STORES, 4, false, " stmxcsr vstmxcsr " },
	{ ASSEMBLY_READS, 4, false, " ldmxcsr vldmxcsr " },
	{ ASSEMBLY_NOTHING, 0, true, " lea nop " },
	{ ASSEMBLY_NOTHING, 0, false,
	  " pause prefetcht0 prefetcht1 prefetcht2 prefetchnta prefetchw prefetch clflush clflushopt clwb cldemote "
	  "invlpg endbr64 pushf pushfq popf popfq syscall sysenter int int3 ud2 hlt " },
	{ ASSEMBLY_FENCES, 0, false, " mfence " },
	{ ASSEMBLY_ACQUIRES, 0, false, " lfence " },
	{ ASSEMBLY_RELEASES, 0, false, " sfence " },
	{ ASSEMBLY_LEAVES, 0, true, " call ret lods stos scas cmps ins outs leave enter xlat lret iret " },
	{ ASSEMBLY_LEAVES, 0, false, " movsb movsw movsq maskmovdqu maskmovq vmaskmovdqu xbegin monitor clzero " },
};

static bool has_word(const char *words, const char *name, size_t length)
{
	for (const char *at = words; (at = strchr(at, ' ')) && at[1]; at++)
		if (strncmp(at + 1, name, length) == 0 && at[1 + length] == ' ')
			return true;
	return false;
}

static const struct row *find(const char *name, size_t length, bool is_suffixed)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if ((!is_suffixed || rows[i].has_suffix) && has_word(rows[i].names, name, length))
			return &rows[i];
	return NULL;
}

struct assembly_name assembly_name(const char *name, unsigned operand_count, bool is_att)
{
	static const char suffixes[] = "bwlq";
	size_t length = strlen(name);
	/* Two instructions have this name: without operands it copies strings. */
	if (strcmp(name, "movsl") == 0)
		return (struct assembly_name){ operand_count ? ASSEMBLY_LOADS : ASSEMBLY_LEAVES, 4 };
	if (strcmp(name, "movsd") == 0 || strcmp(name, "cmpsd") == 0)
		return operand_count ? (struct assembly_name){ *name == 'm' ? ASSEMBLY_MOVES : ASSEMBLY_LOADS, 8 }
				     : (struct assembly_name){ ASSEMBLY_LEAVES, 0 };
	const struct row *row = find(name, length, false);
	if (row)
		return (struct assembly_name){ row->effect, row->size_bytes };
	const char *suffix = is_att && length > 2 ? strchr(suffixes, name[length - 1]) : NULL;
	if (suffix && (row = find(name, length - 1, true)))
		return (struct assembly_name){ row->effect, 1u << (suffix - suffixes) };
	if (word_begins_with(name, "set"))
		return (struct assembly_name){ ASSEMBLY_STORES, 1 };
	if (word_begins_with(name, "cmov"))
		return (struct assembly_name){ ASSEMBLY_LOADS, 0 };
	if (*name == 'j' || word_begins_with(name, "loop"))
		return (struct assembly_name){ ASSEMBLY_JUMPS_TO, 0 };
	return (struct assembly_name){ ASSEMBLY_UNKNOWN, 0 };
}

int assembly_register(const char *name, size_t length, uint32_t *size_bytes)
{
	static const char old[8][3] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };
	*size_bytes = 0;
	if (length >= 4 && strncmp(name + 1, "mm", 2) == 0) {
		*size_bytes = *name == 'x' ? 16 : *name == 'y' ? 32 : 64;
		return -1;
	}
	if (length < 2 || length > 4)
		return -1;
	for (int i = 0; i < 8; i++) {
		if (length == 2 && strncmp(name, old[i], 2) == 0)
			return *size_bytes = 2, i;
		if (length == 3 && strncmp(name + 1, old[i], 2) == 0 && (*name == 'r' || *name == 'e'))
			return *size_bytes = *name == 'r' ? 8 : 4, i;
		if (length == 3 && strncmp(name, old[i], 2) == 0 && name[2] == 'l')
			return *size_bytes = 1, i;
		if (length == 2 && i < 4 && *name == *old[i] && (name[1] == 'l' || name[1] == 'h'))
			return *size_bytes = 1, i;
	}
	if (*name != 'r' || name[1] < '0' || name[1] > '9')
		return -1;
	int number = name[1] - '0';
	size_t at = 2;
	if (at < length && name[at] >= '0' && name[at] <= '9')
		number = number * 10 + name[at++] - '0';
	char size = at < length ? name[at++] : 'q';
	*size_bytes = size == 'b' ? 1 : size == 'w' ? 2 : size == 'd' ? 4 : 8;
	return at == length && number >= 8 && number <= 15 ? number : -1;
}
