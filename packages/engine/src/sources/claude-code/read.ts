import { basename } from 'node:path'
import { extractUserMessage } from '@panoptes/engine/markers'
import type { Failure, Message, Session } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { toFailure } from '../failures.ts'
import { type Fields, toText, toTime } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { promptTitle } from '../title.ts'
import { Family, MAIN } from './agents.ts'
import { ClientTotal } from './client-total.ts'
import { Copies } from './copies.ts'
import type { Strays } from './legacy-agent-files.ts'
import type { Originals } from './originals.ts'
import { Payments } from './payments.ts'
import { findPresence, type IsForgotten } from './presence.ts'
import { Replies } from './replies.ts'
import { toMessage } from './row.ts'

/** What the files around a transcript say about it. */
export interface Around {
  readonly projects: string
  readonly originals: Originals
  readonly strays: Strays
  readonly isForgotten: IsForgotten
}

/** Reads a transcript and those of its agents: the session's own first, then each agent's in turn. */
export async function* readSession(
  around: Around,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const about = new About()
  const family = new Family()
  const payments = new Payments()
  const total = new ClientTotal()
  const { originals, strays } = around
  const copies = new Copies(listed, (id) => findPresence(around, id, listed.place))
  const emitted = new Set<string>()
  try {
    await copies.compare(originals, signal)
    const files = await strays.findAgentFiles(listed.id, listed.place)
    for (const file of files) await family.describe(file)
    for (const { id, path } of [{ id: MAIN, path: listed.place }, ...files])
      yield* readFile({ listed, path, agent: id, about, family, payments, total, copies, emitted, signal })
    // The creator and the end of an agent may be recorded in a file that is read later.
    for (const id of emitted) yield { kind: 'agent', agent: family.agent(id) }
    if (signal?.aborted) return
    const client_spending = await total.total(listed.place, about.origin)
    yield {
      kind: 'session',
      session: { ...about.session(listed), ...(client_spending && { client_spending }) },
    }
  } catch (error) {
    yield { kind: 'failed', failure: failureIn(error, listed.place) }
  }
}

/**
 * Only a missing transcript means that the session is gone. Another missing file is simply not listed next
 * time.
 */
function failureIn(error: unknown, own: string): Failure {
  const { path: place = own } = error as NodeJS.ErrnoException
  const failed = toFailure(error, place)
  if (failed.code !== 'not_found' || place === own) return failed
  return failure('io', `${place} disappeared while the session was read. Try again.`)
}

interface Reading {
  readonly listed: Listed
  readonly path: string
  /** The owner of the file. Rows of older clients may name another agent. */
  readonly agent: string
  readonly about: About
  readonly family: Family
  readonly payments: Payments
  readonly total: ClientTotal
  readonly copies: Copies
  /** The agents that were yielded. */
  readonly emitted: Set<string>
  readonly signal: AbortSignal | undefined
}

async function* readFile(reading: Reading): AsyncGenerator<SessionRecord> {
  const { listed, path, agent, about, family, payments, total, copies, emitted, signal } = reading
  const replies = new Map<string, Replies>()
  let copied = false
  const passOn = function* (messages: Iterable<Message>): Generator<SessionRecord> {
    for (const message of messages) {
      about.addMessage(message)
      yield { kind: 'message', message }
    }
  }
  const tell = function* (id: string): Generator<SessionRecord> {
    if (emitted.has(id)) return
    emitted.add(id)
    yield { kind: 'agent', agent: family.agent(id) }
  }
  if (agent === MAIN) yield* tell(agent)
  for await (const each of jsonLines(path, signal)) {
    if ('problem' in each) {
      yield { kind: 'skipped', place: `${path}:${each.line}`, reason: each.problem }
      continue
    }
    const row = each.value
    const owner = agent === MAIN ? rowOwner(row) : agent
    family.saw(row, owner)
    const origin = await copies.origin(row, path)
    if (origin !== undefined) {
      copied = true
      if (agent === MAIN) {
        about.sawCopy(row, origin.from)
        total.sawCopy(row)
      }
      continue
    }
    about.saw(row)
    family.ended(row, owner)
    if (agent === MAIN) total.saw(row)
    yield* tell(owner)
    const message = toMessage(row, listed.id, owner)
    if (message === undefined || copies.isAgain(row)) continue
    if (message.usage !== null && agent === MAIN) total.replied()
    else if (message.usage !== null) total.repliedElsewhere(message.ts)
    let own = replies.get(owner)
    if (own === undefined) {
      own = new Replies(payments)
      replies.set(owner, own)
    }
    yield* passOn(own.take(message))
  }
  for (const own of replies.values()) yield* passOn(own.end())
  // An agent with nothing but copied rows worked in another session.
  if (!copied) yield* tell(agent)
}

/** Older clients kept an agent's rows in the session's own file. */
const rowOwner = (row: Fields): string =>
  row.isSidechain === true ? (toText(row.agentId) ?? 'sidechain') : MAIN

/** Collects the metadata of a session from its rows. */
class About {
  #cwd: string | null = null
  #branch: string | null = null
  /** A title from a person takes precedence over a generated one. */
  #customTitle: string | null = null
  #made: string | null = null
  #prompt: string | null = null
  #first: number | null = null
  #last: number | null = null
  #copiedFrom: string | null = null
  #isBranch = false
  /** The time of the last copied row. The session begins after it. */
  #copiedUntil: number | null = null
  #spoke = false
  readonly #models = new Map<string, number>()

  saw(row: Fields): void {
    this.#cwd ??= toText(row.cwd)
    this.#branch = toText(row.gitBranch) ?? this.#branch
    if (row.type === 'custom-title') this.#customTitle = toText(row.customTitle) ?? this.#customTitle
    if (row.type === 'ai-title') this.#made = toText(row.aiTitle) ?? this.#made
    if (row.type === 'summary') this.#made = toText(row.summary) ?? this.#made
    const ts = toTime(row.timestamp)
    if (ts === null) return
    this.#first = Math.min(this.#first ?? ts, ts)
    this.#last = Math.max(this.#last ?? ts, ts)
  }

  /** Records a copied row. In a branch of a branch, the last copied rows are from the nearer one. */
  sawCopy(row: Fields, from: string | null): void {
    this.#cwd ??= toText(row.cwd)
    this.#branch ??= toText(row.gitBranch)
    this.#isBranch = true
    if (!this.#spoke) this.#copiedFrom = from ?? this.#copiedFrom
    const ts = toTime(row.timestamp)
    if (ts !== null) this.#copiedUntil = Math.max(this.#copiedUntil ?? ts, ts)
  }

  addMessage(message: Message): void {
    this.#spoke = true
    if (message.model !== null) this.#models.set(message.model, (this.#models.get(message.model) ?? 0) + 1)
    if (this.#prompt !== null || message.role !== 'user' || message.agent_id !== MAIN) return
    if (message.hidden || message.state !== 'active') return
    const [block] = message.content.filter((each) => each.type === 'text')
    const prompt = block?.type === 'text' ? extractUserMessage(block.text) : '<'
    if (!prompt.startsWith('<')) this.#prompt = promptTitle(prompt)
  }

  /**
   * The session that this one begins with a copy of: null when it must not be named, undefined when it copies
   * none.
   */
  get origin(): string | null | undefined {
    return this.#isBranch ? this.#copiedFrom : undefined
  }

  session({ id, fingerprint }: Listed): Session {
    const [model] = [...this.#models].sort(([, a], [, b]) => b - a)[0] ?? [null]
    return {
      source: 'claude-code',
      id,
      parent_id: this.#copiedFrom,
      lineage: this.#copiedFrom === null ? 'root' : 'branch',
      title: this.#customTitle ?? this.#made ?? this.#prompt,
      project: this.#cwd === null ? null : basename(this.#cwd) || this.#cwd,
      cwd: this.#cwd,
      git_branch: this.#branch,
      model,
      started_at: this.#first ?? this.#copiedUntil,
      last_at: this.#last ?? this.#copiedUntil,
      ended_at: null,
      fingerprint,
    }
  }
}
