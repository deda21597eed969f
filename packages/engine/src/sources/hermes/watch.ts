import { markOf } from './marks.ts'
import { stateFilesIn } from './places.ts'

/**
 * A look at two files a database. Events of the system would come by the thousand while Hermes writes, and not at all for a home or
 * a profile that is yet to be made.
 */
const LOOK_MS = 400

/** Says when a database of a home changed. Which of its sessions did is not known before it is asked. */
export function watchHome(home: string, changed: () => void): () => void {
  let known: string | undefined
  let ended = false
  const look = async () => {
    const files = await stateFilesIn(home).catch(() => [])
    const marks = files.map(({ path }) => ({ path, mark: markOf(path) }))
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
    timer = setTimeout(begin, LOOK_MS)
    timer.unref()
  }
  void begin()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
