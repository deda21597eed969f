import type { Failure, Message } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { failureOf } from '../failures.ts'
import { type Fields, textOf } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { About } from './about.ts'
import { Family, MAIN } from './agents.ts'
import { Copies } from './copies.ts'
import type { Originals } from './originals.ts'
import { Payments } from './payments.ts'
import { type IsForgotten, presenceOf } from './presence.ts'
import { Replies } from './replies.ts'
import { messageOf } from './row.ts'
import type { Strays } from './strays.ts'

/** What the files around a transcript tell of it. */
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
  const { originals, strays } = around
  const copies = new Copies(listed, (id) => presenceOf(around, id, listed.place))
  const told = new Set<string>()
  try {
    await copies.compare(originals, signal)
    const files = await strays.agentsOf(listed.id, listed.place)
    for (const file of files) await family.describe(file)
    for (const { id, path } of [{ id: MAIN, path: listed.place }, ...files])
      yield* readFile({ listed, path, agent: id, about, family, payments, copies, told, signal })
    // Who made whom may be told in a file that was read later.
    for (const id of told) if (id !== MAIN) yield { kind: 'agent', agent: family.agent(id) }
    if (!signal?.aborted) yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: failureIn(error, listed.place) }
  }
}

/** Only a session whose own file is gone is gone: another file that went meanwhile is no longer listed the next time. */
function failureIn(error: unknown, own: string): Failure {
  const { path: place = own } = error as NodeJS.ErrnoException
  const failed = failureOf(error, place)
  if (failed.code !== 'not_found' || place === own) return failed
  return failure('io', `${place} went while the session was read. Try again.`)
}

interface Reading {
  readonly listed: Listed
  readonly path: string
  /** Whose file it is; rows of older clients may say that they are another's. */
  readonly agent: string
  readonly about: About
  readonly family: Family
  readonly payments: Payments
  readonly copies: Copies
  /** The agents that were given out. */
  readonly told: Set<string>
  readonly signal: AbortSignal | undefined
}

async function* readFile(reading: Reading): AsyncGenerator<SessionRecord> {
  const { listed, path, agent, about, family, payments, copies, told, signal } = reading
  const replies = new Map<string, Replies>()
  let copied = false
  const passOn = function* (messages: Iterable<Message>): Generator<SessionRecord> {
    for (const message of messages) {
      about.met(message)
      yield { kind: 'message', message }
    }
  }
  const tell = function* (id: string): Generator<SessionRecord> {
    if (told.has(id)) return
    told.add(id)
    yield { kind: 'agent', agent: family.agent(id) }
  }
  if (agent === MAIN) yield* tell(agent)
  for await (const each of jsonLines(path, signal)) {
    if ('problem' in each) {
      yield { kind: 'skipped', place: `${path}:${each.line}`, reason: each.problem }
      continue
    }
    const row = each.value
    const owner = agent === MAIN ? ownerOf(row) : agent
    family.saw(row, owner)
    const origin = await copies.origin(row, path)
    if (origin !== undefined) {
      copied = true
      if (agent === MAIN) about.sawCopy(row, origin.from)
      continue
    }
    about.saw(row)
    yield* tell(owner)
    const message = messageOf(row, listed.id, owner)
    if (message === undefined || copies.isAgain(row)) continue
    let own = replies.get(owner)
    if (own === undefined) {
      own = new Replies(payments)
      replies.set(owner, own)
    }
    yield* passOn(own.take(message))
  }
  for (const own of replies.values()) yield* passOn(own.end())
  // One of whom there are only copies worked in another session.
  if (!copied) yield* tell(agent)
}

/** Older clients kept an agent's rows among the session's own. */
const ownerOf = (row: Fields): string =>
  row.isSidechain === true ? (textOf(row.agentId) ?? 'sidechain') : MAIN
