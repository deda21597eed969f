import type { SessionAgent } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { databaseFailureOf } from '../database/failures.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { About, MAIN, type Told } from './about.ts'
import { messagesOf } from './message.ts'
import { madeBy } from './parts.ts'
import { OWNER, placed } from './places.ts'
import type { Store } from './store.ts'

/** Calls that made a session, by its id. */
type Calls = Map<string, { readonly id: string; readonly asked: string | null }>

interface Reading {
  readonly store: Store
  readonly listed: Listed
  readonly about: About
  readonly calls: Calls
  readonly signal: AbortSignal | undefined
}

/** Reads a session of a store, and those it made: its own messages first, then each agent's in turn. */
export async function* readSession(
  store: Store,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const { id } = placed(listed.place)
  try {
    const row = await store.session(id)
    if (row === undefined) {
      yield { kind: 'failed', failure: failure('not_found', `${listed.place} is no longer there.`) }
      return
    }
    const about = new About(row)
    const reading = { store, listed, about, calls: new Map(), signal }
    yield { kind: 'agent', agent: { ...NOBODY, id: MAIN } }
    yield* readOne(reading, { id, agent: MAIN, row })
    for await (const child of childrenOf(store, id)) {
      if (signal?.aborted) return
      const agent = agentOf(child, id, reading.calls)
      yield { kind: 'agent', agent }
      yield* readOne(reading, { id: child.id, agent: child.id, row: child.row })
    }
    if (!signal?.aborted) yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: databaseFailureOf(error, store.path, OWNER) }
  }
}

const NOBODY = { parent_id: null, subagent_type: null, description: null, tool_use_id: null }

interface Child {
  readonly id: string
  readonly row: Told
}

/** The sessions that a session made, each followed by those it made itself. */
async function* childrenOf(store: Store, root: string): AsyncGenerator<Child> {
  const seen = new Set([root])
  const open = [root]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id !== root) {
      const row = await store.session(id)
      if (row !== undefined) yield { id, row }
    }
    for (const child of [...(await store.children(id))].reverse()) {
      if (seen.has(child)) continue
      seen.add(child)
      open.push(child)
    }
  }
}

/** OpenCode adds the kind of agent to the title of what it does. */
const KIND = / \(@([^()]+) subagent\)$/

function agentOf({ id, row }: Child, root: string, calls: Calls): SessionAgent {
  const call = calls.get(id)
  return {
    id,
    parent_id: row.parent === root ? MAIN : row.parent,
    subagent_type: row.agent ?? KIND.exec(row.title ?? '')?.[1] ?? null,
    description: call?.asked ?? row.title?.replace(KIND, '') ?? null,
    tool_use_id: call?.id ?? null,
  }
}

async function* readOne(
  { store, listed, about, calls, signal }: Reading,
  { id, agent, row }: { readonly id: string; readonly agent: string; readonly row: Told },
): AsyncGenerator<SessionRecord> {
  let copied = 0
  for await (const each of store.messages(id, signal)) {
    const { messages, problems, copy } = messagesOf(each, { session: listed.id, agent, row })
    if (copy) copied += 1
    for (const part of each.parts) noteCall(calls, part)
    for (const message of messages) {
      about.met(message)
      yield { kind: 'message', message }
    }
    for (const reason of problems) yield { kind: 'skipped', place: `${listed.place}:${each.id}`, reason }
  }
  if (copied > 0)
    yield {
      kind: 'skipped',
      place: listed.place,
      reason: `has ${copied} messages of the session it was forked from`,
    }
}

function noteCall(calls: Calls, part: Fields): void {
  const made = part.type === 'tool' ? madeBy(part) : null
  const call = textOf(part.callID)
  if (made === null || call === null) return
  calls.set(made, { id: call, asked: textOf(fieldsOf(fieldsOf(part.state).input).description) })
}
