/* version.c: a note in libheddle.so with the version, for heddle doctor: it can be read without loading the file. */
#include <elf.h>
#include <stdint.h>

static const struct {
	Elf64_Nhdr header;
	char owner[16];
	char version[sizeof HEDDLE_VERSION];
} note __attribute__((aligned(4), used, section(".note.heddle.version"))) = {
	{ sizeof "HeddleRuntime", sizeof HEDDLE_VERSION, 1 },
	"HeddleRuntime",
	HEDDLE_VERSION,
};
