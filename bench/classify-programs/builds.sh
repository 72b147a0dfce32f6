# builds.sh: how bench/classify-real builds its programs and runs them. Source it after bench/lib.sh.
#   package NAME   the Debian source packages of it, one a line, each with its release, if that is not the one here
#   build_NAME     in a copy of the first source; the others are in the folders $source_2...
#   run_NAME       calls examine for each command that is tested

drivers=$top/bench/classify-programs

package() {
	case $1 in
	pbzip2 | memcached | sqlite3 | redis | mosquitto | liburcu) echo "$1" ;;
	libuv) echo libuv1 trixie ;;
	apr) printf '%s\n' apr apr-util ;;
	esac
}

build_pbzip2() {
	make CXX="$bin/heddle-c++" CXXFLAGS="-O1 -g -std=c++98 -pthread -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION"
}
build_memcached() {
	"$bin/heddle-cc" -O1 -g -Wall -pthread -c "$drivers/client.c" -o client.o
	./configure CC="$bin/heddle-cc" CFLAGS="-O1 -g" --disable-dependency-tracking
	# -Wno-error: memcached makes warnings errors, and is older than this clang.
	make -j2 CFLAGS="-O1 -g -pthread -Wno-error" LIBS="$PWD/client.o -levent" memcached
}
build_sqlite3() {
	./configure --disable-shared --disable-readline --with-tcl="$(dirname "$(find /usr/lib -name tclConfig.sh | head -n 1)")"
	make sqlite3.c
	"$bin/heddle-cc" -O1 -g -pthread -DSQLITE_THREADSAFE=1 -I. "$drivers/sqlite3.c" sqlite3.c -o driver -ldl -lm
}
build_redis() {
	"$bin/heddle-cc" -O1 -g -Wall -pthread -c "$drivers/client.c" -o client.o
	make -C src -j2 CC="$bin/heddle-cc" CXX="$bin/heddle-c++" MALLOC=libc OPTIMIZATION=-O1 BUILD_WITH_SYSTEMD=no USE_SYSTEMD=no \
		LDFLAGS="$PWD/client.o" redis-server
}
build_mosquitto() {
	make -C lib -j2 CC="$bin/heddle-cc" CFLAGS="-O1 -g -pthread" WITH_TLS=no WITH_SRV=no WITH_SHARED_LIBRARIES=no \
		WITH_STATIC_LIBRARIES=yes libmosquitto.a
	"$bin/heddle-cc" -O1 -g -Wall -pthread -Iinclude "$drivers/mosquitto.c" lib/libmosquitto.a -o driver
}
build_liburcu() {
	./configure CC="$bin/heddle-cc" CFLAGS="-O1 -g" --disable-shared --disable-dependency-tracking
	# What autoconf made is there, and may look older than what it was made from.
	find . -name Makefile.in -exec touch {} +
	make -j2 AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: -C include
	make -j2 AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: -C src
	"$bin/heddle-cc" -O1 -g -Wall -pthread -DRCU_MB -Iinclude "$drivers/liburcu.c" src/.libs/liburcu-cds.a src/.libs/liburcu-mb.a \
		src/.libs/liburcu-common.a -o driver
}
build_apr() {
	./configure CC="$bin/heddle-cc" CFLAGS="-O1 -g" --disable-shared --enable-static --prefix="$PWD/built"
	make -j2
	cp -a "$source_2" util
	# Of APR-util, what has to do with threads; configure makes its headers.
	(cd util && ./configure CC=clang-19 --with-apr="$PWD/.." --with-expat=/usr)
	"$bin/heddle-cc" -O1 -g -Wall -pthread -D_GNU_SOURCE -Iinclude -Iutil/include -Iutil/include/private "$drivers/apr.c" \
		util/misc/apr_{thread_pool,queue,reslist}.c .libs/libapr-1.a -luuid -lcrypt -ldl -o driver
}
build_libuv() {
	mkdir built
	cd built
	cmake .. -DCMAKE_C_COMPILER="$bin/heddle-cc" -DCMAKE_C_FLAGS="-O1 -g" -DLIBUV_BUILD_BENCH=OFF -DBUILD_TESTING=ON
	make -j2 uv_run_tests_a
}

# server NAME COMMAND...: a server with two clients, whose scripts are NAME.1 and NAME.2 beside the drivers.
server() {
	local name=$1
	shift
	cp "$drivers/$name.1" "$drivers/$name.2" "$folder.run"
	CLIENT_SCRIPTS="$name.1 $name.2" examine --output ignore -- "$@"
}

run_pbzip2() {
	awk 'BEGIN { srand(7); for (i = 0; i < 10000; i++) printf "%d %x line %d\n", i, rand() * 16777216, i % 97 }' </dev/null >"$folder.run/data"
	"$folder/pbzip2" -k -c -p2 -b1 "$folder.run/data" >"$folder.run/data.bz2"
	examine -- "$folder/pbzip2" -k -c -p2 -b1 data
	examine -- "$folder/pbzip2" -v -f -k -p2 -b1 data
	examine -- "$folder/pbzip2" -d -k -c -p2 data.bz2
	# A file that is cut off: its threads end in the middle of their work.
	head -c 60000 "$folder.run/data.bz2" >"$folder.run/cut.bz2"
	examine --check /bin/true -- "$folder/pbzip2" -d -k -c -p2 cut.bz2
}
run_memcached() {
	export CLIENT_PORT CLIENT_LAST=shutdown~
	CLIENT_PORT=$("$top/tests/lib/port")
	server memcached "$folder/memcached" -u root -A -l 127.0.0.1 -p "$CLIENT_PORT" -U 0 -t 2 -m 8
}
run_sqlite3() {
	examine -- "$folder/driver" shared
	examine -- "$folder/driver" wal
}
run_redis() {
	export CLIENT_PORT CLIENT_LAST="SHUTDOWN NOSAVE~"
	CLIENT_PORT=$("$top/tests/lib/port")
	server redis "$folder/src/redis-server" --port "$CLIENT_PORT" --bind 127.0.0.1 --save "" --daemonize no --io-threads 2 \
		--io-threads-do-reads yes --lazyfree-lazy-user-del yes
}
run_mosquitto() {
	examine -- "$folder/driver"
}
run_liburcu() {
	examine -- "$folder/driver"
}
run_apr() {
	local part
	for part in pool queue reslist; do
		examine -- "$folder/driver" $part
	done
}
run_libuv() {
	local name
	# A name that is given twice is not run in a process of its own. The output of a test may have times.
	for name in threadpool_queue_work_simple threadpool_cancel_work thread_rwlock_trylock condvar_2 async signal_multiple_loops; do
		UV_RUN_AS_ROOT=1 examine --output ignore -- "$folder/built/uv_run_tests_a" "$name" "$name"
	done
}
