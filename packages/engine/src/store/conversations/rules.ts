import { Refused } from '@panoptes/engine/worker-rpc'
import type { AgentStates, ConversationHead, StoredChatMessage } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { ConversationChange, RunBeginning, RunEnding, RunProgress } from '../conversations-port.ts'
import { parseHead, parseStates, type StoredRow } from './row-parsing.ts'

/** This many parts of runs keep their events, so that a page that reconnects misses nothing. */
export const MOST_PARTS = 20_000

export const NO_STATE: AgentStates = { v: 1, active: null, runtimes: {} }

export const noConversation = (id: string) => new Refused(failure('not_found', `No conversation ${id}.`))

export const noMessage = (id: string) =>
  new Refused(failure('not_found', `This conversation has no message ${id}.`))

export function changeHead(was: ConversationHead, change: ConversationChange): ConversationHead {
  const { title = was.title, runtime = was.runtime } = change
  const { model = runtime === was.runtime ? was.model : null } = change
  const { shared = was.shared } = change
  return { ...was, title, runtime, model, ...(shared !== undefined && { shared }) }
}

export function beginHead(row: StoredRow, run: RunBeginning): ConversationHead {
  if (row.run_id !== null)
    throw new Refused(failure('busy', 'This conversation is already answering a message.'))
  const head = parseHead(row)
  return {
    ...head,
    title: head.title === '' ? (run.title ?? '') : head.title,
    runtime: run.runtime,
    first_runtime: head.first_runtime ?? run.runtime,
    model: run.model ?? null,
    run_id: run.run_id,
    updated_at: run.user.ts,
  }
}

export function requireOwnMessage({ role }: StoredChatMessage): void {
  if (role !== 'user')
    throw new Refused(failure('invalid', 'You can replace only your own messages, not answers.'))
}

/** Progress of a run that is no longer the current one arrives late: another process has ended that run. */
export function requireCurrentRun(row: StoredRow, { run_id }: RunProgress): void {
  if (row.run_id !== run_id) throw new Refused(failure('invalid', 'This run has already ended.'))
}

interface Ended {
  readonly head: ConversationHead
  readonly states: AgentStates
  readonly revision: number
}

export function endConversationRun(row: StoredRow, run: RunEnding): Ended {
  requireCurrentRun(row, run)
  const was = parseHead(row)
  const head = {
    ...was,
    run_id: null,
    last_status: run.answer.status,
    updated_at: run.answer.ended_at ?? was.updated_at,
  }
  const stored = parseStates(row)
  const states: AgentStates = { v: 1, active: run.answer.runtime ?? stored.active, runtimes: stored.runtimes }
  const revision = Number(row.state_revision)
  const { compartment } = run
  if (compartment === undefined) return { head, states, revision }
  const { runtime, value } = compartment
  if (runtime !== run.answer.runtime)
    throw new Refused(failure('invalid', `Only ${runtime} can change its state.`))
  const rev = stored.runtimes[runtime]?.rev ?? 0
  if (rev !== compartment.was)
    throw new Refused(failure('invalid', `The state of ${runtime} was changed by another process.`))
  const runtimes = { ...stored.runtimes, [runtime]: { ...value, rev: rev + 1 } }
  return { head, states: { ...states, runtimes }, revision: revision + 1 }
}

/** Builds a message as a fork stores it, where no run belongs to it. */
export const forkMessage = (message: StoredChatMessage, fork: string, number: number): StoredChatMessage => ({
  ...message,
  id: `${fork}-${number}`,
  run_id: null,
})

/** Context about the person is copied into a fork only if the same person owns it. */
export const isSameOwner = (one: ConversationHead, other: ConversationHead): boolean =>
  (one.owner ?? null) === (other.owner ?? null)
