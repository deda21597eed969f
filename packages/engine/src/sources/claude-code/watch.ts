import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename } from 'node:path'

/** Changes arrive in bursts, so each session is reported once per burst. */
const GATHER_MS = 200
/** How often to check for a folder that does not exist yet or was recreated. */
const LOOK_MS = 700
/** Where the system cannot watch or lost events, this periodic check finds changes. */
const EVERYTHING_MS = 30_000

/** Reports the sessions whose files changed below a folder, without an id when the session is unknown. */
export function watchSessions(
  folder: string,
  changed: (id?: string) => void,
  { gatherMs, lookMs } = { gatherMs: GATHER_MS, lookMs: LOOK_MS },
): () => void {
  const touched = new Set<string>()
  let everything = false
  let timer: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined
  /** The identity of the watched folder, which differs for a recreated folder of the same name. */
  let watched: string | undefined

  const tell = () => {
    timer = undefined
    if (everything) changed()
    else for (const id of touched) changed(id)
    touched.clear()
    everything = false
  }
  const note = (id: string | undefined) => {
    if (id === undefined) everything = true
    else touched.add(id)
    timer ??= setTimeout(tell, gatherMs)
  }
  const drop = () => {
    watcher?.close()
    watcher = undefined
  }
  const follow = () => {
    watched = folderMark(folder)
    drop()
    if (watched === undefined) return
    try {
      watcher = watch(folder, { recursive: true, persistent: false }, (_type, name) =>
        note(name === null ? undefined : sessionId(name)),
      )
      watcher.on('error', drop)
    } catch {
      drop()
    }
  }

  follow()
  const looking = setInterval(() => {
    if (folderMark(folder) === watched) return
    follow()
    note(undefined)
  }, lookMs)
  const now = setInterval(() => {
    if (watcher === undefined) follow()
    note(undefined)
  }, EVERYTHING_MS)
  looking.unref()
  now.unref()
  return () => {
    clearInterval(looking)
    clearInterval(now)
    clearTimeout(timer)
    drop()
  }
}

function folderMark(folder: string): string | undefined {
  try {
    const { ino, birthtimeMs } = statSync(folder)
    return `${ino} ${birthtimeMs}`
  } catch {
    return undefined
  }
}

/**
 * Extracts the session from `project/<session>.jsonl` or `project/<session>/subagents/…`. A project folder
 * alone names none.
 */
function sessionId(name: string): string | undefined {
  const [, second] = name.split(/[/\\]/)
  if (second === undefined) return undefined
  return second.endsWith('.jsonl') ? basename(second, '.jsonl') : second
}
