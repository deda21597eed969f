import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '@panoptes/engine/ledger'
import type { Forgettable, ForgotReply, RemovedCount, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { Branches, nameOf } from './branches.ts'
import type { Sessions } from './open.ts'

/** A part of Panoptes that keeps something of sessions, and can take it out for good. Run again it finishes what it began. */
export type Forgetter = (sessions: readonly SessionRef[]) => Promise<Result<readonly RemovedCount[]>>

export const indexForgetter =
  (sessions: Sessions): Forgetter =>
  async (refs) => {
    const done = await sessions.forget(refs)
    if (!done.ok) return done
    return success(
      (['sessions', 'messages'] as const).map((what) => ({ from: 'index', what, count: done.value[what] })),
    )
  }

/** Whoever else has the ledger open has heard of it by then, and keeps nothing more of these. */
const HEARD_MS = 2_000

/** Forgets sessions everywhere, one call after the other. What an earlier call did not finish is finished with it. */
export function createForgetting(
  { forgetting, onTurned }: Ledger,
  forgetters: readonly Forgetter[],
): (sessions: readonly SessionRef[]) => Promise<Result<ForgotReply>> {
  let turn: Promise<unknown> = Promise.resolve()
  const forget = async (asked: readonly SessionRef[]): Promise<Result<ForgotReply>> => {
    const begun = await forgetting.begin(asked)
    if (!begun.ok) return begun
    const pending = await forgetting.pending()
    if (!pending.ok) return pending
    if (pending.value.length === 0) return success({ sessions: 0, removed: [] })
    if (onTurned !== undefined) await sleep(HEARD_MS)
    const removed: RemovedCount[] = []
    // The ledger is last: until it is done it knows which they are.
    for (const forgetter of [...forgetters, forgetting.remove.bind(forgetting)]) {
      const done = await forgetter(pending.value)
      if (!done.ok) return done
      removed.push(...done.value)
    }
    const ended = await forgetting.end(pending.value)
    return ended.ok ? success({ sessions: pending.value.length, removed }) : ended
  }
  return (asked) => {
    const own = turn.then(() => forget(asked))
    turn = own.catch(() => undefined)
    return own
  }
}

const PAGE = 1_000
const MOST_IN_LEDGER = 100_000

/** The sessions that a pattern fits, of the index and of the log; also those of whom only the id is known, or whose forgetting was not finished. */
export async function forgettable(
  sessions: Pick<Sessions, 'list' | 'hidden'>,
  ledger: Pick<Ledger, 'sessions' | 'forgetting'> | undefined,
  pattern: string,
): Promise<Result<readonly Forgettable[]>> {
  const fits = fitting(pattern)
  const found = new Map<string, Omit<Forgettable, 'branches'>>()
  const look = ({ source, id, title, project }: Omit<Forgettable, 'branches'>) => {
    const name = nameOf(source, id)
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
  const told = await ledger?.sessions({ limit: MOST_IN_LEDGER })
  if (told?.ok === false) return told
  for (const { session_id, ...session } of told?.value.value ?? []) look({ ...session, id: session_id })
  const pending = (await ledger?.forgetting.pending()) ?? success([])
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

/** Whether the parts stand in the text one after the other, the first at its beginning and the last at its end. */
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
