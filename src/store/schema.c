/* schema.c: see schema.h. */
#include "store/schema.h"

const char *const schema_steps[STORE_VERSION] = {
	/* Ids of findings and builds are never used again (AUTOINCREMENT): people write them down, and the order of builds
	 * is that of their first use. */
	"CREATE TABLE build("
	"  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  identity TEXT NOT NULL UNIQUE,"
	"  weave TEXT,"
	"  program TEXT NOT NULL,"
	"  first_used INTEGER NOT NULL,"
	"  last_used INTEGER NOT NULL);"
	"CREATE TABLE subject("
	"  id INTEGER PRIMARY KEY,"
	"  program TEXT NOT NULL,"
	"  arguments TEXT NOT NULL,"
	"  UNIQUE(program, arguments));"
	"CREATE TABLE test("
	"  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  build INTEGER NOT NULL REFERENCES build(id),"
	"  subject INTEGER NOT NULL REFERENCES subject(id),"
	"  strategy TEXT NOT NULL,"
	"  seed INTEGER NOT NULL,"
	"  began INTEGER NOT NULL,"
	"  ended INTEGER,"
	"  schedules INTEGER NOT NULL DEFAULT 0);"
	"CREATE TABLE finding("
	"  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  kind TEXT NOT NULL,"
	"  fingerprint TEXT NOT NULL,"
	"  context TEXT NOT NULL,"
	"  state TEXT NOT NULL CHECK(state IN ('new', 'known', 'fixed', 'suppressed')),"
	"  summary TEXT NOT NULL,"
	"  details TEXT NOT NULL,"
	"  needs TEXT NOT NULL DEFAULT '',"
	"  first_build INTEGER NOT NULL REFERENCES build(id),"
	"  last_build INTEGER NOT NULL REFERENCES build(id),"
	"  first_seen INTEGER NOT NULL,"
	"  last_seen INTEGER NOT NULL,"
	"  unseen INTEGER NOT NULL DEFAULT 0,"
	"  fixed_in INTEGER REFERENCES test(id));"
	"CREATE TABLE site("
	"  finding INTEGER NOT NULL REFERENCES finding(id) ON DELETE CASCADE,"
	"  position INTEGER NOT NULL,"
	"  file TEXT, line INTEGER NOT NULL, column INTEGER NOT NULL,"
	"  function TEXT, variable TEXT, access TEXT, thread INTEGER NOT NULL,"
	"  PRIMARY KEY(finding, position)) WITHOUT ROWID;"
	"CREATE TABLE sighting("
	"  finding INTEGER NOT NULL REFERENCES finding(id) ON DELETE CASCADE,"
	"  test INTEGER NOT NULL REFERENCES test(id),"
	"  key TEXT NOT NULL,"
	"  schedule INTEGER NOT NULL,"
	"  seen INTEGER NOT NULL DEFAULT 1,"
	"  strategy TEXT NOT NULL,"
	"  seed INTEGER NOT NULL,"
	"  trace TEXT,"
	"  event INTEGER NOT NULL DEFAULT 0,"
	"  PRIMARY KEY(finding, test)) WITHOUT ROWID;",

	/* Keeps a store with thousands of findings and tests fast. */
	"CREATE INDEX finding_fingerprint ON finding(fingerprint);"
	"CREATE INDEX sighting_test ON sighting(test);"
	"CREATE INDEX sighting_key ON sighting(key);"
	"CREATE INDEX test_build ON test(build);",

	/* All that a report needs, and what a test could see: only then does not seeing a finding mean something. */
	"ALTER TABLE site ADD COLUMN thread_name TEXT;"
	"ALTER TABLE site ADD COLUMN event INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE site ADD COLUMN before TEXT;"
	"ALTER TABLE site ADD COLUMN after TEXT;"
	"ALTER TABLE site ADD COLUMN is_beside INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE finding ADD COLUMN variants INTEGER NOT NULL DEFAULT 1;"
	"ALTER TABLE finding ADD COLUMN preemptions INTEGER;"
	"ALTER TABLE finding ADD COLUMN is_fewest INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE test ADD COLUMN kinds TEXT;",

	/* The line is that of a neighbour: the place has none of its own. */
	"ALTER TABLE site ADD COLUMN is_near INTEGER NOT NULL DEFAULT 0;",

	/* Each test has evidence of its own, and what is known of a finding is that of the best. Before, the tests of a build shared
	 * a file, which was that of the last. */
	"ALTER TABLE test ADD COLUMN mark INTEGER;"
	"ALTER TABLE sighting ADD COLUMN needs TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE sighting ADD COLUMN preemptions INTEGER;"
	"ALTER TABLE sighting ADD COLUMN is_fewest INTEGER NOT NULL DEFAULT 0;"
	"CREATE INDEX test_mark ON test(mark) WHERE mark IS NOT NULL;"
	"CREATE INDEX sighting_trace ON sighting(trace) WHERE trace IS NOT NULL;"
	"UPDATE sighting SET (needs, preemptions, is_fewest) ="
	"  (SELECT f.needs, f.preemptions, f.is_fewest FROM finding f WHERE f.id = sighting.finding)"
	" WHERE trace IS NOT NULL AND test = (SELECT max(s.test) FROM sighting s JOIN test t ON t.id = s.test"
	"  JOIN finding f ON f.id = s.finding WHERE s.finding = sighting.finding AND t.build = f.last_build);",

	/* A trace needs the libraries that it was made with, too. */
	"ALTER TABLE sighting ADD COLUMN parts TEXT NOT NULL DEFAULT '';",

	/* The code of a place's line, to know it by when the source has changed; what suppressed a finding, as tests without that
	 * make it known again; and that it came back after it was fixed. */
	"ALTER TABLE site ADD COLUMN code TEXT;"
	"ALTER TABLE finding ADD COLUMN suppression TEXT;"
	"ALTER TABLE finding ADD COLUMN came_back INTEGER NOT NULL DEFAULT 0;",

	/* How many sleeps and time-outs must end early. */
	("ALTER TABLE finding ADD COLUMN early INTEGER NOT NULL DEFAULT 0;"
	 "ALTER TABLE sighting ADD COLUMN early INTEGER NOT NULL DEFAULT 0;"),

	/* What had been proved of an access that a finding shows to be wrong. */
	("ALTER TABLE site ADD COLUMN proof TEXT;"
	 "ALTER TABLE site ADD COLUMN proof_locks TEXT;"),

	/* What the orders of a race lead to, and what a person decided about it. */
	("CREATE TABLE verdict("
	 "  finding INTEGER PRIMARY KEY REFERENCES finding(id) ON DELETE CASCADE,"
	 "  build INTEGER NOT NULL REFERENCES build(id),"
	 "  class TEXT NOT NULL, text TEXT NOT NULL, reason TEXT, why TEXT, states TEXT, analyzer TEXT,"
	 "  difference TEXT,"
	 "  witnesses INTEGER NOT NULL, instances INTEGER NOT NULL, inputs INTEGER NOT NULL DEFAULT 1,"
	 "  seen_instances INTEGER NOT NULL DEFAULT 0,"
	 "  consequence INTEGER NOT NULL DEFAULT 0,"
	 "  parts TEXT NOT NULL DEFAULT '', shown_trace TEXT, other_trace TEXT, is_other_shown INTEGER NOT NULL "
	 "DEFAULT 0);"
	 "CREATE TABLE mark("
	 "  finding INTEGER PRIMARY KEY REFERENCES finding(id) ON DELETE CASCADE,"
	 "  word TEXT NOT NULL, why TEXT NOT NULL, made INTEGER NOT NULL, revoked TEXT);"),

	/* Failures are distinguished by their callers: the fingerprint by the place alone is `place`, null in rows that are older. What a
	 * test says of causes: the finding at the head of the group, and the rules that made the group. */
	("ALTER TABLE finding ADD COLUMN place TEXT;"
	 "ALTER TABLE finding ADD COLUMN head INTEGER;"
	 "ALTER TABLE finding ADD COLUMN rules TEXT NOT NULL DEFAULT '';"),

	/* Which other input a verdict comes from. */
	"ALTER TABLE verdict ADD COLUMN input TEXT;",

	/* Where the runs of a verdict got their inputs from. */
	("ALTER TABLE verdict ADD COLUMN is_from_log INTEGER NOT NULL DEFAULT 0;"
	 "ALTER TABLE verdict ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;"),

	/* Where the accesses are in the runs of a verdict. */
	("ALTER TABLE verdict ADD COLUMN shown_marks TEXT;"
	 "ALTER TABLE verdict ADD COLUMN other_marks TEXT;"),
};
