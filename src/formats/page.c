/* page.c: see page.h. The assembler reads the files, from the root of the repository, where make runs. */
#include "formats/page.h"

#define EMBED(name, file)                                                                                              \
	__asm__(".pushsection .rodata\n"                                                                               \
		".globl " name "\n"                                                                                    \
		".hidden " name "\n" name ":\n"                                                                        \
		".incbin \"src/formats/" file "\"\n"                                                                   \
		".byte 0\n"                                                                                            \
		".popsection\n")

EMBED("report_page_html", "page.html");
EMBED("report_page_style", "page.css");
EMBED("report_page_script", "page.js");
