/** Files of tests that are about SQLite's own file, with the reason. */
const FILES: Readonly<Record<string, string>> = {
  'e2e/crash.test.ts':
    'kills the process that writes the file; PostgreSQL has such tests of its own in ledger/postgres-crash.test.ts',
  'e2e/crash-check.test.ts': 'checks what the former is checked with',
}

/** Single tests that are, by a part of their name. */
const TESTS: Readonly<Record<string, string>> = {}

interface OnlySqlite {
  readonly files: readonly string[]
  /** Fits the names of the tests that are about any engine. */
  readonly others: RegExp | undefined
}

export function onlySqlite(engine: string | undefined): OnlySqlite {
  if (engine !== 'postgres') return { files: [], others: undefined }
  const names = Object.keys(TESTS).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return {
    files: Object.keys(FILES),
    others: names.length === 0 ? undefined : new RegExp(`^(?!.*(?:${names.join('|')}))`, 's'),
  }
}
