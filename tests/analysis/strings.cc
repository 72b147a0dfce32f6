/* strings.cc: the buffer of a std::string ends where it ends; what only looks like one does not. */
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

/* Not one of those that the library has compiled. */
typedef std::basic_string<unsigned char> text;

/* A copy of the text is no copy of what is behind it. */
struct holder {
	text title;
	int *value;
};
holder shared;

static void text_worker()
{
	holder mine;
	mine.value = new int(0);
	mine.title = shared.title;
	for (unsigned char &c : mine.title)
		c ^= 1;
	++*mine.value; // @OWN
	++*shared.value; // @SHARED
	delete mine.value;
}

/* Copies that begin in an array may be of all that is behind it, too. */
struct named {
	char name[16];
	int *value;
};
named source;
size_t some;

static void array_worker()
{
	named copy;
	memcpy(&copy, &source, some);
	++*copy.value; // @NAMED
}

/* Nor does it end in a union, where something else may be. */
union mixed {
	std::string text;
	char raw[64];
	mixed()
	{
	}
	~mixed()
	{
	}
};
mixed box;
int *pointers[4];

static void union_worker()
{
	int *pointer;
	memcpy(&pointer, box.raw + 40, sizeof pointer);
	++*pointer; // @UNION
}

/* Who walks by bytes from the start of the structure gets to all of it. */
struct counted {
	std::string text;
	int count;
};
counted walked;

static void walk_worker()
{
	for (size_t i = 0; i < some; i++)
		reinterpret_cast<char *>(&walked)[i] = 0; // @WALK
}
static void count_worker()
{
	walked.count++; // @COUNT
}

int main(int argc, char **argv)
{
	some = (size_t)atoi(argv[1]);
	shared.title.assign(reinterpret_cast<unsigned char *>(argv[0]), some);
	shared.value = new int(0);
	source.value = new int(0);
	pointers[3] = new int(0);
	memcpy(box.raw + 16, pointers, some);
	std::thread a(text_worker), b(text_worker);
	std::thread c(array_worker), d(array_worker);
	std::thread e(union_worker), f(union_worker);
	std::thread g(walk_worker), h(count_worker);
	a.join();
	b.join();
	c.join();
	d.join();
	e.join();
	f.join();
	g.join();
	h.join();
	return argc;
}
/*
 * only: strings.cc
 * race: SHARED-SHARED
 * race: NAMED-NAMED
 * race: UNION-UNION
 * race: WALK-COUNT
 * may: WALK-WALK
 * no: OWN-SHARED: no-alias
 */
