import { watchDatabases } from '../database/watch.ts'
import { stateFilesIn } from './places.ts'

/** Calls back when a database of a home changed. */
export const watchHome = (home: string, changed: () => void, everyMs?: number): (() => void) =>
  watchDatabases(async () => (await stateFilesIn(home)).map(({ path }) => path), changed, everyMs)
