/*
 * Mozilla bug 61369: a new thread uses its own handle before the creator has stored it.
 *
 * nsThread::Init() assigned what PR_CreateThread() returned to mThread. The new thread's Main() asks the object for
 * mThread, and may do so before the creator gets to the assignment. Described by Lu and others in their study (ASPLOS
 * 2008); Anticipating Invariants, table 1, W-R order.
 */
#include <cstdio>
#include <pthread.h>

struct handle {
	const char *name = "worker";
	int state = 0;
};

class thread_object
{
      public:
	void init();
	void join();
	int state_seen = -1;

      private:
	static void *main(void *argument);
	handle *create_thread();
	handle *get_handle();

	pthread_t native = {};
	handle storage;
	handle *mine = nullptr;
#ifdef FIXED
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards mine
#endif
};

handle *thread_object::get_handle()
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	handle *found = mine;
	pthread_mutex_unlock(&lock);
	return found;
#else
	return mine; /*B*/
#endif
}

void *thread_object::main(void *argument)
{
	thread_object *self = static_cast<thread_object *>(argument);
	handle *own = self->get_handle();
	own->state = 1;
	self->state_seen = own->state;
	return nullptr;
}

handle *thread_object::create_thread()
{
	pthread_create(&native, nullptr, main, this);
	return &storage;
}

void thread_object::init()
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	mine = create_thread(); /*A*/
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

void thread_object::join()
{
	pthread_join(native, nullptr);
}

int main()
{
	thread_object thread;
	thread.init();
	thread.join();
	std::printf("state %d\n", thread.state_seen);
	return 0;
}
/*
 * pattern: order
 * finds: crash data-race
 * race: A B
 * options: -std=c++17
 * source: Lu and others (ASPLOS 2008); Anticipating Invariants table 1, W-R order; Mozilla 61369
 */
