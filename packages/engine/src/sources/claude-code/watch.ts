import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename } from 'node:path'

/** Changes come in bursts: what changed is told once for each. */
const GATHER_MS = 200
/** A folder that is yet to be made, or was made anew, is looked for so often. */
const LOOK_MS = 700
/** Where the system cannot watch, or lost count, a look now and then finds it. */
const EVERYTHING_MS = 30_000

/** Says which session's files changed below a folder; without an id when that is not known. */
export function watchSessions(
  folder: string,
  changed: (id?: string) => void,
  { gatherMs, lookMs } = { gatherMs: GATHER_MS, lookMs: LOOK_MS },
): () => void {
  const touched = new Set<string>()
  let everything = false
  let timer: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined
  /** Which folder is watched: another of the same name is another. */
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
    watched = markOf(folder)
    drop()
    if (watched === undefined) return
    try {
      watcher = watch(folder, { recursive: true, persistent: false }, (_type, name) =>
        note(name === null ? undefined : sessionOf(name)),
      )
      watcher.on('error', drop)
    } catch {
      drop()
    }
  }

  follow()
  const looking = setInterval(() => {
    if (markOf(folder) === watched) return
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

function markOf(folder: string): string | undefined {
  try {
    const { ino, birthtimeMs } = statSync(folder)
    return `${ino} ${birthtimeMs}`
  } catch {
    return undefined
  }
}

/** `project/<session>.jsonl`, `project/<session>/subagents/…`; a project's folder alone says nothing. */
function sessionOf(name: string): string | undefined {
  const [, second] = name.split(/[/\\]/)
  if (second === undefined) return undefined
  return second.endsWith('.jsonl') ? basename(second, '.jsonl') : second
}
