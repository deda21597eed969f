import { type CommandInput, createCommandRunner } from '@panoptes/engine/command'
import type { EventRow, Ledger } from '@panoptes/engine/ledger'
import { agentOf, isKind, type StoredEvent, saysFailed } from '@panoptes/schema'
import { follow } from './follow.ts'
import { createHeldWaits } from './held-waits.ts'

export interface NotifierOptions {
  readonly ledger: Ledger
  /** For sh; what happened is never part of it. */
  readonly command: string
  /** The variables that it gets, beside its own; those of this process where nobody says. */
  readonly env?: NodeJS.ProcessEnv
  readonly now?: () => number
  readonly timeoutMs?: number
  /** How long an agent has to wait before it is told, and how often that is looked at. */
  readonly holdMs?: number
  readonly everyMs?: number
  /** Why a run of the command failed. */
  readonly failed?: (reason: string) => void
}

/** Runs a command of the person's own when an agent waits, is stuck or failed. */
export interface Notifier {
  readonly stop: () => Promise<void>
}

/** What happened earlier is history that arrives late. */
const FRESH_MS = 60_000
/** A failure or a silence of the same agent within this time is told once; a wait is told once however long. */
const AGAIN_MS = 30_000
const HOLD_MS = 10_000
const LOOK_MS = 1_000
const MOST_REMEMBERED = 1_000

export function createNotifier(options: NotifierOptions): Notifier {
  const now = options.now ?? Date.now
  const stop = new AbortController()
  const told = new Map<string, number>()
  const runner = createCommandRunner(options)

  const see = ({ json }: EventRow) => {
    if (!MAY_MATTER.test(json)) return
    const event = JSON.parse(json) as StoredEvent
    if (reasonOf(event) === undefined || now() - event.ts > FRESH_MS) return
    if (isKind(event, 'agent_wait')) waits.see(event)
    else if (isNews(event)) run(event)
  }

  const run = (event: StoredEvent): boolean =>
    runner.run(async () =>
      isKind(event, 'agent_wait') || (await isShown(options.ledger, event)) ? inputOf(event) : null,
    )

  const waits = createHeldWaits({
    ledger: options.ledger,
    now,
    holdMs: options.holdMs ?? HOLD_MS,
    everyMs: options.everyMs ?? LOOK_MS,
    tell: run,
  })

  const isNews = (event: StoredEvent): boolean => {
    const name = JSON.stringify([event.event, event.source, event.session_id, agentOf(event)])
    const last = told.get(name) ?? Number.NEGATIVE_INFINITY
    if (now() - last < AGAIN_MS) return false
    told.delete(name)
    told.set(name, now())
    for (const oldest of told.keys()) {
      if (told.size <= MOST_REMEMBERED) break
      told.delete(oldest)
    }
    return true
  }

  const start = async () => {
    const head = await options.ledger.head()
    await follow(options.ledger, head.ok ? head.value.last : 0, see, stop.signal)
  }

  const following = start()
  return {
    stop: async () => {
      stop.abort()
      await Promise.all([following, waits.stop()])
      await runner.stop()
    },
  }
}

/** Of a session that a hook started no agent is shown. */
async function isShown(ledger: Ledger, event: StoredEvent): Promise<boolean> {
  const { source, session_id: session } = event
  const find = (id?: string) =>
    ledger.agents({ of: [{ source, session, ...(id === undefined ? {} : { id }) }], limit: 1 })
  const own = await find(agentOf(event) ?? 'main')
  const agent = own.ok ? own.value.value[0] : undefined
  if (agent !== undefined) return true
  const any = await find()
  return !any.ok || any.value.value.length > 0
}

const MAY_MATTER = /"event":"agent_(?:wait|stuck|done|link)"/

function reasonOf(event: StoredEvent): string | undefined {
  if (isKind(event, 'agent_wait')) return event.reason ?? 'waits'
  if (isKind(event, 'agent_stuck')) return 'is stuck'
  if (isKind(event, 'agent_link')) return event.status === 'failed' ? 'failed' : undefined
  if (!isKind(event, 'agent_done')) return undefined
  return event.error ?? (saysFailed(event) ? 'failed' : undefined)
}

const inputOf = (event: StoredEvent): CommandInput => ({
  json: JSON.stringify(event),
  env: {
    PANOPTES_EVENT: event.event,
    PANOPTES_AGENT: agentOf(event) ?? 'main',
    PANOPTES_SESSION: event.session_id,
    PANOPTES_REASON: reasonOf(event) ?? '',
  },
})
