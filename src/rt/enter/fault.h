/*
 * fault.h: instructions that fault. If the mode has a fault function, the kernel calls it instead of the program's
 * handlers, which it must emulate.
 */
#ifndef RT_ENTER_FAULT_H
#define RT_ENTER_FAULT_H

/* From here on, fault signals go to entrance.mode->fault, on the stack for handlers; so does a fault within that
 * function. */
void fault_start(void);

#endif
