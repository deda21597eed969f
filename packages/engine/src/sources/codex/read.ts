import { basename } from 'node:path'
import type { Message, Session } from '@panoptes/schema'
import { toFailure } from '../failures.ts'
import { type Fields, toText } from '../fields.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { promptTitle } from '../title.ts'
import { Conversation } from './conversation.ts'
import { Family, MAIN } from './family.ts'
import { NO_HEAD } from './head.ts'
import { rolloutLines } from './lines.ts'
import { type FindRollout, Replay } from './replay.ts'
import type { Library, Rollout, Thread } from './thread-index.ts'

/** Reads the rollouts of a thread and its sub-agents: the thread's own first, then each agent's in turn. */
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
    // The creator of an agent may be recorded in a rollout that is read later.
    for (const rollout of thread.agents) yield { kind: 'agent', agent: family.agent(rollout) }
    if (!signal?.aborted) yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: toFailure(error, listed.place) }
  }
}

/** A listed thread that is no longer found; reading it gives the reason. */
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
      about.addMessage(message)
      yield { kind: 'message', message }
    }
  }
  let first = true
  try {
    for await (const each of rolloutLines(path, signal)) {
      const skip = (reason: string): SessionRecord => ({
        kind: 'skipped',
        place: `${path}:${each.line}`,
        reason,
      })
      if ('problem' in each) {
        yield skip(each.problem)
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
      if (problem !== undefined) yield skip(problem)
    }
    yield* passOn(conversation.end())
  } finally {
    await replay.end()
  }
}

/** Collects the metadata of a session from its rollouts. */
class About {
  readonly #thread: Thread
  #name: string | null = null
  #prompt: string | null = null
  #cwd: string | null = null
  #first: number | null = null
  #last: number | null = null
  readonly #models = new Map<string, number>()

  constructor(thread: Thread) {
    this.#thread = thread
  }

  /** Records the time of a line. */
  at(ts: number | null): void {
    if (ts === null) return
    this.#first = Math.min(this.#first ?? ts, ts)
    this.#last = Math.max(this.#last ?? ts, ts)
  }

  turn(context: Fields): void {
    this.#cwd ??= toText(context.cwd)
  }

  event(event: Fields): void {
    if (event.type === 'thread_name_updated') this.#name = toText(event.thread_name)?.trim() || this.#name
  }

  addMessage({ role, agent_id, model, hidden, state, content }: Message): void {
    if (model !== null) this.#models.set(model, (this.#models.get(model) ?? 0) + 1)
    if (this.#prompt !== null || role !== 'user' || agent_id !== MAIN || hidden || state !== 'active') return
    const block = content.find((each) => each.type === 'text')
    if (block?.type === 'text') this.#prompt = promptTitle(block.text)
  }

  session({ id, fingerprint }: Listed): Session {
    const { head } = this.#thread.rollout
    const cwd = head.cwd ?? this.#cwd
    const [model] = [...this.#models].sort(([, a], [, b]) => b - a)[0] ?? [null]
    return {
      source: 'codex',
      id,
      parent_id: head.forkedFrom ?? head.parent,
      lineage: head.isAgent ? 'subagent' : head.forkedFrom === null ? 'root' : 'branch',
      title: this.#thread.title ?? this.#name ?? this.#prompt,
      project: cwd === null ? null : basename(cwd) || cwd,
      cwd,
      git_branch: head.branch,
      model,
      started_at: this.#first ?? head.startedAt,
      last_at: this.#last ?? head.startedAt,
      ended_at: null,
      fingerprint,
    }
  }
}
