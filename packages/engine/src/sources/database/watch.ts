import { databaseMark } from './marks.ts'

/**
 * Checking two files per database is enough. System events would arrive by the thousand while its program
 * writes, and not at all for a folder that does not exist yet.
 */
const LOOK_MS = 400

/** Calls back when one of the databases changed. Which session changed is only known after a query. */
export function watchDatabases(
  listPaths: () => Promise<readonly string[]>,
  changed: () => void,
  everyMs = LOOK_MS,
): () => void {
  let previous: string | undefined
  let ended = false
  const look = async () => {
    const paths = await listPaths().catch(() => [])
    const marks = paths.map((path) => ({ path, mark: databaseMark(path) }))
    const seen = marks.map(({ path, mark }) => `${path} ${mark?.text}`).join('\n')
    if (ended) return
    if (previous !== undefined && seen !== previous) changed()
    // The same mark may still come to mean different content, so it is reported once more.
    const settled = marks.every(({ mark }) => mark === undefined || mark.settled)
    previous = settled ? seen : `${seen}\n`
  }
  const begin = () => look().then(() => !ended && schedule())
  let timer: NodeJS.Timeout | undefined
  const schedule = () => {
    timer = setTimeout(begin, everyMs)
    timer.unref()
  }
  void begin()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
