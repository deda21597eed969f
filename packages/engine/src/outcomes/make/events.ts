import {
  type Account,
  type Claim,
  type CostCell,
  type StatusMarker,
  type StoredEvent,
  shipped,
} from '@panoptes/schema'
import { nonEmptyText } from '@panoptes/schema/plain-object'
import { isKind, readAgentId } from '@panoptes/schema/reading'
import { type AccountContext, MAIN } from './account-context.ts'
import { cleanExcerpt, firstLine } from './account-text.ts'
import { AgentBook } from './agent-book.ts'
import { LoggedCalls } from './log-calls.ts'
import { LoggedClaims } from './log-claims.ts'
import { LoggedEnds, LoggedLives } from './log-lives.ts'
import { LoggedSkills } from './log-skills.ts'
import { LoggedSpending } from './log-spending.ts'
import { OwnNames } from './names.ts'

interface EventsMaking {
  readonly source: string
  readonly session_id: string
  readonly events: Iterable<StoredEvent>
  readonly fingerprint: string
  readonly making: AccountContext
}

/**
 * Makes the account of a session that exists only in the log. Duplicates count once, and agents may
 * come in any order.
 */
export function accountOfEvents({ source, session_id, events, fingerprint, making }: EventsMaking): Account {
  const made = new LogAccount(making)
  const allEvents = [...events]
  for (const event of allEvents) if (event.event === 'agent_link') made.hear(event)
  for (const event of allEvents) made.hear(event)
  return { source, session_id, fingerprint, from: 'log', ...made.account({ source, session_id }) }
}

/**
 * The same, one event at a time, because a session may have more events than fit in memory. Links
 * between agents come first.
 */
export const foldEvents = (making: AccountContext): Pick<LogAccount, 'hear' | 'account' | 'since'> =>
  new LogAccount(making)

/** Facts about earlier events that were reported after a given event. */
export interface Since {
  readonly takenBack: readonly CostCell[]
  readonly isTakenBack: (claim: Claim) => boolean
  /** Returns an agent's final name. */
  readonly nameOf: (agent: string) => string
}

/** Events that prove that an agent exists. */
const SIGNS: ReadonlySet<string> = new Set([
  'agent_spawn',
  'agent_done',
  'tool_use',
  'tool_done',
  'tool_refused',
  'usage',
  'status',
  'prompt',
])

interface TimedMarker {
  readonly ts: number
  readonly seq: number
  readonly marker: StatusMarker
}

class LogAccount {
  readonly #making: AccountContext
  readonly #agents = new Map<string, AgentBook>()
  readonly #calls = new LoggedCalls()
  readonly #lives = new LoggedLives()
  readonly #ends = new LoggedEnds()
  readonly #skills: LoggedSkills
  readonly #claims = new LoggedClaims()
  readonly #spending = new LoggedSpending()
  /** Each agent's newest marker, and its newest outcome without one. */
  readonly #markers = new Map<string, TimedMarker>()
  readonly #outcomes = new Map<string, TimedMarker>()
  /** Agents whose calls did not wait for them. */
  readonly #launched = new Set<string>()
  /** When an agent was first reported as ended, and which agents reported their own end. */
  readonly #reported = new Map<string, number>()
  readonly #ended = new Set<string>()
  /** Maps an agent to the call that started it. */
  readonly #madeBy = new Map<string, string>()
  readonly #heard = new Set<string>()
  readonly #names = new OwnNames()
  /** Events to handle before all others, until those begin. */
  #links: StoredEvent[] | undefined = []
  #title: string | null = null
  #prompt: { readonly ts: number; readonly text: string } | undefined
  #project: string | null = null
  #model: string | null = null
  #last: number | null = null

  constructor(making: AccountContext) {
    this.#making = making
    this.#skills = new LoggedSkills(making.isSkill)
  }

  hear(event: StoredEvent): void {
    if (this.#heard.has(event.key)) return
    this.#heard.add(event.key)
    this.#names.learn(event)
    // An agent named by one link may be renamed by the next.
    if (this.#links !== undefined && event.event === 'agent_link') {
      this.#links.push(event)
      return
    }
    this.#hearLinks()
    this.#follow(event)
  }

  #hearLinks(): void {
    const links = this.#links ?? []
    this.#links = undefined
    for (const link of links) this.#follow(link)
  }

  #follow(rawEvent: StoredEvent): void {
    const event = this.#names.under(rawEvent)
    this.#last = Math.max(this.#last ?? event.ts, event.ts)
    this.#lives.hear(event)
    this.#ends.hear(event)
    this.#skills.hear(event)
    this.#claims.hear(event)
    this.#spending.hear(event)
    const call = this.#calls.hear(event)
    if (isKind(event, 'session_start')) {
      this.#project ??= event.project ?? null
      this.#title = event.title ?? this.#title
      this.#model = event.model ?? this.#model
    }
    const id = call?.agent ?? readAgentId(event)
    if (isKind(event, 'agent_link')) this.#linked(event)
    else if (SIGNS.has(event.event)) this.#sign(this.#agent(id ?? MAIN), event)
  }

  /** Calls and costs are those reported after an event. */
  account(
    of: Pick<Account, 'source' | 'session_id'>,
    after = Number.NEGATIVE_INFINITY,
  ): Omit<Account, 'source' | 'session_id' | 'fingerprint' | 'from'> {
    this.#hearLinks()
    const project = this.#project
    const replies = this.#spending.replies()
    const skills = this.#skills.uses({ ...of, project }, this.#calls, replies)
    const spending = this.#spending.sum(this.#making, after)
    const costs = spending.costs()
    const calls = this.#calls.all()
    // If starts are recorded, a call without one began before the rest of the log.
    const hasStarts = after > 0 && calls.some(({ begun }) => begun)
    for (const { agent, tool, ok, seq, begun, failedSeq } of calls) {
      if (seq > after && (begun || !hasStarts)) this.#agent(agent).called(tool)
      if (ok === false && (failedSeq ?? seq) > after) this.#agent(agent).errors += 1
    }
    for (const { agent, model, usage } of replies) {
      this.#agent(agent).answered(model)
      this.#agent(agent).spent(usage)
    }
    for (const agent of this.#agents.values()) this.#complete(agent)
    const agents = [...this.#agents.values()]
      .map((agent) => agent.account({ ...of, project }, costs.get(agent.id)))
      .sort((a, b) => (a.started_at ?? 0) - (b.started_at ?? 0) || (a.agent_id < b.agent_id ? -1 : 1))
    const models = new Map(agents.map(({ agent_id, model }) => [agent_id, model]))
    const title = this.#title ?? (this.#prompt === undefined ? null : firstLine(this.#prompt.text))
    return {
      title: title === null || title === '' ? null : cleanExcerpt(title),
      project,
      last_at: this.#last,
      agents,
      claims: this.#claims.claims(project, (agent) => models.get(agent) ?? null),
      skills,
      cells: spending.cells(),
    }
  }

  /** Returns the facts that were reported after an event. Call it after `account`. */
  since(after: number): Since {
    return {
      takenBack: this.#spending.takenBack(this.#making, after).cells(),
      isTakenBack: this.#claims.isTakenBack,
      nameOf: (agent) => this.#names.of(agent),
    }
  }

  #sign(agent: AgentBook, event: StoredEvent): void {
    agent.seen(event.ts)
    if (isKind(event, 'agent_spawn')) {
      agent.parent = parentIn(event, agent.id) ?? agent.parent
      agent.type = event.subagent_type ?? agent.type
      agent.namedModel = event.model ?? agent.namedModel
      agent.description ??= nonEmptyText(event.name) ?? event.prompt_preview ?? null
    } else if (isKind(event, 'agent_done')) {
      this.#ended.add(agent.id)
      agent.measured = longest(agent.measured, event.duration_ms)
      agent.calledAtLeast = Math.max(agent.calledAtLeast, event.tool_use_count ?? 0)
      const { data } = shipped.safeParse(event.outcome)
      if (data)
        newest(this.#outcomes, agent.id, event, { ...BARE, shipped: data, stubs: event.stubs ?? null })
    } else if (isKind(event, 'status') && event.shipped) {
      const { shipped, stubs, checks, verified, follow_ups } = event
      const rest = {
        checks: checks ?? [],
        behaviour_verified: verified ?? null,
        follow_ups: follow_ups ?? [],
      }
      newest(this.#markers, agent.id, event, { shipped, stubs: stubs ?? null, ...rest })
    } else if (isKind(event, 'tool_use') || isKind(event, 'tool_done'))
      agent.type ??= event.subagent_type ?? null
    else if (
      isKind(event, 'prompt') &&
      agent.id === MAIN &&
      event.prompt_preview &&
      event.origin !== 'client'
    )
      if (this.#prompt === undefined || event.ts < this.#prompt.ts)
        this.#prompt = { ts: event.ts, text: event.prompt_preview }
  }

  #linked(event: StoredEvent): void {
    if (!isKind(event, 'agent_link') || !event.id) return
    const agent = this.#agent(event.id)
    agent.parent = parentIn(event, agent.id) ?? agent.parent
    agent.type = event.subagent_type ?? agent.type
    agent.namedModel = event.model ?? agent.namedModel
    agent.description = nonEmptyText(event.name) ?? agent.description ?? event.prompt_preview ?? null
    if (event.tool_use_id) this.#madeBy.set(agent.id, event.tool_use_id)
    if (event.status === 'launched' || event.background === true) this.#launched.add(agent.id)
    if (event.status === 'completed' || event.status === 'failed')
      this.#reported.set(agent.id, Math.min(this.#reported.get(agent.id) ?? event.ts, event.ts))
    agent.measured = longest(agent.measured, event.duration_ms)
    const { data } = shipped.safeParse(event.outcome)
    if (data) newest(this.#outcomes, agent.id, event, { ...BARE, shipped: data, stubs: null })
  }

  #complete(agent: AgentBook): void {
    const call = this.#calls.find(this.#madeBy.get(agent.id) ?? '')
    // A call that only launched an agent took a moment.
    if (!this.#launched.has(agent.id)) agent.measured = longest(agent.measured, call?.duration)
    // A stopped agent has no last message; it worked until its end was reported.
    if (!this.#ended.has(agent.id)) agent.seen(this.#reported.get(agent.id) ?? null)
    agent.finished = this.#lives.isThrough(agent.id)
    agent.ended = this.#ends.of(agent.id, this.#madeBy.get(agent.id))
    agent.status = (this.#markers.get(agent.id) ?? this.#outcomes.get(agent.id))?.marker ?? null
    if (agent.id === MAIN) agent.namedModel ??= this.#model
    else agent.parent ??= call?.agent ?? MAIN
  }

  #agent(id: string): AgentBook {
    const existing = this.#agents.get(id)
    if (existing !== undefined) return existing
    const agent = new AgentBook(id)
    this.#agents.set(id, agent)
    return agent
  }
}

const BARE = { checks: [], behaviour_verified: null, follow_ups: [] }

function newest(
  markers: Map<string, TimedMarker>,
  agent: string,
  { ts, seq }: StoredEvent,
  marker: StatusMarker,
): void {
  const before = markers.get(agent)
  if (before === undefined || before.ts < ts || (before.ts === ts && before.seq <= seq))
    markers.set(agent, { ts, seq, marker })
}

/** Some clients name the session instead of its main agent. */
function parentIn(event: StoredEvent, agent: string): string | null {
  const parent = nonEmptyText(event.parent_id)
  const own = parent === event.session_id ? MAIN : parent
  return own === agent ? null : own
}

const longest = (current: number | null, more: number | null | undefined): number | null =>
  more === null || more === undefined ? current : Math.max(current ?? 0, Math.round(more))
