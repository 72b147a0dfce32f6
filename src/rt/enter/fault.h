/*
 * fault.h: instructions that fault. For a mode that has a function for it, the kernel calls that one instead of the program's
 * handlers, which it has to stand in for.
 */
#ifndef RT_ENTER_FAULT_H
#define RT_ENTER_FAULT_H

/* From here on, fault signals go to entrance.mode->fault, on the stack for handlers; so does a fault within that
 * function. */
void fault_start(void);

#endif
