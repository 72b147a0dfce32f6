/*
 * option.c: see option.h.
 *
 * The patterns of switch= are kept in one block, each as '+' or '-', the pattern, and a 0 byte; a 0 byte ends the
 * list. The last pattern that matches decides.
 */
#include "rt/option.h"

#include <string.h>

#include "rt/message.h"
#include "rt/sys.h"

/* Reserved, not used: only touched pages cost memory. */
#define PATTERN_ROOM ((size_t)16 << 20)

struct options options;
static char *patterns;
static size_t patterns_size;

/* Copies the value up to one of the two ends (0: none) that no backslash precedes; returns where it stopped. What
 * does not fit is cut. */
static const char *copy_item(char *to, size_t room, const char *from, char end, char other_end)
{
	size_t size = 0;
	while (*from && *from != end && *from != other_end) {
		if (*from == '\\' && from[1])
			from++;
		if (size + 1 < room)
			to[size++] = *from;
		from++;
	}
	to[size] = '\0';
	return from;
}

static void add_pattern(const char *pattern)
{
	bool is_excluded = *pattern == '-';
	if (is_excluded)
		pattern++;
	if (strcmp(pattern, "atomics") == 0) {
		options.selects_atomics = !is_excluded;
		return;
	}
	if (strcmp(pattern, "all") == 0)
		pattern = "*";
	if (strcmp(pattern, "none") == 0) {
		is_excluded = !is_excluded;
		pattern = "*";
	}
	/* A list that begins by leaving something out begins with everything. */
	if (patterns_size == 0 && is_excluded)
		add_pattern("*");
	size_t size = 0;
	while (pattern[size])
		size++;
	if (patterns_size + size + 3 > PATTERN_ROOM) {
		rt_off(RT_SWITCH_SIZE, NULL, 0);
		return;
	}
	patterns[patterns_size] = is_excluded ? '-' : '+';
	memcpy(patterns + patterns_size + 1, pattern, size + 1);
	patterns_size += size + 2;
	patterns[patterns_size] = '\0';
}

/* One pattern a line; blanks around it, empty lines and lines that begin with # do not count. */
static void add_pattern_file(const char *path)
{
	int fd = sys_open(path, O_RDONLY);
	if (fd < 0) {
		rt_off(RT_SWITCH_FILE, path, fd);
		return;
	}
	char chunk[4096], line[4096];
	size_t size = 0;
	ssize_t got;
	do {
		got = sys_read(fd, chunk, sizeof chunk);
		for (ssize_t i = 0; i < got || (got == 0 && i == 0); i++) {
			char c = got ? chunk[i] : '\n';
			bool is_blank = c == ' ' || c == '\t' || c == '\r';
			if (c == '\n') {
				while (size && line[size - 1] == ' ')
					size--;
				line[size] = '\0';
				if (size && line[0] != '#')
					add_pattern(line);
				size = 0;
			} else if (size < sizeof line - 1 && !(is_blank && size == 0)) {
				line[size++] = is_blank ? ' ' : c;
			}
		}
	} while (got > 0);
	sys_close(fd);
	if (got < 0)
		rt_off(RT_SWITCH_FILE, path, (int)got);
}

static void set_switch(const char *value)
{
	char item[4096];
	if (!patterns) {
		long block = sys_mmap(PATTERN_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				      -1, 0);
		if (sys_failed(block)) {
			rt_off(RT_NO_MEMORY, NULL, (int)block);
			return;
		}
		patterns = (char *)block;
	}
	patterns_size = 0;
	patterns[0] = '\0';
	do {
		value = copy_item(item, sizeof item, value, ',', ':');
		if (item[0] == '@')
			add_pattern_file(item + 1);
		else if (item[0])
			add_pattern(item);
	} while (*value++ == ',');
}

/* Reads that number of hexadecimal digits; false if there is another character. */
static bool read_hex(const char *text, unsigned digits, uint32_t *number)
{
	*number = 0;
	for (unsigned i = 0; i < digits; i++) {
		char c = text[i];
		uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : (uint32_t)(c - 'a') + 10;
		if (digit > 15)
			return false;
		*number = *number << 4 | digit;
	}
	return true;
}

static bool read_build(const char *text, uint8_t *build)
{
	uint32_t byte;
	for (unsigned i = 0; i < 16; i++) {
		if (!read_hex(text + 2 * i, 2, &byte))
			return false;
		build[i] = (uint8_t)byte;
	}
	return text[32] == '\0';
}

/* Adds to what was given before. */
static void set_without(const char *value)
{
	char item[64];
	struct option_without one = { .kind = 0 };
	uint32_t distance;
	value = copy_item(item, sizeof item, value, ',', ':');
	bool is_good = read_build(item, one.build);
	while (is_good && *value == ',') {
		value = copy_item(item, sizeof item, value + 1, ',', ':');
		one.kind = (uint8_t)item[0];
		is_good = (one.kind == WITHOUT_CALL || one.kind == WITHOUT_INNER || one.kind == WITHOUT_OUTER) &&
			  read_hex(item + 1, 8, &distance) && item[9] == '\0' && options.without_count < HEDDLE_SKIPS;
		if (!is_good)
			break;
		one.distance = (int32_t)distance;
		options.without[options.without_count++] = one;
	}
	if (!is_good)
		rt_off(RT_WITHOUT, NULL, 0);
}

static void set_verbose(const char *value)
{
	options.is_verbose = *value != '0';
}

static void set_help(const char *value);

static const struct key {
	const char *name;
	char *path; /* of OPTION_PATH_ROOM bytes, where the value goes as it is; null: set has to read it */
	void (*set)(const char *value);
	const char *help;
} keys[] = {
	{ "switch", NULL, set_switch,
	  "all, none, atomics (functions with an atomic access), @FILE or PATTERN,PATTERN...: functions that run "
	  "as their clones; patterns may contain * and ?, match linkage names, and exclude after a leading -; the "
	  "last pattern that matches decides (default: none)" },
	{ "count", options.count_path, NULL,
	  "FILE: count the accesses of each site; heddle run --count creates the file" },
	{ "note", options.note_path, NULL, "FILE: like count, but record only which objects registered" },
	{ "operations", options.operations_path, NULL,
	  "FILE: counter file of mode operations; heddle run --operations creates it" },
	{ "patches", options.patches_path, NULL, "FILE: system call instructions that mode operations counts" },
	{ "without", NULL, set_without,
	  "BUILD,ADDRESS,ADDRESS...: synchronisation that mode control skips; heddle test --without creates it" },
	{ "train", options.train_path, NULL, "FILE: histories of mode train; heddle train creates it" },
	{ "guard", options.guard_path, NULL, "FILE: sites and sets of mode guard; heddle guard creates it" },
	{ "guard-log", options.guard_log_path, NULL, "FILE: violations of mode guard; heddle guard creates it" },
	{ "verbose", NULL, set_verbose, "1: report for each woven object how many functions were switched" },
	{ "help", NULL, set_help, "1: print this list" },
};

#define KEY_COUNT (sizeof keys / sizeof *keys)

static void set_help(const char *value)
{
	for (size_t i = 0; i < KEY_COUNT && *value != '0'; i++) {
		struct message message;
		message_begin(&message);
		message_string(&message, "option ");
		message_string(&message, keys[i].name);
		message_string(&message, "=");
		message_string(&message, keys[i].help);
		message_end(&message);
	}
}

void options_parse(const char *text)
{
	while (*text) {
		char name[32], rest[4];
		const char *value = copy_item(name, sizeof name, text, '=', ':');
		const struct key *key = NULL;
		for (size_t i = 0; i < KEY_COUNT; i++)
			if (strcmp(name, keys[i].name) == 0)
				key = &keys[i];
		if (key && *value == '=') {
			if (key->path)
				copy_item(key->path, OPTION_PATH_ROOM, value + 1, ':', 0);
			else
				key->set(value + 1);
		} else if (name[0]) {
			struct message message;
			message_begin(&message);
			message_string(&message,
				       key ? "option without a value in HEDDLE_OPTIONS, ignored: "
					   : "unknown option in HEDDLE_OPTIONS, ignored (help=1 lists them): ");
			message_string(&message, name);
			message_end(&message);
		}
		text = copy_item(rest, sizeof rest, value, ':', 0);
		if (*text == ':')
			text++;
	}
}

/* The usual two-pointer match: after a mismatch, the last * takes one character more. */
static bool glob_matches(const char *glob, const char *name)
{
	const char *star = NULL, *resume = NULL;
	while (*name) {
		if (*glob == '*') {
			star = glob++;
			resume = name;
		} else if (*glob == '?' || *glob == *name) {
			glob++;
			name++;
		} else if (star) {
			glob = star + 1;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return *glob == '\0';
}

bool options_selects(const char *name)
{
	bool is_selected = false;
	for (const char *at = patterns; at && *at; at++) {
		bool is_adding = *at++ == '+';
		if (is_adding != is_selected && glob_matches(at, name))
			is_selected = is_adding;
		while (*at)
			at++;
	}
	return is_selected;
}
