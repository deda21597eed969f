import { markOf } from './marks.ts'

/**
 * A look at two files a database. Events of the system would come by the thousand while its program writes, and not at all for a
 * folder that is yet to be made.
 */
const LOOK_MS = 400

/** Says when one of the databases changed. Which of its sessions did is not known before it is asked. */
export function watchDatabases(
  pathsOf: () => Promise<readonly string[]>,
  changed: () => void,
  everyMs = LOOK_MS,
): () => void {
  let known: string | undefined
  let ended = false
  const look = async () => {
    const paths = await pathsOf().catch(() => [])
    const marks = paths.map((path) => ({ path, mark: markOf(path) }))
    const seen = marks.map(({ path, mark }) => `${path} ${mark?.text}`).join('\n')
    if (ended) return
    if (known !== undefined && seen !== known) changed()
    // The same mark may yet come to mean something else: then it is told once more.
    const settled = marks.every(({ mark }) => mark === undefined || mark.settled)
    known = settled ? seen : `${seen}\n`
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
