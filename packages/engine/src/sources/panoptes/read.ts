import type { Message } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Listed, SessionRecord } from '../port.ts'
import { About } from './about.ts'
import { MAIN, messageOf, type Told } from './message.ts'
import type { ConversationRows, MessageRow } from './rows.ts'

const NOBODY = { parent_id: null, subagent_type: null, description: null, tool_use_id: null }

/** Reads a conversation; what others took the place of stands before them. */
export async function* readConversation(
  rows: ConversationRows,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const { id, place } = listed
  try {
    const head = await rows.head(id)
    if (head === undefined) {
      yield { kind: 'failed', failure: failure('not_found', `${place} is no longer there.`) }
      return
    }
    const about = new About(head.doc)
    const waiting = [...head.replaced]
    let copied = 0
    const told = function* ({ number, doc }: MessageRow, state: Message['state']): Generator<SessionRecord> {
      const one = messageOf(doc, {
        session: id,
        running: about.running,
        first: about.first,
        state,
      })
      if (one.copy) copied += 1
      if (one.model !== undefined) about.answered(one.model)
      if (one.problem !== undefined)
        yield { kind: 'skipped', place: `${place}:${number}`, reason: one.problem }
      yield* recordsOf(one)
    }
    const before = async function* (number: number): AsyncGenerator<SessionRecord> {
      for (let next = waiting[0]; next !== undefined && next.at <= number; next = waiting[0]) {
        waiting.shift()
        const row = await rows.replaced(next.number)
        if (row !== undefined) yield* told(row, 'rewound')
      }
    }
    yield { kind: 'agent', agent: { ...NOBODY, id: MAIN } }
    for (let after: number | undefined = -1; after !== undefined && !signal?.aborted; ) {
      const page = await rows.messages(id, after)
      for (const row of page.rows) {
        yield* before(row.number)
        yield* told(row, 'active')
      }
      after = page.more ? page.rows.at(-1)?.number : undefined
    }
    if (signal?.aborted) return
    yield* before(Number.POSITIVE_INFINITY)
    if (copied > 0)
      yield { kind: 'skipped', place, reason: `has ${copied} messages of the session it was forked from` }
    yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: rows.failureOf(error) }
  }
}

/** An answer after the agents that worked for it. */
function* recordsOf({ message, parts = [] }: Told): Generator<SessionRecord> {
  if (message === undefined) return
  for (const { agent, model, text, usage, cost_micro_usd } of parts) {
    yield { kind: 'agent', agent }
    const content = text === null ? [] : [{ type: 'text' as const, text }]
    const id = `${message.id}:${agent.id}`
    yield {
      kind: 'message',
      message: {
        ...message,
        worker: undefined,
        id,
        agent_id: agent.id,
        model,
        content,
        usage,
        cost_micro_usd,
      },
    }
  }
  yield { kind: 'message', message }
}

/** Some messages of a conversation, by their ids. */
export async function findMessages(
  rows: ConversationRows,
  { id: session }: Listed,
  ids: readonly string[],
): Promise<readonly Message[]> {
  try {
    const found = await rows.find(session, ids)
    return found.flatMap(({ doc, isReplaced }) => {
      const state = isReplaced ? ('rewound' as const) : ('active' as const)
      return messageOf(doc, { session, running: null, first: null, state }).message ?? []
    })
  } catch {
    return []
  }
}
