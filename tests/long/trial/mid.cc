#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
// ordinary worker pool, race on stats counter; then workers carry on
static std::mutex m;
static std::queue<int> q;
static int done_count;
static std::vector<int> out(64);
static void worker()
{
	for (;;) {
		int v;
		{
			std::lock_guard<std::mutex> l(m);
			if (q.empty())
				return;
			v = q.front();
			q.pop();
		}
		done_count++;
		int s = 0;
		std::vector<int> t(200);
		for (int i = 0; i < 200; i++)
			t[i] = v * i;
		for (int x : t)
			s += x;
		out[v] = s;
	}
}
int main()
{
	for (int i = 0; i < 64; i++)
		q.push(i);
	std::vector<std::thread> ts;
	for (int i = 0; i < 3; i++)
		ts.emplace_back(worker);
	for (auto &t : ts)
		t.join();
	printf("%d\n", out[5]);
}
