/*
 * fault.h: instructions that fault. For a mode that has a function for it, the kernel calls that one instead of the program's
 * handlers, which it has to stand in for.
 */
#ifndef RT_ENTER_FAULT_H
#define RT_ENTER_FAULT_H

/* The signals of faults go to entrance.mode->fault from here on, on the stack for handlers; a fault in it comes there, too. */
void fault_start(void);

#endif
