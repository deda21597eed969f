import { watchTree } from '../file-tree.ts'
import { MOST_DEPTH, ROLLOUT_FOLDERS, TITLES_FILE, threadIn } from './places.ts'

/** Changes arrive in bursts, so they are reported once per burst. */
const GATHER_MS = 200

/** Calls back when rollouts or titles of a home changed. */
export function watchHome(home: string, changed: () => void, gatherMs = GATHER_MS): () => void {
  let timer: NodeJS.Timeout | undefined
  const unwatch = watchTree({ folder: home, depth: MOST_DEPTH, isWanted }, () => {
    timer ??= setTimeout(() => {
      timer = undefined
      changed()
    }, gatherMs)
  })
  return () => {
    clearTimeout(timer)
    unwatch()
  }
}

function isWanted(path: string): boolean {
  const names = path.split('/')
  const [top = ''] = names
  if (top === TITLES_FILE) return true
  // A name without an ending may be a folder.
  const name = names.at(-1) ?? ''
  return (
    (ROLLOUT_FOLDERS as readonly string[]).includes(top) &&
    (!name.includes('.') || threadIn(name) !== undefined)
  )
}
