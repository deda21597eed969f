import { setTimeout as sleep } from 'node:timers/promises'
import type { EventStore } from '@panoptes/engine/store'
import type {
  Forgettable,
  ForgotReply,
  PastSession,
  RemovedCount,
  Result,
  SessionRef,
} from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Sessions } from './open.ts'

/** Deletes sessions from one part of Panoptes. A repeated call finishes an interrupted one. */
export type Forgetter = (sessions: readonly SessionRef[]) => Promise<Result<readonly RemovedCount[]>>

export const indexForgetter =
  (sessions: Sessions): Forgetter =>
  async (refs) => {
    const done = await sessions.forget(refs)
    if (!done.ok) return done
    const { sessions: count, messages, originals } = done.value
    return success([
      { from: 'index', what: 'sessions', count },
      { from: 'index', what: 'messages', count: messages },
      ...(originals > 0 ? [{ from: 'originals', what: 'sessions', count: originals }] : []),
    ])
  }

/**
 * By then, every other process with the store open has been notified and stores nothing more of these
 * sessions.
 */
const HEARD_MS = 2_000

/** Deletes sessions everywhere, one call at a time. A call also finishes what an earlier one left. */
export function createForgetting(
  { forgetting, onTurned }: EventStore,
  forgetters: readonly Forgetter[],
): (sessions: readonly SessionRef[]) => Promise<Result<ForgotReply>> {
  let turn: Promise<unknown> = Promise.resolve()
  const forget = async (requested: readonly SessionRef[]): Promise<Result<ForgotReply>> => {
    const begun = await forgetting.begin(requested)
    if (!begun.ok) return begun
    const pending = await forgetting.pending()
    if (!pending.ok) return pending
    if (pending.value.length === 0) return success({ sessions: 0, removed: [] })
    if (onTurned !== undefined) await sleep(HEARD_MS)
    const removed: RemovedCount[] = []
    // The store comes last, because it remembers the pending sessions until everything is done.
    for (const forgetter of [...forgetters, forgetting.remove.bind(forgetting)]) {
      const done = await forgetter(pending.value)
      if (!done.ok) return done
      removed.push(...done.value)
    }
    const ended = await forgetting.end(pending.value)
    return ended.ok ? success({ sessions: pending.value.length, removed }) : ended
  }
  return (requested) => {
    const own = turn.then(() => forget(requested))
    turn = own.catch(() => undefined)
    return own
  }
}

const PAGE = 1_000
const MOST_IN_STORE = 100_000

/**
 * Finds sessions of the index and the log that match a pattern, including those known only by id and those
 * pending deletion.
 */
export async function forgettable(
  sessions: Pick<Sessions, 'list' | 'hidden'>,
  store: Pick<EventStore, 'sessions' | 'forgetting'> | undefined,
  pattern: string,
): Promise<Result<readonly Forgettable[]>> {
  const fits = fitting(pattern)
  const found = new Map<string, Omit<Forgettable, 'branches'>>()
  const look = ({ source, id, title, project }: Omit<Forgettable, 'branches'>) => {
    const name = sessionKey(source, id)
    if (!found.has(name) && fits(id, title, project)) found.set(name, { source, id, title, project })
  }
  const branches = new Branches()
  for (let offset = 0; ; offset += PAGE) {
    const page = await sessions.list({ limit: PAGE, offset })
    if (!page.ok) return page
    for (const session of page.value) {
      look(session)
      branches.saw(session)
    }
    if (page.value.length < PAGE) break
  }
  const listed = await store?.sessions({ limit: MOST_IN_STORE })
  if (listed?.ok === false) return listed
  for (const { session_id, ...session } of listed?.value.value ?? []) look({ ...session, id: session_id })
  const pending = (await store?.forgetting.pending()) ?? success([])
  const hidden = await sessions.hidden()
  for (const ids of [hidden, pending]) {
    if (!ids.ok) return ids
    for (const ref of ids.value) look({ ...ref, title: null, project: null })
  }
  const copies = branches.of(found)
  return success([...found].map(([name, each]) => ({ ...each, branches: copies.get(name) ?? [] })))
}

type Fits = (id: string, title: string | null, project: string | null) => boolean

function fitting(pattern: string): Fits {
  const wanted = pattern.toLowerCase()
  const parts = wanted.split('*')
  if (parts.length === 1)
    return (id, title, project) =>
      id.toLowerCase().startsWith(wanted) ||
      title?.toLowerCase() === wanted ||
      project?.toLowerCase() === wanted
  return (...texts) => texts.some((text) => text !== null && globs(text.toLowerCase(), parts))
}

/** True when the parts occur in order, the first at the beginning of the text and the last at its end. */
function globs(text: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false
  const end = text.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

type Seen = Pick<PastSession, 'source' | 'id' | 'parent_id' | 'lineage'>

export const sessionKey = (source: string, id: string): string => `${source}\n${id}`

/** Knows which sessions begin with a copy of which, including branches of branches. */
export class Branches {
  readonly #parents = new Map<string, { readonly id: string; readonly parent: string }>()

  saw({ source, id, parent_id, lineage }: Seen): void {
    if (lineage !== 'branch' || parent_id === null) return
    this.#parents.set(sessionKey(source, id), { id, parent: sessionKey(source, parent_id) })
  }

  /** Returns, for each of these names, the ids of other sessions that branched from it. */
  of(these: { readonly has: (name: string) => boolean }): ReadonlyMap<string, string[]> {
    const found = new Map<string, string[]>()
    for (const [name, { id }] of this.#parents) {
      if (these.has(name)) continue
      for (const before of this.#before(name))
        if (these.has(before) && found.get(before)?.push(id) === undefined) found.set(before, [id])
    }
    return found
  }

  #before(name: string): ReadonlySet<string> {
    const before = new Set<string>()
    for (let next = this.#parents.get(name)?.parent; next !== undefined && !before.has(next); ) {
      before.add(next)
      next = this.#parents.get(next)?.parent
    }
    return before
  }
}
