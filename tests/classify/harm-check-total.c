/*
 * An export whose total must be right, by the check that comes with it. The exit status does not tell.
 */
#include <pthread.h>
#include <stdio.h>

enum { WRITERS = 2, ROWS = 2 };

static volatile int exported_rows;

static void *export_rows(void *unused)
{
	for (int i = 0; i < ROWS; i++) {
		int rows = exported_rows; /*A*/
		exported_rows = rows + 1; /*B*/
	}
	return unused;
}

int main(void)
{
	pthread_t threads[WRITERS];
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, export_rows, NULL);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	printf("rows %d\n", exported_rows);
	return 0;
}
/*
 * check: grep -qx rows.4
 * expect: race A B class spec-violated
 * expect: race B B class spec-violated
 * why: a lost row makes the total wrong, which the check says is a failure.
 */
