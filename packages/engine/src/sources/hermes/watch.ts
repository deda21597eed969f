import { watchDatabases } from '../database/watch.ts'
import { stateFilesIn } from './places.ts'

/** The database of a home and those of its profiles, each with its write-ahead log. */
const WANTED = /^(?:profiles(?:\/[^/]+)?|(?:profiles\/[^/]+\/)?state\.db(?:-wal)?)$/

const isWanted = (path: string): boolean => WANTED.test(path)

/** Calls back when a database of a home changed. */
export const watchHome = (home: string, changed: () => void, everyMs?: number): (() => void) =>
  watchDatabases(
    { folder: home, depth: 2, isWanted },
    async () => (await stateFilesIn(home)).map(({ path }) => path),
    changed,
    everyMs,
  )
