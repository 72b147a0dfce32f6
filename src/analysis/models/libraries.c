/* libraries.c: libraries that programs under test often use and that are not woven with them. */
#include <stddef.h>

#include "analysis/models/models_priv.h"

/* Callbacks of libevent get a descriptor, what happened, and the program's own argument. */
#define ON_EVENT(function, with) LATER(MODEL_PLACE_EVENTS, function, with, 2)
/* In struct event of libevent 2: the base, which programs read. */
#define SET_BASE(event, base) STORE_AT(event, base, 8)

const struct model_names models_libraries[] = {
	/* libevent 2 */
	{ "event_base_new event_base_new_with_config event_init event_config_new evbuffer_new event_base_get_method "
	  "event_get_version evutil_gai_strerror",
	  FLOW(STATIC(R)) },
	{ "event_assign", FLOW(ON_EVENT(4, 5), SET_BASE(0, 1)) },
	{ "event_set", FLOW(ON_EVENT(3, 4)) },
	{ "event_base_set", FLOW(SET_BASE(1, 0)) },
	{ "event_new", FLOW(NEW(R, NO), ON_EVENT(3, 4), SET_BASE(R, 0)) },
	{ "event_base_once", FLOW(ON_EVENT(3, 4)) },
	{ "event_once", FLOW(ON_EVENT(2, 3)) },
	{ "event_get_base", FLOW(STATIC(R)) },
	{ "event_base_loop event_base_dispatch event_dispatch event_loop", FLOW(RUN(MODEL_PLACE_EVENTS)) },
	{ "event_add event_del event_del_block event_del_noblock event_active event_pending event_initialized "
	  "event_free "
	  "event_debug_unassign event_base_free event_base_free_nofinalize event_base_loopbreak event_base_loopexit "
	  "event_base_loopcontinue event_loopbreak event_loopexit event_base_got_exit event_base_got_break "
	  "event_base_priority_init event_priority_set event_reinit event_get_fd event_get_events event_config_free "
	  "event_config_set_flag event_config_avoid_method event_config_require_features "
	  "event_config_set_num_cpus_hint "
	  "event_config_set_max_dispatch_interval event_remove_timer event_base_gettimeofday_cached "
	  "event_base_get_num_events event_enable_debug_mode event_set_log_callback event_set_fatal_callback "
	  "evthread_use_pthreads evutil_* libevent_global_shutdown",
	  PLAIN },
	{ "evbuffer_*", FLOW(COPY(R, 0)) },

	/* zlib, bzip2, lzma, zstd: a stream's pointers stay in the buffers that they were set to. */
	{ "compress compress2 compressBound uncompress uncompress2 crc32 crc32_z crc32_combine adler32 adler32_combine "
	  "deflate deflateInit_ deflateInit2_ deflateEnd deflateReset deflateBound deflateParams deflateSetDictionary "
	  "deflateTune deflatePrime deflateSetHeader inflate inflateInit_ inflateInit2_ inflateEnd inflateReset "
	  "inflateReset2 inflateSync inflateSetDictionary inflateGetHeader inflatePrime gzclose gzread gzwrite gzeof "
	  "gzerror "
	  "gzputs gzgets gzprintf gzseek gztell gzflush gzbuffer gzputc gzgetc gzdirect",
	  PLAIN },
	{ "gzopen gzopen64 gzdopen zlibVersion zError BZ2_bzopen BZ2_bzdopen BZ2_bzReadOpen BZ2_bzWriteOpen "
	  "BZ2_bzlibVersion BZ2_bzerror",
	  FLOW(STATIC(R)) },
	{ "BZ2_bzBuffToBuffCompress BZ2_bzBuffToBuffDecompress BZ2_bzCompressInit BZ2_bzCompress BZ2_bzCompressEnd "
	  "BZ2_bzDecompressInit BZ2_bzDecompress BZ2_bzDecompressEnd BZ2_bzRead BZ2_bzReadClose "
	  "BZ2_bzWrite BZ2_bzWriteClose BZ2_bzWriteClose64 BZ2_bzread BZ2_bzwrite BZ2_bzflush BZ2_bzclose",
	  PLAIN },
	{ "BZ2_bzReadGetUnused", FLOW(NEW_INTO(2)) },
	{ "LZ4_compress_default LZ4_compress_fast LZ4_compressBound LZ4_decompress_safe ZSTD_compress ZSTD_decompress "
	  "ZSTD_compressBound ZSTD_isError ZSTD_compressCCtx ZSTD_decompressDCtx ZSTD_freeCCtx ZSTD_freeDCtx",
	  PLAIN },
	{ "ZSTD_createCCtx ZSTD_createDCtx ZSTD_getErrorName", FLOW(STATIC(R)) },
	{ NULL, PLAIN },
};
