import { hash } from 'node:crypto'
import type { Ledger } from '@panoptes/engine/ledger'
import { type Agent, EVENT_VERSION, type NewEvent, type Result } from '@panoptes/schema'
import { createHeard, workOf } from './heard.ts'
import { lastSigns, lifetime, nameOf, patience } from './silence.ts'
import { createLastWritten, type LastWritten } from './transcript.ts'
import { createTurns } from './turns.ts'

export interface JudgeOptions {
  readonly ledger: Ledger
  readonly append: (events: readonly NewEvent[]) => Promise<Result<unknown>>
  readonly host: string
  readonly now?: () => number
  readonly everyMs?: number
  /** False where events come from other computers: then no file is looked for at a path that they name, and no clock of theirs is gone by. */
  readonly looks?: boolean
}

/** Looks at the living agents again and again and says which are stuck or gone. What it says is an event like any other. */
export interface Judge {
  /** One look; it answers what it said. */
  readonly look: () => Promise<readonly NewEvent[]>
  readonly stop: () => Promise<void>
}

const EVERY_MS = 5_000
/** Looking takes no more than one part in so many of the time. */
const SHARE = 100
const MOST_ALIVE = 10_000
const SAID_AT_ONCE = 250
/** After a start on one computer, what was left for us meanwhile has to be read before anyone is taken for gone. */
const SETTLE_MS = 60_000

const NEVER: LastWritten = async () => undefined

export function createJudge(options: JudgeOptions): Judge {
  const { ledger } = options
  const now = options.now ?? Date.now
  const everyMs = options.everyMs ?? EVERY_MS
  const startedAt = now()
  const isElsewhere = options.looks === false
  const lastWrittenOf = isElsewhere ? () => NEVER : createLastWritten(ledger)
  const heard = createHeard(isElsewhere)

  const look = async (): Promise<readonly NewEvent[]> => {
    const [alive, tools] = await Promise.all([
      ledger.agents({ states: ['working', 'waiting', 'stuck'], limit: MOST_ALIVE }),
      ledger.tools(),
    ])
    if (!alive.ok || !tools.ok) return []
    const usual = new Map(
      tools.value.value.map((stats) => [JSON.stringify([stats.source, stats.tool]), stats]),
    )
    const agents = heard(alive.value.value, now())
    const signs = await lastSigns(agents)
    const lastWritten = lastWrittenOf()
    const turn = createTurns()
    const said: NewEvent[] = []
    for (const agent of agents) {
      await turn()
      const sign = signs.get(nameOf(agent)) ?? agent.last_at
      const patient = patience(agent, (source, tool) => usual.get(JSON.stringify([source, tool])))
      const event = (await lost(agent, sign, patient, lastWritten)) ?? stuck(agent, sign, patient)
      if (event) said.push(event)
    }
    for (let at = 0; at < said.length; at += SAID_AT_ONCE) {
      await options.append(said.slice(at, at + SAID_AT_ONCE))
    }
    return said
  }

  const lost = async (
    agent: Agent,
    sign: number,
    patient: number,
    lastWritten: LastWritten,
  ): Promise<NewEvent | undefined> => {
    const limit = lifetime(agent, patient)
    // What another that judged before had heard is not known here.
    const since = isElsewhere ? Math.max(sign, startedAt) : sign
    if (now() - since <= limit || (!isElsewhere && now() - startedAt < SETTLE_MS)) return undefined
    const written = await lastWritten(agent)
    if (written !== undefined && now() - written <= limit) return undefined
    return judgement(agent, 'agent_lost', sign, {
      reason: `nothing was heard of it for ${Math.round((now() - sign) / 60_000)} minutes`,
    })
  }

  /** Silence counts from when somebody listened. */
  const stuck = (agent: Agent, sign: number, patient: number): NewEvent | undefined => {
    const silent = now() - Math.max(sign, startedAt)
    if (agent.state !== 'working' || silent <= patient) return undefined
    return judgement(agent, 'agent_stuck', sign, { silent_ms: now() - sign, usual_ms: patient })
  }

  const judgement = (agent: Agent, event: string, sign: number, fields: object): NewEvent => ({
    v: EVENT_VERSION,
    key: `judge:${hash('sha256', `${event}:${nameOf(agent)}:${sign}${isElsewhere ? workOf(agent) : ''}`, 'base64url').slice(0, 32)}`,
    ts: now(),
    event,
    source: agent.source,
    host: options.host,
    session_id: agent.session_id,
    agent_id: agent.id,
    ...fields,
  })

  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const lookLater = (waitMs: number) => {
    if (stopped) return
    timer = setTimeout(() => {
      const started = performance.now()
      // With thousands alive a look costs more, and comes less often.
      looking = look().then(() => lookLater(Math.max(everyMs, SHARE * (performance.now() - started))))
    }, waitMs)
    timer.unref()
  }
  lookLater(everyMs)
  return {
    look,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}
