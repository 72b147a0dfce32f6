/*
 * names_short.c: see names_short.h. A name is read once from left to right. Arguments of a template are made short one
 * by one, and then those that are the defaults of that template are dropped from the end. A name with unbalanced
 * brackets is not understood, and stays.
 */
#include "symbols/names_short.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAX_DEPTH 100u
#define MAX_ARGUMENTS 64u
#define NAME_MAX_BYTES 65536u

struct reading {
	const char *at;
	unsigned depth;
};

static bool add_until(struct reading *self, struct buf *out, const char *ends);

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static char last_of(const struct buf *out)
{
	return out->size ? out->data[out->size - 1] : '\0';
}

static void cut(struct buf *out, size_t size)
{
	out->size = size;
	if (out->data)
		out->data[size] = '\0';
}

static bool is_one_of(const char *word, size_t size, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == size && strncmp(word, *words, size) == 0)
			return true;
	return false;
}

/* "std::allocator<int>" for "std::allocator" and "int"; what: null for any. */
static bool is_made_of(const char *argument, const char *template, const char *what)
{
	size_t size = strlen(template), length = strlen(argument);
	if (strncmp(argument, template, size) != 0 || argument[size] != '<' || argument[length - 1] != '>')
		return false;
	return !what || (strlen(what) == length - size - 2 && strncmp(argument + size + 1, what, strlen(what)) == 0);
}

/* Templates that take any types, none of which is a default. */
static bool has_defaults(const char *name)
{
	static const char *const none[] = { "std::pair",     "std::tuple",    "std::variant", "std::_Tuple_impl",
					    "std::function", "std::optional", "std::array",   NULL };
	return strncmp(name, "std::", 5) == 0 && !is_one_of(name, strlen(name), none);
}

static bool is_default(const char *name, const struct strings *arguments)
{
	static const char *const of_first[] = { "std::less", "std::hash", "std::equal_to", "std::default_delete",
						"std::char_traits" };
	const char *last = arguments->items[arguments->count - 1], *first = arguments->items[0];
	if (arguments->count < 2 || !has_defaults(name))
		return false;
	if (strcmp(last, "(__gnu_cxx::_Lock_policy)2") == 0)
		return true;
	for (size_t i = 0; i < sizeof of_first / sizeof *of_first; i++)
		if (is_made_of(last, of_first[i], first))
			return true;
	if (arguments->count == 2 && (strcmp(name, "std::queue") == 0 || strcmp(name, "std::stack") == 0))
		return is_made_of(last, "std::deque", first);
	if (arguments->count == 2 && strcmp(name, "std::priority_queue") == 0)
		return is_made_of(last, "std::vector", first);
	return is_made_of(last, "std::allocator", NULL);
}

/* Names that the library has for some of its templates. */
static const char *alias_of(const char *name, const char *argument)
{
	static const struct {
		const char *name, *argument, *alias;
	} aliases[] = {
		{ "std::basic_string", "char", "std::string" },
		{ "std::basic_string", "wchar_t", "std::wstring" },
		{ "std::basic_string", "char8_t", "std::u8string" },
		{ "std::basic_string", "char16_t", "std::u16string" },
		{ "std::basic_string", "char32_t", "std::u32string" },
		{ "std::basic_string_view", "char", "std::string_view" },
		{ "std::basic_string_view", "wchar_t", "std::wstring_view" },
		{ "std::basic_ios", "char", "std::ios" },
		{ "std::basic_streambuf", "char", "std::streambuf" },
		{ "std::basic_filebuf", "char", "std::filebuf" },
		{ "std::basic_stringbuf", "char", "std::stringbuf" },
		{ "std::basic_istream", "char", "std::istream" },
		{ "std::basic_ostream", "char", "std::ostream" },
		{ "std::basic_iostream", "char", "std::iostream" },
		{ "std::basic_ifstream", "char", "std::ifstream" },
		{ "std::basic_ofstream", "char", "std::ofstream" },
		{ "std::basic_fstream", "char", "std::fstream" },
		{ "std::basic_istringstream", "char", "std::istringstream" },
		{ "std::basic_ostringstream", "char", "std::ostringstream" },
		{ "std::basic_stringstream", "char", "std::stringstream" },
		{ "std::chrono::duration", "long, std::ratio<1, 1000000000>", "std::chrono::nanoseconds" },
		{ "std::chrono::duration", "long, std::ratio<1, 1000000>", "std::chrono::microseconds" },
		{ "std::chrono::duration", "long, std::ratio<1, 1000>", "std::chrono::milliseconds" },
		{ "std::chrono::duration", "long, std::ratio<1, 1>", "std::chrono::seconds" },
		{ "std::chrono::duration", "long, std::ratio<60, 1>", "std::chrono::minutes" },
		{ "std::chrono::duration", "long, std::ratio<3600, 1>", "std::chrono::hours" },
	};
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcmp(name, aliases[i].name) == 0 && strcmp(argument, aliases[i].argument) == 0)
			return aliases[i].alias;
	return NULL;
}

/* Where the qualified name at the end begins. */
static size_t start_of_name(const struct buf *out)
{
	size_t start = out->size;
	while (start > 0 && (is_letter(out->data[start - 1]) || out->data[start - 1] == ':'))
		start--;
	return start;
}

/* The arguments after a '<', with the closing one. */
static bool read_arguments(struct reading *self, struct strings *arguments)
{
	bool is_read = true;
	for (bool is_more = *self->at != '>'; is_more && is_read;) {
		struct buf argument = { 0 };
		while (*self->at == ' ')
			self->at++;
		is_read = arguments->count < MAX_ARGUMENTS && add_until(self, &argument, ",>");
		while (argument.size && last_of(&argument) == ' ')
			cut(&argument, argument.size - 1);
		strings_add(arguments, argument.data ? argument.data : "");
		buf_release(&argument);
		is_more = *self->at == ',';
		self->at += is_more;
	}
	is_read = is_read && *self->at == '>';
	self->at += is_read;
	return is_read;
}

static bool add_template(struct reading *self, struct buf *out)
{
	struct strings arguments = { 0 };
	struct buf joined = { 0 };
	size_t start = start_of_name(out);
	self->at++;
	bool is_read = read_arguments(self, &arguments);
	while (is_read && arguments.count && is_default(out->data + start, &arguments))
		free(arguments.items[--arguments.count]);
	for (size_t i = 0; i < arguments.count; i++)
		buf_format(&joined, "%s%s", i ? ", " : "", arguments.items[i]);
	const char *alias = is_read && joined.data ? alias_of(out->data + start, joined.data) : NULL;
	if (alias) {
		cut(out, start);
		buf_add_string(out, alias);
	} else {
		buf_format(out, "<%s>", joined.data ? joined.data : "");
	}
	buf_release(&joined);
	strings_release(&arguments);
	return is_read;
}

/* The sign after the word operator, as it is; where arguments of a template follow it, there is a space between. */
static void add_operator(struct reading *self, struct buf *out)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<", ">>", "<=",
					     ">=",  "<",   ">",   ",",   "(",  ")",  "[",  "]",  NULL };
	for (size_t i = 0; signs[i]; i++)
		if (strncmp(self->at, signs[i], strlen(signs[i])) == 0) {
			buf_add_string(out, signs[i]);
			self->at += strlen(signs[i]);
			break;
		}
	if (strncmp(self->at, " <", 2) == 0) {
		buf_add_string(out, " ");
		self->at++;
	}
}

static bool add_word(struct reading *self, struct buf *out)
{
	static const char *const versions[] = { "__cxx11", "__1", "_V2", NULL };
	const char *start = self->at;
	while (is_letter(*self->at))
		self->at++;
	size_t size = (size_t)(self->at - start);
	if (last_of(out) == ':' && strncmp(self->at, "::", 2) == 0 && is_one_of(start, size, versions)) {
		self->at += 2;
		return true;
	}
	if (size > 2 && strncmp(start, "$_", 2) == 0 && strspn(start + 2, "0123456789") == size - 2) {
		/* What clang calls the lambdas of a file, from 0. */
		buf_format(out, "{lambda#%lu}", strtoul(start + 2, NULL, 10) + 1);
		return true;
	}
	if (isdigit((unsigned char)*start)) /* 16ul */
		while (size > 1 && strchr("ul", start[size - 1]) && strspn(start, "0123456789ul") >= size)
			size--;
	buf_add(out, start, size);
	if (size == 8 && strncmp(start, "operator", 8) == 0) {
		add_operator(self, out);
		return *self->at != '<' || last_of(out) != ' ' || add_template(self, out);
	}
	return true;
}

static bool add_bracket(struct reading *self, struct buf *out)
{
	const char open = *self->at++, close = open == '(' ? ')' : open == '[' ? ']' : '}';
	buf_add(out, &open, 1);
	if (!add_until(self, out, (char[]){ close, '\0' }) || *self->at != close)
		return false;
	buf_add(out, self->at++, 1);
	return true;
}

static bool skip(struct reading *self, const char *words)
{
	size_t size = strlen(words);
	if (strncmp(self->at, words, size) != 0)
		return false;
	self->at += size;
	return true;
}

static bool add_one(struct reading *self, struct buf *out)
{
	static const char tag[] = "[abi:";
	if (strncmp(self->at, tag, sizeof tag - 1) == 0) {
		const char *end = strchr(self->at, ']');
		self->at = end ? end + 1 : self->at;
		return end;
	}
	if (skip(self, "(anonymous namespace)::"))
		return true;
	if (skip(self, "(anonymous namespace)")) {
		buf_add_string(out, "(anonymous namespace)");
		return true;
	}
	if (is_letter(*self->at))
		return add_word(self, out);
	if (*self->at == '<' && is_letter(last_of(out)))
		return add_template(self, out);
	if (*self->at == '(' || *self->at == '[' || *self->at == '{')
		return add_bracket(self, out);
	if (strchr(")]}", *self->at))
		return false;
	if (skip(self, "->"))
		buf_add_string(out, "->");
	else
		buf_add(out, self->at++, 1);
	return true;
}

/* Appends what is before one of the ends, outside of brackets, which is where it stops; or all of it. */
static bool add_until(struct reading *self, struct buf *out, const char *ends)
{
	bool is_read = ++self->depth < MAX_DEPTH;
	while (is_read && *self->at && !strchr(ends, *self->at))
		is_read = add_one(self, out);
	self->depth--;
	return is_read && (*self->at || !*ends);
}

/* The result of a function comes before its name, which has no space in it, and its parameters come after that. */
static void drop_result(struct buf *name)
{
	static const char *const others[] = { "guard variable ",     "vtable ",        "VTT ",       "typeinfo ",
					      "non-virtual thunk ",  "virtual thunk ", "covariant ", "TLS ",
					      "reference temporary " };
	size_t start = 0;
	int depth = 0;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(name->data, others[i], strlen(others[i])) == 0)
			return;
	for (size_t i = 0; i < name->size; i++) {
		char c = name->data[i];
		if (depth == 0 && strncmp(name->data + i, "operator", 8) == 0 &&
		    (i == 0 || !is_letter(name->data[i - 1])) && !is_letter(name->data[i + 8]))
			break;
		if (depth == 0 && c == '(') {
			/* A pointer to a function is written around its name. */
			if (i == start)
				return;
			break;
		}
		if (strchr("<({[", c))
			depth++;
		else if (strchr(">)}]", c))
			depth--;
		else if (c == ' ' && depth == 0)
			start = i + 1;
	}
	if (start && start < name->size && strchr(name->data + start, '(')) {
		memmove(name->data, name->data + start, name->size - start + 1);
		name->size -= start;
	}
}

char *names_short(const char *readable)
{
	struct reading self = { .at = readable };
	struct buf out = { 0 };
	/* C has neither. Of what is longer than any name the parts are looked at too often. */
	if (strnlen(readable, NAME_MAX_BYTES) == NAME_MAX_BYTES || !strpbrk(readable, ":<(") ||
	    !add_until(&self, &out, "") || !out.size) {
		buf_release(&out);
		return mem_copy_string(readable);
	}
	drop_result(&out);
	return out.data;
}

void names_add_short(struct buf *out, const char *readable)
{
	char *name = names_short(readable);
	text_terminal(out, name);
	free(name);
}

char *names_bare(const char *readable)
{
	static const char call[] = "::operator()(";
	char *name = names_short(readable), *end = strstr(name, call);
	int depth = 0;
	if (end) {
		*end = '\0';
		return name;
	}
	for (char *c = name; *c; c++) {
		if (depth == 0 && c > name && *c == '(' && strncmp(c, "(anonymous", 10) != 0) {
			*c = '\0';
			break;
		}
		if (strncmp(c, "operator", 8) == 0 && (c == name || !is_letter(c[-1])))
			c += 7 + strspn(c + 8, "<>-=");
		else if (strchr("<({[", *c))
			depth++;
		else if (strchr(">)}]", *c))
			depth--;
	}
	return name;
}

bool names_is_library(const char *readable)
{
	char *name = names_short(readable);
	bool is_library = strncmp(name, "std::", 5) == 0 || strncmp(name, "__gnu_cxx::", 11) == 0 ||
			  strncmp(name, "__cxxabiv1::", 12) == 0 || strcmp(name, "execute_native_thread_routine") == 0;
	free(name);
	return is_library;
}

/* The type of what such a thread runs; null when the name has none. Caller frees. */
static char *type_of_task(const char *readable)
{
	static const char runner[] = "std::thread::_Invoker<std::tuple<";
	char *name = names_short(readable);
	const char *found = strstr(name, runner);
	struct buf first = { 0 };
	struct reading self = { .at = found ? found + sizeof runner - 1 : "" };
	if (!found || !add_until(&self, &first, ",>") || !first.size)
		buf_release(&first);
	free(name);
	return first.data;
}

static enum names_task kind_of_task(const char *type)
{
	return !type                  ? NAMES_TASK_OTHER
	       : strstr(type, "::*)") ? NAMES_TASK_MEMBER
	       : strstr(type, "(*)")  ? NAMES_TASK_FUNCTION
	       : strchr(type, '&')    ? NAMES_TASK_OTHER
				      : NAMES_TASK_OBJECT;
}

enum names_task names_task_kind(const char *readable)
{
	char *type = type_of_task(readable);
	enum names_task kind = kind_of_task(type);
	free(type);
	return kind;
}

char *names_of_task(const char *readable)
{
	char *type = type_of_task(readable);
	if (kind_of_task(type) == NAMES_TASK_OBJECT)
		return type;
	free(type);
	return NULL;
}
