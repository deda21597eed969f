import type { Message } from '@panoptes/schema'
import { failureOf } from '../failures.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { About } from './about.ts'
import { Conversation } from './conversation.ts'
import { Family, MAIN } from './family.ts'
import { NO_HEAD } from './head.ts'
import type { Library, Rollout, Thread } from './library.ts'
import { rolloutLines } from './lines.ts'
import { type FindRollout, Replay } from './replay.ts'

/** Reads the rollout of a thread and those of its sub-agents: the thread's own first, then each agent's in turn. */
export async function* readThread(
  library: Library,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  try {
    const { threads, rollouts } = await library.recent()
    const thread = threads.get(listed.id) ?? alone(listed)
    const [about, family] = [new About(thread), new Family(thread)]
    const find: FindRollout = (id) => rollouts.get(id)?.path
    const reading = { listed, about, family, find, signal }
    yield { kind: 'agent', agent: family.main() }
    yield* readRollout(reading, thread.rollout, MAIN)
    for (const rollout of thread.agents) {
      if (signal?.aborted) return
      yield { kind: 'agent', agent: family.agent(rollout) }
      yield* readRollout(reading, rollout, rollout.id)
    }
    // Who made whom may be told in a rollout that was read later.
    for (const rollout of thread.agents) yield { kind: 'agent', agent: family.agent(rollout) }
    if (!signal?.aborted) yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: failureOf(error, listed.place) }
  }
}

/** What was listed and is not found any more: reading it says why. */
const alone = ({ id, place }: Listed): Thread => ({
  rollout: { id, path: place, head: NO_HEAD },
  agents: [],
  title: null,
})

interface Reading {
  readonly listed: Listed
  readonly about: About
  readonly family: Family
  readonly find: FindRollout
  readonly signal: AbortSignal | undefined
}

async function* readRollout(
  { listed, about, family, find, signal }: Reading,
  { id, path, head }: Rollout,
  agent: string,
): AsyncGenerator<SessionRecord> {
  const replay = new Replay(id, head, find)
  const conversation = new Conversation({ session: listed.id, agent, thread: id, head })
  const passOn = function* (messages: readonly Message[]): Generator<SessionRecord> {
    for (const message of messages) {
      about.met(message)
      yield { kind: 'message', message }
    }
  }
  let first = true
  try {
    for await (const each of rolloutLines(path, signal)) {
      const said = (reason: string): SessionRecord => ({
        kind: 'skipped',
        place: `${path}:${each.line}`,
        reason,
      })
      if ('problem' in each) {
        yield said(each.problem)
        continue
      }
      const isHead = first && each.type === 'session_meta'
      first = false
      if (!isHead && (await replay.isCopy(each))) {
        conversation.passed(each)
        continue
      }
      about.at(each.ts)
      if (each.type === 'turn_context') about.turn(each.payload)
      if (each.type === 'event_msg' && agent === MAIN) about.event(each.payload)
      family.saw(each)
      const { messages, problem } = conversation.take(each)
      yield* passOn(messages)
      if (problem !== undefined) yield said(problem)
    }
    yield* passOn(conversation.end())
  } finally {
    await replay.end()
  }
}
