import { pause } from '@panoptes/engine/abortable'
import type { Conversations, RemoteCommand } from '@panoptes/engine/store'
import type { ChatEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { noSuchChoice, tooLate } from './approvals.ts'
import { parseEvents } from './live-run.ts'
import { hasEnded } from './remote-run.ts'

const LOOK_MS = 200
/** An approval request is stored within a second of being asked. */
const STORED_MS = 5_000
/**
 * A command is picked up within a second and carried out then. If it takes longer, the caller
 * learns that the command is pending.
 */
const DONE_MS = 10_000

const nothing = failure('not_found', 'No answer is running in this conversation.')

/** Stops a run in another process and waits for its end. */
export async function stopRemoteRun(conversations: Conversations, id: string): Promise<Result<null>> {
  const goesOn = await findRun(conversations, id)
  if (!goesOn.ok) return goesOn
  const run = goesOn.value
  const sent = await send(conversations, id, run, { wants: 'stop' })
  if (!sent.ok) return sent
  await pollUntil(DONE_MS, async () => {
    const now = await conversations.head(id)
    return now.ok && now.value?.run_id === run ? undefined : true
  })
  return success(null)
}

/** Answers an approval request of a run in another process. The first of several answers counts. */
export async function answerRemoteRun(
  conversations: Conversations,
  id: string,
  { request, choice }: { readonly request: string; readonly choice: string },
): Promise<Result<null>> {
  const goesOn = await findRun(conversations, id)
  if (!goesOn.ok) return goesOn
  const run = goesOn.value
  const approval = await pollUntil(STORED_MS, () => readApproval(conversations, run, request))
  if (approval?.status !== 'started') return tooLate
  if (!approval.choices.includes(choice)) return noSuchChoice(approval.choices)
  const sent = await send(conversations, id, run, { wants: 'answer', request, choice })
  if (!sent.ok) return sent
  if (!sent.value) return tooLate
  const decided = await pollUntil(DONE_MS, async () => {
    const now = await readApproval(conversations, run, request)
    return now?.status === 'started' ? undefined : now
  })
  return decided === undefined || decided.choice === choice ? success(null) : tooLate
}

async function findRun(conversations: Conversations, id: string): Promise<Result<string>> {
  const head = await conversations.head(id)
  if (!head.ok) return head
  return head.value?.run_id == null ? nothing : success(head.value.run_id)
}

async function send(
  conversations: Conversations,
  id: string,
  run: string,
  command: RemoteCommand,
): Promise<Result<boolean>> {
  const sent = await conversations.sendRemoteCommand(id, run, command)
  return !sent.ok && sent.code === 'not_found' ? nothing : sent
}

interface ApprovalState {
  readonly status: string
  readonly choices: readonly string[]
  readonly choice: unknown
}

/**
 * Reads a stored approval request; undefined if it is not stored yet. No more arrive after the run
 * has ended.
 */
async function readApproval(
  conversations: Conversations,
  run: string,
  request: string,
): Promise<ApprovalState | undefined> {
  const stored = await conversations.events(run)
  const events = stored.ok ? parseEvents(stored.value?.events ?? '') : []
  const latest = events.findLast((event) => isAbout(event, request))
  if (latest?.event !== 'progress' || (latest.data.status === 'started' && hasEnded(events)))
    return hasEnded(events) ? { status: 'skipped', choices: [], choice: null } : undefined
  const { status, choices = [], detail } = latest.data
  return { status, choices, choice: Object(detail).choice }
}

const isAbout = ({ event, data }: ChatEvent, request: string): boolean =>
  event === 'progress' && data.kind === 'approval' && data.request_id === request

/** Polls for this long until there is a result. */
async function pollUntil<T>(ms: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const until = Date.now() + ms
  for (;;) {
    const seen = await look()
    if (seen !== undefined || Date.now() >= until) return seen
    await pause(LOOK_MS)
  }
}
