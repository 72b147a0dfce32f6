/*
 * calls_ioctl.c: ioctl. Most requests carry the size of what they point to and the direction (asm-generic/ioctl.h):
 * that is what the kernel writes, unless a list here knows better. Requests that carry nothing are known by the list or
 * declined, as by a device that does not have them; so are drivers whose structures hold pointers to more, or which map memory.
 */
#include <errno.h>
#include <linux/blkpg.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/hdreg.h>
#include <linux/if_arp.h>
#include <linux/if_tun.h>
#include <linux/serial.h>
#include <linux/sockios.h>
#include <linux/termios.h>

#include "world/kernel/calls_priv.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* struct termios, as the kernel has it; libc's is another. */
#define TERMIOS_SIZE 36
#define TERMIO_SIZE 18
#define IFREQ sizeof(struct ifreq)

/* Requests that say nothing about themselves, or the wrong thing; the size is what the kernel writes. */
static const struct request {
	uint32_t request;
	uint16_t size;
} requests[] = {
	/* Terminals. */
	{ TCGETS, TERMIOS_SIZE },
	{ TCSETS, 0 },
	{ TCSETSW, 0 },
	{ TCSETSF, 0 },
	{ TCGETA, TERMIO_SIZE },
	{ TCSETA, 0 },
	{ TCSETAW, 0 },
	{ TCSETAF, 0 },
	{ TCSBRK, 0 },
	{ TCSBRKP, 0 },
	{ TCXONC, 0 },
	{ TCFLSH, 0 },
	{ TIOCEXCL, 0 },
	{ TIOCNXCL, 0 },
	{ TIOCSCTTY, 0 },
	{ TIOCNOTTY, 0 },
	{ TIOCGPGRP, sizeof(int) },
	{ TIOCSPGRP, 0 },
	{ TIOCGSID, sizeof(int) },
	{ TIOCOUTQ, sizeof(int) },
	{ TIOCSTI, 0 },
	{ TIOCGWINSZ, sizeof(struct winsize) },
	{ TIOCSWINSZ, 0 },
	{ TIOCMGET, sizeof(int) },
	{ TIOCMBIS, 0 },
	{ TIOCMBIC, 0 },
	{ TIOCMSET, 0 },
	{ TIOCMIWAIT, 0 },
	{ TIOCGSOFTCAR, sizeof(int) },
	{ TIOCSSOFTCAR, 0 },
	{ FIONREAD, sizeof(int) },
	{ TIOCCONS, 0 },
	{ TIOCGSERIAL, sizeof(struct serial_struct) },
	{ TIOCSSERIAL, 0 },
	{ TIOCGRS485, sizeof(struct serial_rs485) },
	{ TIOCSRS485, sizeof(struct serial_rs485) },
	{ TIOCPKT, 0 },
	{ TIOCSETD, 0 },
	{ TIOCGETD, sizeof(int) },
	{ TIOCSBRK, 0 },
	{ TIOCCBRK, 0 },
	{ TIOCVHANGUP, 0 },
	{ TIOCGPTPEER, 0 },
	{ TIOCGLCKTRMIOS, TERMIOS_SIZE },
	{ TIOCSLCKTRMIOS, 0 },
	{ TIOCGICOUNT, sizeof(struct serial_icounter_struct) },
	/* Any descriptor. */
	{ FIONBIO, 0 },
	{ FIOASYNC, 0 },
	{ FIOCLEX, 0 },
	{ FIONCLEX, 0 },
	{ FIOQSIZE, sizeof(int64_t) },
	{ FIBMAP, sizeof(int) },
	{ FIGETBSZ, sizeof(int) },
	/* Declared with long, written as int. */
	{ FS_IOC_GETFLAGS, sizeof(int) },
	{ FS_IOC_GETVERSION, sizeof(int) },
	{ BLKBSZGET, sizeof(int) },
	/* Sockets and interfaces. */
	{ FIOSETOWN, 0 },
	{ SIOCSPGRP, 0 },
	{ FIOGETOWN, sizeof(int) },
	{ SIOCGPGRP, sizeof(int) },
	{ SIOCATMARK, sizeof(int) },
	{ SIOCOUTQNSD, sizeof(int) },
	{ SIOCGSTAMP_OLD, 16 },
	{ SIOCGSTAMPNS_OLD, 16 },
	{ SIOCGIFNAME, IFREQ },
	{ SIOCGIFFLAGS, IFREQ },
	{ SIOCGIFADDR, IFREQ },
	{ SIOCGIFDSTADDR, IFREQ },
	{ SIOCGIFBRDADDR, IFREQ },
	{ SIOCGIFNETMASK, IFREQ },
	{ SIOCGIFMETRIC, IFREQ },
	{ SIOCGIFMTU, IFREQ },
	{ SIOCGIFHWADDR, IFREQ },
	{ SIOCGIFINDEX, IFREQ },
	{ SIOCGIFTXQLEN, IFREQ },
	{ SIOCGIFMAP, IFREQ },
	{ SIOCSIFFLAGS, 0 },
	{ SIOCSIFADDR, 0 },
	{ SIOCSIFDSTADDR, 0 },
	{ SIOCSIFBRDADDR, 0 },
	{ SIOCSIFNETMASK, 0 },
	{ SIOCSIFMETRIC, 0 },
	{ SIOCSIFMTU, 0 },
	{ SIOCSIFNAME, IFREQ },
	{ SIOCSIFHWADDR, 0 },
	{ SIOCSIFTXQLEN, 0 },
	{ SIOCADDMULTI, 0 },
	{ SIOCDELMULTI, 0 },
	{ SIOCADDRT, 0 },
	{ SIOCDELRT, 0 },
	{ SIOCGARP, sizeof(struct arpreq) },
	{ SIOCSARP, 0 },
	{ SIOCDARP, 0 },
	{ TUNSETIFF, IFREQ },
	{ TUNGETIFF, IFREQ },
	{ TUNSETPERSIST, 0 },
	{ TUNSETOWNER, 0 },
	/* Disks. */
	{ BLKROSET, 0 },
	{ BLKROGET, sizeof(int) },
	{ BLKRRPART, 0 },
	{ BLKGETSIZE, sizeof(long) },
	{ BLKFLSBUF, 0 },
	{ BLKRASET, 0 },
	{ BLKRAGET, sizeof(long) },
	{ BLKSECTGET, sizeof(short) },
	{ BLKSSZGET, sizeof(int) },
	{ BLKDISCARD, 0 },
	{ BLKSECDISCARD, 0 },
	{ BLKZEROOUT, 0 },
	{ BLKIOMIN, sizeof(int) },
	{ BLKIOOPT, sizeof(int) },
	{ BLKALIGNOFF, sizeof(int) },
	{ BLKPBSZGET, sizeof(int) },
	{ BLKDISCARDZEROES, sizeof(int) },
	{ BLKROTATIONAL, sizeof(short) },
	{ HDIO_GETGEO, sizeof(struct hd_geometry) },
};

static const struct request *request_of(uint32_t request)
{
	for (size_t i = 0; i < LENGTH(requests); i++)
		if (requests[i].request == request)
			return &requests[i];
	return NULL;
}

/* Whether what the request points to holds pointers to more, has no fixed length, or the driver maps memory. */
static bool is_deep(uint32_t request)
{
	switch (_IOC_TYPE(request)) {
	case 'A': /* sound */
	case 'C': /* sound, capi */
	case 'H': /* human interface devices */
	case 'M': /* flash */
	case 'N': /* nvme */
	case 'O': /* flash, too, and 'o' */
	case 'S': /* scsi, cd-rom */
	case 'U': /* usb */
	case 'V': /* video */
	case 'b': /* binder, dma-buf */
	case 'd': /* graphics */
	case 'k': /* spi */
	case 'o':
	case '|':  /* media */
	case ';':  /* vfio */
	case 0xaa: /* userfaultfd */
	case 0xae: /* kvm */
	case 0xaf: /* vhost */
	case 0xb3: /* mmc */
	case 0xfd: /* device mapper */
		return true;
	case 0x94: /* btrfs, which gave some to all file systems */
		return request != FICLONE && request != FICLONERANGE && request != FIDEDUPERANGE;
	case 'E': /* EVIOCSFF, EVIOCGMASK, EVIOCSMASK */
		return _IOC_NR(request) == 0x80 || _IOC_NR(request) == 0x92 || _IOC_NR(request) == 0x93;
	case 'T':
		return request == TUNATTACHFILTER || request == TUNDETACHFILTER || request == TUNGETFILTER;
	case 'f':
		/* PAGEMAP_SCAN, PROCMAP_QUERY, FS_IOC_GET_ENCRYPTION_POLICY_EX, FS_IOC_MEASURE_VERITY and after it. */
		return _IOC_NR(request) == 16 || _IOC_NR(request) == 17 || _IOC_NR(request) == 22 ||
		       (_IOC_NR(request) >= 134 && _IOC_NR(request) <= 135);
	}
	return false;
}

struct verdict ioctl_verdict(uint32_t request)
{
	if (request_of(request) || request == SIOCGIFCONF)
		return taken(CALL_OUTSIDE);
	if (_IOC_DIR(request) == _IOC_NONE)
		return declined(ENOTTY, "the request is unknown, and its number does not tell what it writes");
	if (is_deep(request))
		return declined(ENOTTY, "the argument contains pointers to more memory, or has no fixed length");
	return taken(CALL_OUTSIDE);
}

static void interfaces(const struct outputs *outputs)
{
	struct ifconf *list = pointer(outputs, 2);
	piece(outputs, &list->ifc_len, sizeof list->ifc_len);
	if (list->ifc_len > 0)
		piece(outputs, list->ifc_buf, (size_t)list->ifc_len);
}

static void extents(const struct outputs *outputs)
{
	struct fiemap *map = pointer(outputs, 2);
	if (outputs->result < 0 && outputs->result != -EBADR)
		return;
	piece(outputs, map, sizeof *map);
	piece(outputs, map->fm_extents,
	      smaller(map->fm_mapped_extents, map->fm_extent_count) * sizeof map->fm_extents[0]);
}

static void duplicates(const struct outputs *outputs)
{
	struct file_dedupe_range *range = pointer(outputs, 2);
	piece(outputs, range, sizeof *range + range->dest_count * sizeof range->info[0]);
}

void ioctl_outputs(const struct outputs *outputs)
{
	uint32_t request = (uint32_t)outputs->arguments[1];
	const struct request *known = request_of(request);

	if (request == FS_IOC_FIEMAP)
		extents(outputs);
	else if (outputs->result < 0)
		return;
	else if (request == SIOCGIFCONF)
		interfaces(outputs);
	else if (request == FIDEDUPERANGE)
		duplicates(outputs);
	else if (known)
		fixed(outputs, 2, known->size);
	else if (_IOC_DIR(request) & _IOC_READ)
		fixed(outputs, 2, _IOC_SIZE(request));
}
