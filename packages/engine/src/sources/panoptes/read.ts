import type { SQLOutputValue } from 'node:sqlite'
import type { Message, Session } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { failure } from '@panoptes/schema/result'
import { columnText } from '../database/text.ts'
import { type Fields, toFields, toText, toTime } from '../fields.ts'
import { parsed } from '../json.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { MAIN, type RowResult, toMessage } from './message.ts'
import type { ConversationRows, MessageRow } from './rows.ts'

const NOBODY = { parent_id: null, subagent_type: null, description: null, tool_use_id: null }

/** Reads a conversation. Replaced messages precede their replacements. */
export async function* readConversation(
  rows: ConversationRows,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const { id, place } = listed
  try {
    const head = await rows.head(id)
    if (head === undefined) {
      yield { kind: 'failed', failure: failure('not_found', `${place} no longer exists.`) }
      return
    }
    const about = new About(head.doc)
    const waiting = [...head.replaced]
    let copied = 0
    const readRow = function* (
      { number, doc }: MessageRow,
      state: Message['state'],
    ): Generator<SessionRecord> {
      const one = toMessage(doc, {
        session: id,
        running: about.running,
        first: about.first,
        state,
      })
      if (one.copy) copied += 1
      if (one.model !== undefined) about.answered(one.model)
      if (one.problem !== undefined)
        yield { kind: 'skipped', place: `${place}:${number}`, reason: one.problem }
      yield* toRecords(one)
    }
    const before = async function* (number: number): AsyncGenerator<SessionRecord> {
      for (let next = waiting[0]; next !== undefined && next.at <= number; next = waiting[0]) {
        waiting.shift()
        const row = await rows.replaced(next.number)
        if (row !== undefined) yield* readRow(row, 'rewound')
      }
    }
    yield { kind: 'agent', agent: { ...NOBODY, id: MAIN } }
    for (let after: number | undefined = -1; after !== undefined && !signal?.aborted; ) {
      const page = await rows.messages(id, after)
      for (const row of page.rows) {
        yield* before(row.number)
        yield* readRow(row, 'active')
      }
      after = page.more ? page.rows.at(-1)?.number : undefined
    }
    if (signal?.aborted) return
    yield* before(Number.POSITIVE_INFINITY)
    if (copied > 0)
      yield {
        kind: 'skipped',
        place,
        reason: `has ${plural(copied, 'message')} of the session it was forked from`,
      }
    yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: rows.toFailure(error) }
  }
}

/** Yields an answer after the agents that worked on it. */
function* toRecords({ message, parts = [] }: RowResult): Generator<SessionRecord> {
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

/** Finds messages of a conversation by their ids. */
export async function findMessages(
  rows: ConversationRows,
  { id: session }: Listed,
  ids: readonly string[],
): Promise<readonly Message[]> {
  try {
    const found = await rows.find(session, ids)
    return found.flatMap(({ doc, isReplaced }) => {
      const state = isReplaced ? ('rewound' as const) : ('active' as const)
      return toMessage(doc, { session, running: null, first: null, state }).message ?? []
    })
  } catch {
    return []
  }
}

/** Collects the metadata of a conversation from its row and its answers. */
export class About {
  readonly #head: Fields
  readonly #models = new Map<string, number>()
  /** The active run. */
  readonly running: string | null

  /** The runtime that answered first. */
  readonly first: string | null

  constructor(doc: SQLOutputValue) {
    this.#head = toFields(parsed(columnText(doc)))
    this.running = toText(this.#head.run_id)
    this.first = toText(this.#head.first_runtime)
  }

  answered(model: string): void {
    this.#models.set(model, (this.#models.get(model) ?? 0) + 1)
  }

  session({ id, fingerprint }: Listed): Session {
    const { title, created_at, updated_at, forked_from } = this.#head
    const parent = toText(toFields(forked_from).id)
    const [model] = [...this.#models].sort(([, a], [, b]) => b - a)[0] ?? [null]
    const started = toTime(created_at)
    return {
      source: 'panoptes',
      id,
      parent_id: parent,
      lineage: parent === null ? 'root' : 'branch',
      title: toText(title),
      project: null,
      cwd: null,
      git_branch: null,
      model,
      started_at: started,
      last_at: toTime(updated_at) ?? started,
      ended_at: null,
      fingerprint,
    }
  }
}
