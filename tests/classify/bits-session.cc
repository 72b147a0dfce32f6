/*
 * A session has its role and marks of the audit in one byte of bit-fields; the auditor writes the marks while requests
 * test the role.
 */
#include <cstdio>
#include <thread>

namespace
{

struct Session {
	unsigned char role : 3;
	unsigned char is_audited : 1;
	unsigned char is_flagged : 1;
};

enum { ROLE_GUEST = 1, ROLE_ADMIN = 5 };

class Server
{
	volatile Session session{ ROLE_ADMIN, 0, 0 };

      public:
	void audit()
	{
		session.is_audited = 1; /*A*/
		session.is_flagged = 1; /*B*/
	}

	int handle() const
	{
		return session.role == ROLE_ADMIN ? 200 : 403; /*C*/
	}

	int marks() const
	{
		return session.is_audited + session.is_flagged;
	}
};

} // namespace

int main()
{
	Server server;
	int statuses[2];
	std::thread auditor([&] { server.audit(); });
	std::thread first([&] { statuses[0] = server.handle(); });
	std::thread second([&] { statuses[1] = server.handle(); });
	auditor.join();
	first.join();
	second.join();
	std::printf("status %d %d, marks %d\n", statuses[0], statuses[1], server.marks());
	return 0;
}
/*
 * expect: race A C class harmless reason disjoint-bits
 * expect: race B C class harmless reason disjoint-bits maybe
 * why: the requests use the bits of the role, which the auditor, the only writer, does not change.
 */
