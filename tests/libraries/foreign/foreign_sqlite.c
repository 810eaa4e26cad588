// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SQLite: one connection that node 0 has opened, used by all threads: its mutexes, which lie in shared
// memory, keep them apart. Statements are prepared on one node and stepped on others.
// links: -lsqlite3
#include <omp.h>
#include <sqlite3.h>
#include <stdio.h>

enum { kRows = 240 };

static int failures;

static void check(int result, int wanted, const char* what, sqlite3* database) {
  if (result == wanted) return;
#pragma omp critical
  {
    ++failures;
    printf("%s: %d, %s\n", what, result, sqlite3_errmsg(database));
  }
}

int main(void) {
  sqlite3* database = NULL;
  sqlite3_stmt* sum = NULL;
  check(sqlite3_open(":memory:", &database), SQLITE_OK, "open", database);
  check(sqlite3_exec(database, "create table t(thread integer, value integer)", NULL, NULL, NULL),
        SQLITE_OK, "create", database);
#pragma omp parallel
  {
    sqlite3_stmt* insert = NULL;
    check(sqlite3_prepare_v2(database, "insert into t values(?, ?)", -1, &insert, NULL), SQLITE_OK,
          "prepare", database);
#pragma omp for
    for (int row = 0; row < kRows; ++row) {
      sqlite3_bind_int(insert, 1, omp_get_thread_num());
      sqlite3_bind_int(insert, 2, row);
      check(sqlite3_step(insert), SQLITE_DONE, "insert", database);
      check(sqlite3_reset(insert), SQLITE_OK, "reset", database);
    }
    check(sqlite3_finalize(insert), SQLITE_OK, "finalize", database);
  }
  check(sqlite3_prepare_v2(database, "select count(*), sum(value) from t", -1, &sum, NULL),
        SQLITE_OK, "prepare sum", database);
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    check(sqlite3_step(sum), SQLITE_ROW, "select", database);
    check(sqlite3_column_int(sum, 0), kRows, "rows", database);
    check(sqlite3_column_int(sum, 1), kRows * (kRows - 1) / 2, "sum", database);
  }
  check(sqlite3_finalize(sum), SQLITE_OK, "finalize sum", database);
  check(sqlite3_close(database), SQLITE_OK, "close", NULL);
  if (failures == 0) puts("ok");
  return failures;
}
