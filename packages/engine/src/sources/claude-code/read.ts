import type { Message } from '@panoptes/schema'
import { failureOf } from '../failures.ts'
import { textOf } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { About } from './about.ts'
import { Family, MAIN } from './agents.ts'
import { agentFilesOf } from './places.ts'
import { Replies } from './replies.ts'
import { messageOf } from './row.ts'

/** Reads a transcript and those of its agents: the session's own first, then each agent's in turn. */
export async function* readSession(listed: Listed, signal?: AbortSignal): AsyncGenerator<SessionRecord> {
  const about = new About()
  const family = new Family()
  try {
    const files = await agentFilesOf(listed.place)
    for (const file of files) await family.describe(file)
    yield* readFile({ listed, path: listed.place, agent: MAIN, about, family, signal })
    for (const { id, path } of files) yield* readFile({ listed, path, agent: id, about, family, signal })
    // Who made whom may be told in a file that was read later.
    for (const { id } of files) yield { kind: 'agent', agent: family.agent(id) }
    if (!signal?.aborted) yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: failureOf(error, listed.place) }
  }
}

interface Reading {
  readonly listed: Listed
  readonly path: string
  /** Whose file it is; rows of older clients may say that they are another's. */
  readonly agent: string
  readonly about: About
  readonly family: Family
  readonly signal: AbortSignal | undefined
}

async function* readFile(reading: Reading): AsyncGenerator<SessionRecord> {
  const { listed, path, agent, about, family, signal } = reading
  const replies = new Map<string, Replies>()
  const passOn = function* (messages: Iterable<Message>): Generator<SessionRecord> {
    for (const message of messages) {
      about.met(message)
      yield { kind: 'message', message }
    }
  }
  yield { kind: 'agent', agent: family.agent(agent) }
  for await (const each of jsonLines(path, signal)) {
    if ('problem' in each) {
      yield { kind: 'skipped', place: `${path}:${each.line}`, reason: each.problem }
      continue
    }
    const row = each.value
    const owner = agent === MAIN ? ownerOf(row) : agent
    about.saw(row)
    family.saw(row, owner)
    const message = messageOf(row, listed.id, owner)
    if (message === undefined) continue
    let own = replies.get(owner)
    if (own === undefined) {
      own = new Replies()
      replies.set(owner, own)
      if (owner !== agent) yield { kind: 'agent', agent: family.agent(owner) }
    }
    yield* passOn(own.take(message))
  }
  for (const own of replies.values()) yield* passOn(own.end())
}

/** Older clients kept an agent's rows among the session's own. */
const ownerOf = (row: Readonly<Record<string, unknown>>): string =>
  row.isSidechain === true ? (textOf(row.agentId) ?? 'sidechain') : MAIN
