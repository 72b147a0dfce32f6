/*
 * place.h: fixed places in the address space of a controlled program, far from what the kernel chooses without
 * randomisation. Their lower 44 bits all differ: detect/shadow.c relies on it. rt/tally.h has one more.
 */
#ifndef RT_PLACE_H
#define RT_PLACE_H

#define PLACE_HEAP 0x110000000000ul /* malloc */
#define PLACE_HEAP_ROOM 0x040000000000ul
#define PLACE_MAPPINGS 0x260000000000ul /* the program's mmap */
#define PLACE_MAPPINGS_ROOM 0x080000000000ul
/* What does not fit there: address space that the program reserves, far more than it uses. It has no shadow. */
#define PLACE_RESERVED 0x560000000000ul
#define PLACE_RESERVED_ROOM 0x290000000000ul
#define PLACE_WORLD 0x300000000000ul /* ours */
#define PLACE_WORLD_END 0x550000000000ul

#endif
