#include <stdio.h>
#include <uv.h>
static uv_work_t req[4];
static int done;
static void work(uv_work_t *r)
{
	r->data = (void *)1;
}
static void after(uv_work_t *r, int s)
{
	done++;
}
int main(void)
{
	for (int i = 0; i < 4; i++)
		uv_queue_work(uv_default_loop(), &req[i], work, after);
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	printf("done %d\n", done);
	return 0;
}
