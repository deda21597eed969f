import type { Conversations, RunWish } from '@panoptes/engine/ledger'
import { pause } from '@panoptes/engine/waiting'
import type { ChatEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { noSuchChoice, tooLate } from './approvals.ts'
import { hasEnded } from './elsewhere.ts'
import { eventsIn } from './live-run.ts'

const LOOK_MS = 200
/** A question is stored within a second of being asked. */
const STORED_MS = 5_000
/** A wish is taken within a second, and done then. Whoever wished hears that it is on its way where it takes longer. */
const DONE_MS = 10_000

const nothing = failure('not_found', 'Nothing is being answered in this conversation.')

/** Stops a run that goes on in another process, and waits for its end. */
export async function stopElsewhere(conversations: Conversations, id: string): Promise<Result<null>> {
  const goesOn = await runOf(conversations, id)
  if (!goesOn.ok) return goesOn
  const run = goesOn.value
  const wished = await wish(conversations, id, run, { wants: 'stop' })
  if (!wished.ok) return wished
  await looking(DONE_MS, async () => {
    const now = await conversations.head(id)
    return now.ok && now.value?.run_id === run ? undefined : true
  })
  return success(null)
}

/** Answers a question of a run that goes on in another process. Of several answers the first counts. */
export async function answerElsewhere(
  conversations: Conversations,
  id: string,
  { request, choice }: { readonly request: string; readonly choice: string },
): Promise<Result<null>> {
  const goesOn = await runOf(conversations, id)
  if (!goesOn.ok) return goesOn
  const run = goesOn.value
  const asked = await looking(STORED_MS, () => askedIn(conversations, run, request))
  if (asked?.status !== 'started') return tooLate
  if (!asked.choices.includes(choice)) return noSuchChoice(asked.choices)
  const wished = await wish(conversations, id, run, { wants: 'answer', request, choice })
  if (!wished.ok) return wished
  if (!wished.value) return tooLate
  const decided = await looking(DONE_MS, async () => {
    const now = await askedIn(conversations, run, request)
    return now?.status === 'started' ? undefined : now
  })
  return decided === undefined || decided.choice === choice ? success(null) : tooLate
}

async function runOf(conversations: Conversations, id: string): Promise<Result<string>> {
  const head = await conversations.head(id)
  if (!head.ok) return head
  return head.value?.run_id == null ? nothing : success(head.value.run_id)
}

async function wish(
  conversations: Conversations,
  id: string,
  run: string,
  wanted: RunWish,
): Promise<Result<boolean>> {
  const wished = await conversations.wish(id, run, wanted)
  return !wished.ok && wished.code === 'not_found' ? nothing : wished
}

interface Asked {
  readonly status: string
  readonly choices: readonly string[]
  readonly choice: unknown
}

/** A question as it is stored; undefined where it is not yet. None comes in a run that is over. */
async function askedIn(
  conversations: Conversations,
  run: string,
  request: string,
): Promise<Asked | undefined> {
  const kept = await conversations.events(run)
  const events = kept.ok ? eventsIn(kept.value?.events ?? '') : []
  const told = events.findLast((event) => isAbout(event, request))
  if (told?.event !== 'progress' || (told.data.status === 'started' && hasEnded(events)))
    return hasEnded(events) ? { status: 'skipped', choices: [], choice: null } : undefined
  const { status, choices = [], detail } = told.data
  return { status, choices, choice: Object(detail).choice }
}

const isAbout = ({ event, data }: ChatEvent, request: string): boolean =>
  event === 'progress' && data.kind === 'approval' && data.request_id === request

/** Looks again and again for as long, until there is something. */
async function looking<T>(ms: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const until = Date.now() + ms
  for (;;) {
    const seen = await look()
    if (seen !== undefined || Date.now() >= until) return seen
    await pause(LOOK_MS)
  }
}
