import type { Account, Claim, CostCell, StatusMarker, StoredEvent } from '@panoptes/schema'
import { agentOf, isKind } from '@panoptes/schema/reading'
import { AgentBook } from './agent-book.ts'
import { LoggedCalls } from './log-calls.ts'
import { LoggedClaims } from './log-claims.ts'
import { LoggedLives } from './log-lives.ts'
import { LoggedSkills } from './log-skills.ts'
import { LoggedSpending } from './log-spending.ts'
import { MAIN, type Making } from './making.ts'
import { OwnNames } from './names.ts'
import { firstLine, kept } from './words.ts'

interface EventsMaking {
  readonly source: string
  readonly session_id: string
  readonly events: Iterable<StoredEvent>
  readonly fingerprint: string
  readonly making: Making
}

/** What a session amounts to that only the log tells of. What is told twice counts once, in whatever order agents are told of. */
export function accountOfEvents({ source, session_id, events, fingerprint, making }: EventsMaking): Account {
  const made = new LogAccount(making)
  const told = [...events]
  for (const event of told) if (event.event === 'agent_link') made.hear(event)
  for (const event of told) made.hear(event)
  return { source, session_id, fingerprint, from: 'log', ...made.account({ source, session_id }) }
}

/** The same, told event by event: a session may have more of them than are held at once. Links between agents come first. */
export const foldEvents = (making: Making): Pick<LogAccount, 'hear' | 'account' | 'since'> =>
  new LogAccount(making)

/** What became known after an event of what had been told by then. */
export interface Since {
  readonly takenBack: readonly CostCell[]
  readonly isTakenBack: (claim: Claim) => boolean
  /** The name that an agent has in the end. */
  readonly nameOf: (agent: string) => string
}

/** Those that say of an agent that it is there. */
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

interface Told {
  readonly ts: number
  readonly seq: number
  readonly marker: StatusMarker
}

class LogAccount {
  readonly #making: Making
  readonly #agents = new Map<string, AgentBook>()
  readonly #calls = new LoggedCalls()
  readonly #lives = new LoggedLives()
  readonly #skills: LoggedSkills
  readonly #claims = new LoggedClaims()
  readonly #spending = new LoggedSpending()
  /** The newest marker of each agent, and the newest outcome that was told without one. */
  readonly #markers = new Map<string, Told>()
  readonly #outcomes = new Map<string, Told>()
  /** The call that made an agent. */
  readonly #madeBy = new Map<string, string>()
  readonly #heard = new Set<string>()
  readonly #names = new OwnNames()
  /** Those that come before everything else, until that does. */
  #links: StoredEvent[] | undefined = []
  #title: string | null = null
  #prompt: { readonly ts: number; readonly text: string } | undefined
  #project: string | null = null
  #model: string | null = null
  #last: number | null = null

  constructor(making: Making) {
    this.#making = making
    this.#skills = new LoggedSkills(making.isSkill)
  }

  hear(told: StoredEvent): void {
    if (this.#heard.has(told.key)) return
    this.#heard.add(told.key)
    this.#names.learn(told)
    // Whom a link names may turn out to be another one by the next.
    if (this.#links !== undefined && told.event === 'agent_link') {
      this.#links.push(told)
      return
    }
    this.#hearLinks()
    this.#follow(told)
  }

  #hearLinks(): void {
    const links = this.#links ?? []
    this.#links = undefined
    for (const link of links) this.#follow(link)
  }

  #follow(told: StoredEvent): void {
    const event = this.#names.under(told)
    this.#last = Math.max(this.#last ?? event.ts, event.ts)
    this.#lives.hear(event)
    this.#skills.hear(event)
    this.#claims.hear(event)
    this.#spending.hear(event)
    const call = this.#calls.hear(event)
    if (isKind(event, 'session_start')) {
      this.#project ??= event.project ?? null
      this.#title = event.title ?? this.#title
      this.#model = event.model ?? this.#model
    }
    const id = call?.agent ?? agentOf(event)
    if (isKind(event, 'agent_link')) this.#linked(event)
    else if (SIGNS.has(event.event)) this.#sign(this.#agent(id ?? MAIN), event)
  }

  /** Calls, and what was paid for, are those that were told after an event. */
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
    // Where beginnings are told, a call that has none began before what is left of the log.
    const beginsAreTold = after > 0 && calls.some(({ begun }) => begun)
    for (const { agent, tool, ok, seq, begun, failedSeq } of calls) {
      if (seq > after && (begun || !beginsAreTold)) this.#agent(agent).called(tool)
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
      title: title === null || title === '' ? null : kept(title),
      project,
      last_at: this.#last,
      agents,
      claims: this.#claims.claims(project, (agent) => models.get(agent) ?? null),
      skills,
      cells: spending.cells(),
    }
  }

  /** Asked for after the account. */
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
      agent.parent = event.parent_id ?? agent.parent
      agent.type = event.subagent_type ?? agent.type
      agent.namedModel = event.model ?? agent.namedModel
      agent.description ??= textOf(event.name) ?? event.prompt_preview ?? null
    } else if (isKind(event, 'agent_done')) {
      agent.took = longest(agent.took, event.duration_ms)
      agent.calledAtLeast = Math.max(agent.calledAtLeast, event.tool_use_count ?? 0)
      if (event.outcome)
        newest(this.#outcomes, agent.id, event, { ...BARE, shipped: event.outcome, stubs: event.stubs ?? 0 })
    } else if (isKind(event, 'status') && event.shipped) {
      const { shipped, stubs, checks, verified, follow_ups } = event
      const rest = {
        checks: checks ?? [],
        behaviour_verified: verified ?? null,
        follow_ups: follow_ups ?? [],
      }
      newest(this.#markers, agent.id, event, { shipped, stubs: stubs ?? 0, ...rest })
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
    agent.parent = event.parent_id ?? agent.parent
    agent.type = event.subagent_type ?? agent.type
    agent.namedModel = event.model ?? agent.namedModel
    agent.description = textOf(event.name) ?? agent.description ?? event.prompt_preview ?? null
    if (event.tool_use_id) this.#madeBy.set(agent.id, event.tool_use_id)
    if (event.outcome) newest(this.#outcomes, agent.id, event, { ...BARE, shipped: event.outcome, stubs: 0 })
  }

  #complete(agent: AgentBook): void {
    const call = this.#calls.find(this.#madeBy.get(agent.id) ?? '')
    agent.took = longest(agent.took, call?.duration)
    agent.finished = this.#lives.isThrough(agent.id)
    agent.status = (this.#markers.get(agent.id) ?? this.#outcomes.get(agent.id))?.marker ?? null
    if (agent.id === MAIN) agent.namedModel ??= this.#model
    else agent.parent ??= call?.agent ?? MAIN
  }

  #agent(id: string): AgentBook {
    const known = this.#agents.get(id)
    if (known !== undefined) return known
    const agent = new AgentBook(id)
    this.#agents.set(id, agent)
    return agent
  }
}

const BARE = { checks: [], behaviour_verified: null, follow_ups: [] }

function newest(
  known: Map<string, Told>,
  agent: string,
  { ts, seq }: StoredEvent,
  marker: StatusMarker,
): void {
  const before = known.get(agent)
  if (before === undefined || before.ts < ts || (before.ts === ts && before.seq <= seq))
    known.set(agent, { ts, seq, marker })
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const longest = (known: number | null, more: number | null | undefined): number | null =>
  more === null || more === undefined ? known : Math.max(known ?? 0, Math.round(more))
