/* sql.h: the schema and every statement of the store, in one place, so that a second backend can
 * follow. One row a statement: X(NAME, text); sqlite.c prepares each on first use and keeps it.
 *
 * A test's key is campaign << 32 | id: one integer finds it, ascending keys of a campaign are
 * ascending ids, and the largest key gives the next id. Inputs lie in a table of their own, so that
 * walking over tests or taking from the frontier does not read them. tally has the number of tests
 * in each stage: counts and the list of stages that occur cost nothing however many tests there
 * are.
 */
#ifndef MUSTER_STORE_SQL_H
#define MUSTER_STORE_SQL_H

#define STORE_APPLICATION 0x4d757374 /* "Must", in the file's header */

#define STORE_SCHEMA                                                                   \
	"CREATE TABLE campaign(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"      \
	" program TEXT NOT NULL, command TEXT NOT NULL);"                              \
	"CREATE TABLE test(key INTEGER PRIMARY KEY, campaign INTEGER NOT NULL,"        \
	" digest BLOB NOT NULL, size INTEGER NOT NULL, parent INTEGER NOT NULL,"       \
	" origin INTEGER NOT NULL, path INTEGER NOT NULL, run INTEGER NOT NULL,"       \
	" found REAL NOT NULL, new_outcomes INTEGER NOT NULL, flags INTEGER NOT NULL," \
	" stage INTEGER NOT NULL, rank REAL NOT NULL, bound INTEGER NOT NULL);"        \
	"CREATE UNIQUE INDEX test_digest ON test(campaign, digest);"                   \
	"CREATE INDEX test_frontier ON test(campaign, stage, rank DESC);"              \
	"CREATE TABLE input(key INTEGER PRIMARY KEY, data BLOB NOT NULL);"             \
	"CREATE TABLE tally(campaign INTEGER NOT NULL, stage INTEGER NOT NULL,"        \
	" tests INTEGER NOT NULL, PRIMARY KEY(campaign, stage)) WITHOUT ROWID;"        \
	"CREATE TABLE lease(campaign INTEGER NOT NULL, holder INTEGER NOT NULL,"       \
	" key INTEGER NOT NULL, until REAL NOT NULL,"                                  \
	" PRIMARY KEY(campaign, holder)) WITHOUT ROWID;"                               \
	"CREATE TABLE cover(campaign INTEGER NOT NULL, unit INTEGER NOT NULL,"         \
	" outcome INTEGER NOT NULL, mask INTEGER NOT NULL, test INTEGER NOT NULL,"     \
	" PRIMARY KEY(campaign, unit, outcome)) WITHOUT ROWID;"                        \
	"CREATE TABLE bug(campaign INTEGER NOT NULL, id INTEGER NOT NULL,"             \
	" bucket INTEGER NOT NULL, kind TEXT NOT NULL, function TEXT NOT NULL,"        \
	" file TEXT NOT NULL, line INTEGER NOT NULL, confirmed INTEGER NOT NULL,"      \
	" test INTEGER NOT NULL, summary TEXT NOT NULL, report TEXT NOT NULL,"         \
	" input_file TEXT NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL,"       \
	" PRIMARY KEY(campaign, id), UNIQUE(campaign, bucket));"                       \
	"CREATE TABLE bug_test(campaign INTEGER NOT NULL, bucket INTEGER NOT NULL,"    \
	" test INTEGER NOT NULL, PRIMARY KEY(campaign, bucket, test)) WITHOUT ROWID;"  \
	"CREATE TABLE query(seq INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"        \
	" verdict INTEGER NOT NULL, model BLOB NOT NULL);"                             \
	"CREATE TABLE value(campaign INTEGER NOT NULL, name TEXT NOT NULL,"            \
	" data BLOB NOT NULL, PRIMARY KEY(campaign, name));"

/* What version 2 adds. Versions, records and summaries are found by content, results by (machine, number): stores of two machines can be
 * joined without a clash. Numbers such as version.id and symbol.id are of this file alone. A summary lies beside the others of its
 * function: looking one function up is one walk over neighbouring rows, and there is no index besides. */
#define STORE_SCHEMA_2                                                                  \
	"CREATE TABLE machine(id INTEGER NOT NULL);"                                    \
	"INSERT INTO machine(id) VALUES(random() & 0x7fffffffffffffff);"                \
	"CREATE TABLE record(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,"        \
	" size INTEGER NOT NULL, data BLOB NOT NULL);"                                  \
	"CREATE TABLE version(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"        \
	" program TEXT NOT NULL, seen INTEGER NOT NULL);"                               \
	"CREATE TABLE version_record(version INTEGER NOT NULL, at INTEGER NOT NULL,"    \
	" record INTEGER NOT NULL, PRIMARY KEY(version, at)) WITHOUT ROWID;"            \
	"CREATE TABLE function(version INTEGER NOT NULL, file TEXT NOT NULL,"           \
	" name TEXT NOT NULL, line INTEGER NOT NULL, verdict TEXT NOT NULL,"            \
	" why TEXT NOT NULL, covered INTEGER NOT NULL, total INTEGER NOT NULL,"         \
	" tests INTEGER NOT NULL, bugs INTEGER NOT NULL, losses TEXT NOT NULL,"         \
	" limits TEXT NOT NULL, machine INTEGER NOT NULL, run INTEGER NOT NULL,"        \
	" PRIMARY KEY(version, file, name)) WITHOUT ROWID;"                             \
	"CREATE TABLE result(machine INTEGER NOT NULL, number INTEGER NOT NULL,"        \
	" version INTEGER NOT NULL, campaign INTEGER NOT NULL, command TEXT NOT NULL,"  \
	" status TEXT NOT NULL, time INTEGER NOT NULL, seconds REAL NOT NULL,"          \
	" covered INTEGER NOT NULL, total INTEGER NOT NULL, tests INTEGER NOT NULL,"    \
	" bugs INTEGER NOT NULL, suspected INTEGER NOT NULL, scope TEXT NOT NULL,"      \
	" PRIMARY KEY(machine, number)) WITHOUT ROWID;"                                 \
	"CREATE INDEX result_version ON result(version);"                               \
	"CREATE TABLE symbol(id INTEGER PRIMARY KEY, unit BLOB NOT NULL,"               \
	" name TEXT NOT NULL, UNIQUE(unit, name));"                                     \
	"CREATE TABLE summary(function INTEGER NOT NULL, key BLOB NOT NULL,"            \
	" kind INTEGER NOT NULL, start INTEGER NOT NULL, end_function INTEGER NOT NULL," \
	" end INTEGER NOT NULL, pre BLOB NOT NULL, post BLOB NOT NULL,"                 \
	" partial TEXT NOT NULL, test BLOB NOT NULL, support BLOB NOT NULL,"            \
	" PRIMARY KEY(function, key)) WITHOUT ROWID;"                                   \
	"CREATE TABLE summary_edge(before BLOB NOT NULL, after BLOB NOT NULL,"          \
	" PRIMARY KEY(before, after)) WITHOUT ROWID;"

/* clang-format off */
#define SQL_TEST_COLUMNS                                                                         \
	"key, digest, size, parent, origin, path, run, found, new_outcomes, flags, stage, rank, bound"

#define SQL_STATEMENTS(X)                                                                        \
	X(BEGIN, "BEGIN IMMEDIATE")                                                              \
	X(COMMIT, "COMMIT")                                                                      \
	X(ROLLBACK, "ROLLBACK")                                                                  \
	X(CAMPAIGN_FIND, "SELECT id FROM campaign WHERE key = ?1")                               \
	X(CAMPAIGN_ADD, "INSERT INTO campaign(key, program, command) VALUES(?1, ?2, ?3)")        \
	X(CAMPAIGN_EACH, "SELECT c.id, c.key, c.program, c.command FROM campaign c"              \
			 " LEFT JOIN value v ON v.campaign = c.id AND v.name = 'used'"            \
			 " ORDER BY CAST(v.data AS INTEGER), c.id")                               \
	X(TEST_FIND, "SELECT key FROM test WHERE campaign = ?1 AND digest = ?2")                 \
	X(TEST_LAST, "SELECT max(key) FROM test WHERE key BETWEEN ?1 AND ?2")                    \
	X(TEST_ADD, "INSERT INTO test(campaign, " SQL_TEST_COLUMNS ")"                           \
	  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")                \
	X(INPUT_ADD, "INSERT INTO input(key, data) VALUES(?1, ?2)")                              \
	X(INPUT_GET, "SELECT data FROM input WHERE key = ?1")                                    \
	X(TEST_GET, "SELECT " SQL_TEST_COLUMNS " FROM test WHERE key = ?1")                      \
	X(TEST_STAGE, "SELECT stage FROM test WHERE key = ?1")                                   \
	X(TEST_UPDATE, "UPDATE test SET stage = ?2, rank = ?3, flags = ?4 WHERE key = ?1")       \
	X(TEST_EACH, "SELECT " SQL_TEST_COLUMNS ", NULL FROM test"                               \
	  " WHERE key > ?1 AND key <= ?2 ORDER BY key")                                          \
	X(TEST_EACH_DATA, "SELECT " SQL_TEST_COLUMNS ", data FROM test JOIN input USING(key)"    \
	  " WHERE key > ?1 AND key <= ?2 ORDER BY key")                                          \
	X(TALLY_ADD, "INSERT INTO tally(campaign, stage, tests) VALUES(?1, ?2, ?3)"              \
	  " ON CONFLICT(campaign, stage) DO UPDATE SET tests = tests + excluded.tests")          \
	X(TALLY_STAGES, "SELECT stage FROM tally WHERE campaign = ?1 AND stage < ?2"             \
	  " AND stage >= ?3 AND tests > 0 ORDER BY stage LIMIT 1")                               \
	X(TALLY_WRONG, "SELECT (SELECT CAST(total(tests) AS INTEGER) FROM tally WHERE campaign = ?1"\
	  " AND typeof(stage) = 'integer' AND typeof(tests) = 'integer')"                        \
	  " - (SELECT coalesce(max(key) & 0xffffffff, 0) FROM test WHERE key BETWEEN ?2 AND ?3)") \
	X(TALLY_SUM, "SELECT coalesce(sum(tests), 0) FROM tally"                                 \
	  " WHERE campaign = ?1 AND stage < ?2")                                                 \
	X(FRONTIER_BEST, "SELECT key, rank FROM test WHERE campaign = ?1 AND stage = ?2"         \
	  " AND key NOT IN (SELECT key FROM lease WHERE campaign = ?1)"                          \
	  " ORDER BY rank DESC, key LIMIT 1")                                                    \
	X(LEASE_DROP, "DELETE FROM lease WHERE campaign = ?1 AND (holder = ?2 OR ?2 = 0)")       \
	X(LEASE_EXPIRE, "DELETE FROM lease WHERE campaign = ?1 AND (holder = ?2 OR until <= ?3)") \
	X(LEASE_ADD, "INSERT INTO lease(campaign, holder, key, until) VALUES(?1, ?2, ?3, ?4)")   \
	X(COVER_ADD, "INSERT INTO cover(campaign, unit, outcome, mask, test)"                    \
	  " VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(campaign, unit, outcome)"                     \
	  " DO UPDATE SET mask = mask | excluded.mask WHERE mask | excluded.mask <> mask")       \
	X(COVER_CLEAR, "DELETE FROM cover WHERE campaign = ?1")                                  \
	X(COVER_EACH, "SELECT unit, outcome, mask, test FROM cover WHERE campaign = ?1"          \
	  " ORDER BY unit, outcome")                                                             \
	X(BUG_FIND, "SELECT id FROM bug WHERE campaign = ?1 AND bucket = ?2")                    \
	X(BUG_LAST, "SELECT coalesce(max(id), 0) FROM bug WHERE campaign = ?1")                  \
	X(BUG_ADD, "INSERT INTO bug(campaign, id, bucket, kind, function, file, line, confirmed," \
	  " test, summary, report, input_file, count, data)"                                     \
	  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 1, ?13)")                  \
	X(BUG_HIT, "INSERT OR IGNORE INTO bug_test(campaign, bucket, test) VALUES(?1, ?2, ?3)")  \
	X(BUG_COUNT, "UPDATE bug SET count = count + 1 WHERE campaign = ?1 AND bucket = ?2")     \
	X(BUG_UPDATE, "UPDATE bug SET confirmed = ?3, summary = coalesce(?4, summary),"          \
	  " report = coalesce(?5, report), input_file = coalesce(?6, input_file),"               \
	  " data = coalesce(?7, data) WHERE campaign = ?1 AND bucket = ?2")                      \
	X(BUG_NEXT, "SELECT id, bucket, kind, function, file, line, confirmed, test, summary,"   \
	  " report, input_file, count, data FROM bug WHERE campaign = ?1 AND id > ?2"            \
	  " ORDER BY id LIMIT 1")                                                                \
	X(QUERY_GET, "SELECT verdict, model FROM query WHERE key = ?1")                          \
	X(QUERY_PUT, "INSERT INTO query(key, verdict, model) VALUES(?1, ?2, ?3)"                 \
	  " ON CONFLICT(key) DO UPDATE SET verdict = excluded.verdict, model = excluded.model")  \
	X(QUERY_LAST, "SELECT max(seq) FROM query")                                              \
	X(QUERY_TRIM, "DELETE FROM query WHERE seq <= ?1")                                       \
	X(VALUE_SET, "INSERT INTO value(campaign, name, data) VALUES(?1, ?2, ?3)"                \
	  " ON CONFLICT(campaign, name) DO UPDATE SET data = excluded.data")                     \
	X(VALUE_GET, "SELECT data FROM value WHERE campaign = ?1 AND name = ?2")                 \
	X(MACHINE, "SELECT id FROM machine")                                                     \
	X(RECORD_FIND, "SELECT id FROM record WHERE hash = ?1")                                  \
	X(RECORD_ADD, "INSERT INTO record(hash, size, data) VALUES(?1, ?2, ?3)")                 \
	X(VERSION_FIND, "SELECT id FROM version WHERE key = ?1")                                 \
	X(VERSION_ADD, "INSERT INTO version(key, program, seen) VALUES(?1, ?2, ?3)")             \
	X(VERSION_RECORD_ADD, "INSERT INTO version_record(version, at, record) VALUES(?1, ?2, ?3)") \
	X(VERSION_EACH, "SELECT id, key, program, seen FROM version ORDER BY id")                \
	X(VERSION_RECORDS, "SELECT hash, size, data FROM version_record"                         \
	  " JOIN record ON record.id = record WHERE version = ?1 ORDER BY at")                   \
	X(VERSION_SIZE, "SELECT count(*), coalesce(sum(length(data)), 0) FROM version_record"    \
	  " JOIN record ON record.id = record WHERE version = ?1")                               \
	X(FUNCTION_PUT, "INSERT OR REPLACE INTO function(version, file, name, line, verdict, why," \
	  " covered, total, tests, bugs, losses, limits, machine, run)"                          \
	  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")                \
	X(FUNCTION_EACH, "SELECT file, name, line, verdict, why, covered, total, tests, bugs,"   \
	  " losses, limits, machine, run FROM function WHERE version = ?1 ORDER BY file, name")  \
	X(RESULT_LAST, "SELECT coalesce(max(number), 0) FROM result WHERE machine = ?1")         \
	X(RESULT_ADD, "INSERT INTO result(machine, number, version, campaign, command, status,"  \
	  " time, seconds, covered, total, tests, bugs, suspected, scope)"                       \
	  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")                \
	X(RESULT_EACH, "SELECT machine, number, version, campaign, command, status, time,"       \
	  " seconds, covered, total, tests, bugs, suspected, scope FROM result WHERE version = ?1" \
	  " ORDER BY time, machine, number")                                                     \
	X(SYMBOL_FIND, "SELECT id FROM symbol WHERE unit = ?1 AND name = ?2")                    \
	X(SYMBOL_ADD, "INSERT INTO symbol(unit, name) VALUES(?1, ?2)")                           \
	X(SYMBOL_GET, "SELECT unit, name FROM symbol WHERE id = ?1")                             \
	X(SYMBOL_EACH, "SELECT id, name FROM symbol WHERE unit = ?1 ORDER BY name")              \
	X(SUMMARY_CLEAR, "DELETE FROM summary WHERE function = ?1")                              \
	X(SUMMARY_ADD, "INSERT OR IGNORE INTO summary(function, key, kind, start, end_function," \
	  " end, pre, post, partial, test, support)"                                             \
	  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")                               \
	X(SUMMARY_EACH, "SELECT key, kind, start, end_function, end, pre, post, partial, test,"  \
	  " support FROM summary WHERE function = ?1 ORDER BY key")                              \
	X(SUMMARY_BASE, "SELECT kind, pre, post, support FROM summary WHERE function = ?1"       \
	  " AND kind >= 4 LIMIT 1")                                                              \
	X(EDGE_ADD, "INSERT OR IGNORE INTO summary_edge(before, after) VALUES(?1, ?2)")          \
	X(EDGE_EACH, "SELECT after FROM summary_edge WHERE before = ?1 ORDER BY after")          \
	X(CHECK_FILE, "PRAGMA integrity_check(20)")                                              \
	X(CHECK_INPUTS, "SELECT test.key, digest, size, ifnull(data, NULL) FROM test"            \
	  " LEFT JOIN input USING(key) ORDER BY key")                                            \
	X(CHECK_ORPHANS, "SELECT count(*) FROM input WHERE key NOT IN (SELECT key FROM test)")   \
	X(CHECK_IDS, "SELECT campaign, count(*), max(key) & 0xffffffff FROM test"                \
	  " GROUP BY campaign HAVING count(*) <> max(key) & 0xffffffff"                          \
	  " OR min(key) >> 32 <> campaign OR max(key) >> 32 <> campaign")                        \
	X(CHECK_TALLY, "SELECT campaign, stage, sum(n) FROM"                                     \
	  " (SELECT campaign, stage, tests AS n FROM tally UNION ALL"                            \
	  " SELECT campaign, stage, -count(*) FROM test GROUP BY campaign, stage)"               \
	  " GROUP BY campaign, stage HAVING sum(n) <> 0")
/* clang-format on */

enum sql {
#define X(name, text) SQL_##name,
	SQL_STATEMENTS(X)
#undef X
	    SQL_COUNT
};

#endif
