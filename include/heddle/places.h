/*
 * places.h: fixed places in the address space of a controlled program, far from what the kernel chooses without
 * randomisation. Their lower 44 bits all differ: detect/shadow.c relies on it. heddle doctor tries whether they are free.
 */
#ifndef HEDDLE_PLACES_H
#define HEDDLE_PLACES_H

#define PLACE_TALLY 0x7fff0000ul /* in the lowest 2 GB, which an instruction can name from anywhere: rt/tally.h */
#define PLACE_TALLY_ROOM 4096ul
#define PLACE_HEAP 0x110000000000ul /* malloc */
#define PLACE_HEAP_ROOM 0x040000000000ul
#define PLACE_MAPPINGS 0x260000000000ul /* the program's mmap */
#define PLACE_MAPPINGS_ROOM 0x080000000000ul
/* For mappings that do not fit there: address space that the program reserves but mostly does not use. It has no shadow. */
#define PLACE_RESERVED 0x560000000000ul
#define PLACE_RESERVED_ROOM 0x290000000000ul
#define PLACE_WORLD 0x300000000000ul /* the runtime's own memory */
#define PLACE_WORLD_END 0x550000000000ul

/* Within that range: the shadow, sixteen bytes for each eight of the program, and one bit for each kilobyte of the shadow. */
#define SHADOW_PLACE 0x310000000000ul
#define SHADOW_ROOM 0x200000000000ul
#define SHADOW_BITS_PLACE (SHADOW_PLACE + SHADOW_ROOM)
#define SHADOW_BITS_ROOM (SHADOW_ROOM >> 7)

#endif
