import { type FSWatcher, watch } from 'node:fs'
import { basename } from 'node:path'

/** Changes come in bursts: what changed is told once for each. */
const GATHER_MS = 200
/** Where the system cannot watch, or lost count, a look now and then finds it. */
const LOOK_MS = 30_000

/** Says which session's files changed below a folder; without an id when that is not known. */
export function watchSessions(folder: string, changed: (id?: string) => void): () => void {
  const touched = new Set<string>()
  let everything = false
  let timer: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined

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
    timer ??= setTimeout(tell, GATHER_MS)
  }
  const follow = () => {
    if (watcher !== undefined) return
    try {
      watcher = watch(folder, { recursive: true, persistent: false }, (_type, name) =>
        note(name === null ? undefined : sessionOf(name)),
      )
      watcher.on('error', () => {
        watcher?.close()
        watcher = undefined
      })
    } catch {
      watcher = undefined
    }
  }

  follow()
  const looking = setInterval(() => {
    follow()
    note(undefined)
  }, LOOK_MS)
  looking.unref()
  return () => {
    clearInterval(looking)
    clearTimeout(timer)
    watcher?.close()
  }
}

/** `project/<session>.jsonl`, `project/<session>/subagents/…`; a project's folder alone says nothing. */
function sessionOf(name: string): string | undefined {
  const [, second] = name.split(/[/\\]/)
  if (second === undefined) return undefined
  return second.endsWith('.jsonl') ? basename(second, '.jsonl') : second
}
