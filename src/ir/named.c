/* named.c: see named.h. */
#include "ir/named.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

/* Names that begin so: the first argument, and for waits the second one as well. */
static const struct {
	const char *prefix;
	enum heddle_named first;
	unsigned size_bytes;      /* of the first: which member of a structure it is */
	enum heddle_named second; /* 0: none */
} families[] = {
	{ "pthread_mutex_", HEDDLE_NAMED_LOCK, sizeof(pthread_mutex_t), 0 },
	{ "pthread_rwlock_", HEDDLE_NAMED_LOCK, sizeof(pthread_rwlock_t), 0 },
	{ "pthread_spin_", HEDDLE_NAMED_LOCK, sizeof(pthread_spinlock_t), 0 },
	{ "pthread_cond_wait", HEDDLE_NAMED_CONDITION, sizeof(pthread_cond_t), HEDDLE_NAMED_LOCK },
	{ "pthread_cond_timedwait", HEDDLE_NAMED_CONDITION, sizeof(pthread_cond_t), HEDDLE_NAMED_LOCK },
	{ "pthread_cond_clockwait", HEDDLE_NAMED_CONDITION, sizeof(pthread_cond_t), HEDDLE_NAMED_LOCK },
	{ "pthread_cond_", HEDDLE_NAMED_CONDITION, sizeof(pthread_cond_t), 0 },
	{ "pthread_barrier_", HEDDLE_NAMED_BARRIER, sizeof(pthread_barrier_t), 0 },
	{ "pthread_once", HEDDLE_NAMED_ONCE, sizeof(pthread_once_t), 0 },
	{ "mtx_", HEDDLE_NAMED_LOCK, sizeof(pthread_mutex_t), 0 },
	{ "cnd_wait", HEDDLE_NAMED_CONDITION, sizeof(pthread_cond_t), HEDDLE_NAMED_LOCK },
	{ "cnd_timedwait", HEDDLE_NAMED_CONDITION, sizeof(pthread_cond_t), HEDDLE_NAMED_LOCK },
	{ "cnd_", HEDDLE_NAMED_CONDITION, sizeof(pthread_cond_t), 0 },
	{ "call_once", HEDDLE_NAMED_ONCE, sizeof(pthread_once_t), 0 },
	{ "sem_", HEDDLE_NAMED_SEMAPHORE, sizeof(sem_t), 0 },
};

static bool is_pointer(LLVMValueRef call, unsigned argument)
{
	return argument < LLVMGetNumArgOperands(call) &&
	       LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, argument))) == LLVMPointerTypeKind;
}

unsigned named_find(LLVMValueRef instruction, struct named found[NAMED_MOST])
{
	unsigned count = 0;
	size_t size;
	LLVMValueRef callee =
		LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
	if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
		return 0;
	const char *name = LLVMGetValueName2(callee, &size);
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		if (strncmp(name, families[i].prefix, strlen(families[i].prefix)) != 0)
			continue;
		if (is_pointer(instruction, 0))
			found[count++] = (struct named){ LLVMGetOperand(instruction, 0), families[i].first,
							 families[i].size_bytes };
		if (families[i].second && is_pointer(instruction, 1))
			found[count++] = (struct named){ LLVMGetOperand(instruction, 1), families[i].second,
							 sizeof(pthread_mutex_t) };
		break;
	}
	return count;
}
