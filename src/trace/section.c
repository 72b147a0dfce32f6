/* section.c: see section.h. */
#include "trace/section.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"
#include "base/proc.h"
#include "trace/trace.h"

#define CHUNK_ROOM ((size_t)128 << 10)
#define WINDOW_LOG_MAX 27

/* On disk, least significant byte first; the tools run on x86-64 only. */
struct section_header {
	uint32_t kind;
	uint32_t reserved;
	uint64_t size_bytes;
	uint64_t check;
};

struct head {
	char magic[8];
	uint32_t version;
	uint32_t reserved;
};

static const char *const kind_names[SECTION_COUNT] = {
	[SECTION_START] = "start",   [SECTION_REQUEST] = "request", [SECTION_RESULT] = "result",
	[SECTION_BUILDS] = "builds", [SECTION_REPORT] = "report",   [SECTION_LOG] = "log",
	[SECTION_SEAL] = "seal",     [SECTION_END] = "end",
};

/* FNV-1a: enough to detect accidental damage. */
static uint64_t check_of(const struct section_header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	uint64_t check = 0xcbf29ce484222325u;
	for (size_t i = 0; i < offsetof(struct section_header, check); i++)
		check = (check ^ bytes[i]) * 0x100000001b3u;
	return check;
}

static int write_all(struct section_file *file, const void *data, size_t size_bytes, struct err *err)
{
	seal_add(&file->seal, data, size_bytes);
	int code = -proc_write_all(file->fd, data, size_bytes);
	if (code == ENOSPC || code == EDQUOT || code == EFBIG)
		err_hint(err, "free some disk space, or write the trace to another disk");
	return code ? err_set(err, code, "cannot write the trace \"%s\": %s", file->path, strerror(code)) : 0;
}

/* Returns how many bytes there were, at most size_bytes, or a negative errno with err set. */
static int64_t read_some(struct section_file *file, void *data, size_t size_bytes, struct err *err)
{
	size_t size = 0;
	while (size < size_bytes) {
		ssize_t got = read(file->fd, (char *)data + size, size_bytes - size);
		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return err_set(err, errno, "cannot read \"%s\": %s", file->path, strerror(errno));
		if (got > 0)
			size += (size_t)got;
	}
	seal_add(&file->seal, data, size);
	return (int64_t)size;
}

static int cut_short(const struct section_file *file, enum section_kind kind, struct err *err)
{
	err_hint(err, "copy it again from its origin, or record it again with heddle run --trace");
	return err_set(err, EINVAL, "the trace \"%s\" is truncated: it ends in its section \"%s\"", file->path,
		       kind_names[kind]);
}

int section_damaged(const struct section_file *file, enum section_kind kind, const char *what, struct err *err)
{
	err_hint(err, "copy it again from its origin, or record it again with heddle run --trace");
	return err_set(err, EINVAL, "the trace \"%s\" is damaged: its section \"%s\" %s", file->path, kind_names[kind],
		       what);
}

int section_write_head(struct section_file *file, struct err *err)
{
	struct head head = { .version = TRACE_VERSION };
	seal_begin(&file->seal);
	memcpy(head.magic, TRACE_MAGIC, sizeof head.magic);
	return write_all(file, &head, sizeof head, err);
}

int section_read_head(struct section_file *file, struct err *err)
{
	struct head head = { .version = 0 };
	seal_begin(&file->seal);
	int64_t got = read_some(file, &head, sizeof head, err);
	if (got < 0)
		return (int)got;
	if (got == 0 || memcmp(head.magic, TRACE_MAGIC, sizeof head.magic) != 0) {
		err_hint(err, "specify a file that was written by heddle run --trace FILE");
		return err_set(err, EINVAL, "\"%s\" is not a trace%s", file->path, got == 0 ? ": it is empty" : "");
	}
	if (got < (int64_t)sizeof head)
		return cut_short(file, SECTION_START, err);
	if (head.version != TRACE_VERSION) {
		err_hint(err, "use the version of Heddle that recorded it, or record it again with heddle run "
			      "--trace");
		return err_set(err, EINVAL, "the trace \"%s\" has format version %u; this Heddle reads version %u",
			       file->path, (unsigned)head.version, TRACE_VERSION);
	}
	return 0;
}

/* Chunks: a size of 32 bits, not 0, and the bytes. */
static int write_chunk(struct section_file *file, const void *data, size_t size_bytes, struct err *err)
{
	uint32_t size = (uint32_t)size_bytes;
	int code = size ? write_all(file, &size, sizeof size, err) : 0;
	return code == 0 ? write_all(file, data, size_bytes, err) : code;
}

struct writer {
	ZSTD_CCtx *zstd;
	unsigned char in[CHUNK_ROOM], out[CHUNK_ROOM];
};

static int compress_all(struct writer *self, struct section_file *file, uint64_t size_bytes, section_source *source,
			void *context, struct err *err)
{
	bool is_over = false;
	uint64_t total = 0;
	while (!is_over) {
		int64_t got = source(context, self->in, sizeof self->in, err);
		if (got < 0)
			return (int)got;
		total += (uint64_t)got;
		is_over = got == 0;
		ZSTD_inBuffer in = { self->in, (size_t)got, 0 };
		size_t left;
		do {
			ZSTD_outBuffer out = { self->out, sizeof self->out, 0 };
			left = ZSTD_compressStream2(self->zstd, &out, &in, is_over ? ZSTD_e_end : ZSTD_e_continue);
			if (ZSTD_isError(left))
				return err_set(err, EIO, "cannot compress the trace: %s", ZSTD_getErrorName(left));
			int code = write_chunk(file, self->out, out.pos, err);
			if (code < 0)
				return code;
		} while (in.pos < in.size || (is_over && left));
	}
	uint32_t none = 0;
	if (total != size_bytes)
		return err_set(err, EIO, "cannot write the trace \"%s\": the log has changed in the meantime",
			       file->path);
	return write_all(file, &none, sizeof none, err);
}

int section_write(struct section_file *file, enum section_kind kind, uint64_t size_bytes, section_source *source,
		  void *context, struct err *err)
{
	struct section_header header = { .kind = kind, .size_bytes = size_bytes };
	if (kind != file->written + 1)
		BUG("section %u of a trace is written behind section %u", kind, file->written);
	file->written = kind;
	header.check = check_of(&header);
	int code = write_all(file, &header, sizeof header, err);
	if (code < 0 || kind == SECTION_END)
		return code;
	struct writer *writer = mem_alloc(sizeof *writer);
	writer->zstd = ZSTD_createCCtx();
	if (writer->zstd) {
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
		code = compress_all(writer, file, size_bytes, source, context, err);
	} else {
		code = err_set(err, ENOMEM, "cannot compress the trace: out of memory");
	}
	ZSTD_freeCCtx(writer->zstd);
	free(writer);
	return code;
}

struct reader {
	struct section_file *file;
	enum section_kind kind;
	ZSTD_DCtx *zstd;
	section_sink *sink;
	void *context;
	uint64_t size_bytes, total; /* as the header says, and so far */
	bool is_frame_over;
	unsigned char in[CHUNK_ROOM], out[CHUNK_ROOM];
};

static int decompress_chunk(struct reader *self, size_t size, struct err *err)
{
	ZSTD_inBuffer in = { self->in, size, 0 };
	bool is_full = false;
	/* When the output was filled, more may be held back although all of the input was taken. */
	while (in.pos < in.size || is_full) {
		if (self->is_frame_over && in.pos < in.size)
			return section_damaged(self->file, self->kind, "continues after its end", err);
		ZSTD_outBuffer out = { self->out, sizeof self->out, 0 };
		size_t left = ZSTD_decompressStream(self->zstd, &out, &in);
		if (ZSTD_isError(left))
			return section_damaged(self->file, self->kind,
					       ZSTD_getErrorCode(left) == ZSTD_error_checksum_wrong
						       ? "does not match its checksum"
						       : "cannot be decompressed",
					       err);
		self->is_frame_over = left == 0;
		is_full = out.pos == out.size && left != 0;
		self->total += out.pos;
		if (self->total > self->size_bytes)
			return section_damaged(self->file, self->kind, "is larger than declared", err);
		int64_t taken = out.pos ? self->sink(self->context, self->out, out.pos, err) : 0;
		if (taken < 0)
			return (int)taken;
	}
	return 0;
}

static int read_chunks(struct reader *self, struct err *err)
{
	for (;;) {
		uint32_t size;
		int64_t got = read_some(self->file, &size, sizeof size, err);
		if (got < 0)
			return (int)got;
		if (got < (int64_t)sizeof size)
			return cut_short(self->file, self->kind, err);
		if (size == 0)
			break;
		if (size > sizeof self->in)
			return section_damaged(self->file, self->kind, "has a part with an impossible size", err);
		got = read_some(self->file, self->in, size, err);
		if (got < 0)
			return (int)got;
		if (got < (int64_t)size)
			return cut_short(self->file, self->kind, err);
		int code = decompress_chunk(self, size, err);
		if (code < 0)
			return code;
	}
	if (!self->is_frame_over || self->total != self->size_bytes)
		return section_damaged(self->file, self->kind, "ends too early", err);
	return 0;
}

static int read_header(struct section_file *file, enum section_kind kind, struct section_header *header,
		       struct err *err)
{
	int64_t got = read_some(file, header, sizeof *header, err);
	if (got < 0)
		return (int)got;
	if (got < (int64_t)sizeof *header)
		return cut_short(file, kind, err);
	if (header->check != check_of(header) || header->kind != (uint32_t)kind)
		return section_damaged(file, kind, "starts at an unexpected offset", err);
	return 0;
}

int section_read(struct section_file *file, enum section_kind kind, uint64_t limit_bytes, section_sink *sink,
		 void *context, struct err *err)
{
	struct section_header header;
	int code = read_header(file, kind, &header, err);
	if (code < 0)
		return code;
	if (header.size_bytes > limit_bytes)
		return section_damaged(file, kind, "is too large", err);
	struct reader *reader = mem_alloc(sizeof *reader);
	*reader = (struct reader){ .file = file, .kind = kind, .sink = sink, .context = context };
	reader->size_bytes = header.size_bytes;
	reader->zstd = ZSTD_createDCtx();
	if (reader->zstd) {
		ZSTD_DCtx_setParameter(reader->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
		code = read_chunks(reader, err);
	} else {
		code = err_set(err, ENOMEM, "cannot decompress the trace: out of memory");
	}
	ZSTD_freeDCtx(reader->zstd);
	free(reader);
	return code;
}

static int64_t from_mark(void *context, void *bytes, size_t room, struct err *err)
{
	const uint8_t **mark = context;
	(void)room; /* that of a chunk: larger */
	(void)err;
	if (!*mark)
		return 0;
	memcpy(bytes, *mark, SEAL_SIZE);
	*mark = NULL;
	return SEAL_SIZE;
}

int section_write_seal(struct section_file *file, struct err *err)
{
	struct seal seal = file->seal;
	uint8_t mark[SEAL_SIZE];
	const uint8_t *source = mark;
	seal_end(&seal, mark);
	return section_write(file, SECTION_SEAL, SEAL_SIZE, from_mark, &source, err);
}

int64_t section_to_buf(void *context, const void *bytes, size_t size_bytes, struct err *err)
{
	(void)err;
	buf_add(context, bytes, size_bytes);
	return 0;
}

int section_read_seal(struct section_file *file, uint8_t mark[SEAL_SIZE], bool *is_own, struct err *err)
{
	struct seal seal = file->seal;
	struct buf there = { 0 };
	seal_end(&seal, mark);
	int code = section_read(file, SECTION_SEAL, SEAL_SIZE, section_to_buf, &there, err);
	if (code == 0 && there.size != SEAL_SIZE)
		code = section_damaged(file, SECTION_SEAL, "is invalid", err);
	*is_own = code == 0 && seal_is_same(mark, (const uint8_t *)there.data);
	buf_release(&there);
	return code;
}

int section_read_end(struct section_file *file, struct err *err)
{
	struct section_header header;
	char more;
	int code = read_header(file, SECTION_END, &header, err);
	int64_t got = code < 0 ? code : read_some(file, &more, 1, err);
	return got > 0 ? section_damaged(file, SECTION_END, "is followed by unexpected data", err) : (int)got;
}
