import { Refused } from '@panoptes/engine/threads'
import type { AgentStates, ConversationHead, StoredChatMessage } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { ConversationChange, RunBeginning, RunEnding, RunProgress } from '../conversations-port.ts'
import { headIn, type StoredRow, statesIn } from './stored.ts'

/** Parts of runs whose events are kept, so that a page that comes back misses nothing. */
export const MOST_PARTS = 20_000

export const NO_STATE: AgentStates = { v: 1, active: null, runtimes: {} }

export const noConversation = (id: string) =>
  new Refused(failure('not_found', `There is no conversation ${id}.`))

export const noMessage = (id: string) =>
  new Refused(failure('not_found', `There is no message ${id} in this conversation.`))

export function changed(was: ConversationHead, change: ConversationChange): ConversationHead {
  const { title = was.title, runtime = was.runtime } = change
  const { model = runtime === was.runtime ? was.model : null } = change
  const { shared = was.shared } = change
  return { ...was, title, runtime, model, ...(shared !== undefined && { shared }) }
}

export function begun(row: StoredRow, run: RunBeginning): ConversationHead {
  if (row.run_id !== null)
    throw new Refused(failure('busy', 'Another message of this conversation is being answered.'))
  const head = headIn(row)
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

export function mayBeReplaced({ role }: StoredChatMessage): void {
  if (role !== 'user')
    throw new Refused(
      failure('invalid', 'Only a message of the person can be replaced; an answer follows from it.'),
    )
}

/** Whoever tells of a run that is not the present one is late: it was ended by somebody else. */
export function isPresent(row: StoredRow, { run_id }: RunProgress): void {
  if (row.run_id !== run_id) throw new Refused(failure('invalid', 'This run has ended already.'))
}

interface Ended {
  readonly head: ConversationHead
  readonly states: AgentStates
  readonly revision: number
}

export function ended(row: StoredRow, run: RunEnding): Ended {
  isPresent(row, run)
  const was = headIn(row)
  const head = {
    ...was,
    run_id: null,
    last_status: run.answer.status,
    updated_at: run.answer.ended_at ?? was.updated_at,
  }
  const kept = statesIn(row)
  const states: AgentStates = { v: 1, active: run.answer.runtime ?? kept.active, runtimes: kept.runtimes }
  const revision = Number(row.state_revision)
  const { compartment } = run
  if (compartment === undefined) return { head, states, revision }
  const { runtime, value } = compartment
  if (runtime !== run.answer.runtime)
    throw new Refused(failure('invalid', `The state of ${runtime} is not for others to write.`))
  const rev = kept.runtimes[runtime]?.rev ?? 0
  if (rev !== compartment.was)
    throw new Refused(failure('invalid', `The state of ${runtime} was changed by somebody else.`))
  const runtimes = { ...kept.runtimes, [runtime]: { ...value, rev: rev + 1 } }
  return { head, states: { ...states, runtimes }, revision: revision + 1 }
}

/** A message as a fork has it: no run of the fork answered it. */
export const forked = (message: StoredChatMessage, fork: string, number: number): StoredChatMessage => ({
  ...message,
  id: `${fork}-${number}`,
  run_id: null,
})

/** What was sent of the person goes with a fork only where it is their own again. */
export const isSameOwner = (one: ConversationHead, other: ConversationHead): boolean =>
  (one.owner ?? null) === (other.owner ?? null)
