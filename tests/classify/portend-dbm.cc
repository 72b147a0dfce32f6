/*
 * Portend's DBM, disjoint bit manipulation: threads use different bits of a bit-field.
 */
#include <cstdio>
#include <thread>

namespace
{

struct Status {
	unsigned is_busy : 1;
	unsigned errors : 3;
	unsigned channel : 4;
};

volatile Status status = { 0, 0, 11 };

void run_transfer()
{
	status.is_busy = 1; /*A*/
	status.errors = 2;  /*B*/
	status.is_busy = 0; /*C*/
}

unsigned select_channel()
{
	return status.channel; /*D*/
}

} // namespace

int main()
{
	unsigned channel = 0;
	std::thread transfer(run_transfer);
	std::thread selector([&] { channel = select_channel(); });
	transfer.join();
	selector.join();
	std::printf("channel %u, errors %u\n", channel, status.errors);
	return 0;
}
/*
 * expect: race A D class harmless reason disjoint-bits
 * expect: race B D class harmless reason disjoint-bits maybe
 * expect: race C D class harmless reason disjoint-bits maybe
 * source: Portend DBM
 * why: the bits of the channel are not changed by the one thread that writes the word.
 */
