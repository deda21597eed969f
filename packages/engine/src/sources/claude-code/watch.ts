import { basename } from 'node:path'
import { type TreeListener, watchTree } from '../file-tree.ts'
import { MOST_DEPTH } from './places.ts'

/** Changes arrive in bursts, so each session is reported once per burst. */
const GATHER_MS = 200

/** Reports changed files of all projects by their path below the folder. */
export const watchProjects = (folder: string, changed: TreeListener): (() => void) =>
  watchTree({ folder, depth: MOST_DEPTH }, changed)

/** Reports the sessions whose files changed below a folder, without an id when the session is unknown. */
export function watchSessions(
  folder: string,
  changed: (id?: string) => void,
  gatherMs = GATHER_MS,
): () => void {
  const touched = new Set<string>()
  let everything = false
  let timer: NodeJS.Timeout | undefined
  const report = () => {
    timer = undefined
    if (everything) changed()
    else for (const id of touched) changed(id)
    touched.clear()
    everything = false
  }
  const unwatch = watchProjects(folder, (path) => {
    const id = path === undefined ? undefined : sessionId(path)
    if (id === undefined) everything = true
    else touched.add(id)
    timer ??= setTimeout(report, gatherMs)
  })
  return () => {
    clearTimeout(timer)
    unwatch()
  }
}

/**
 * Extracts the session from `project/<session>.jsonl` or `project/<session>/subagents/…`. A project folder
 * alone names none.
 */
function sessionId(path: string): string | undefined {
  const [, second] = path.split('/')
  if (second === undefined) return undefined
  return second.endsWith('.jsonl') ? basename(second, '.jsonl') : second
}
