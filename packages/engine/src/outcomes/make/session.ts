import {
  type ParsedClaim,
  readClaims,
  skillOfCall,
  skillOfCommand,
  skillOfPrompt,
} from '@panoptes/engine/markers'
import { priceCalls } from '@panoptes/engine/models'
import { cleanProject, redactRow, redactText } from '@panoptes/engine/redact'
import type { Listed, SessionRecord, Worked } from '@panoptes/engine/sources'
import type { Account, Claim, ContentBlock, Message, Session } from '@panoptes/schema'
import { computeOutsideSpent } from '@panoptes/schema/outside'
import { createFlagWatch, type FlagWatch } from '../flags/watch.ts'
import { type AccountContext, MAIN } from './account-context.ts'
import { cleanExcerpt, messageText } from './account-text.ts'
import { AgentBook } from './agent-book.ts'
import { SkillScopes } from './skill-scopes.ts'
import { Spending } from './spending.ts'

const IDS: ReadonlySet<string> = new Set(['id', 'session_id', 'agent_id', 'parent_id', 'tool_use_id'])

/**
 * Texts are redacted before they are shortened. Names of projects, models, tools and agent types
 * may contain secrets as well.
 */
const withoutSecrets = (account: Account): Account => redactRow(account, IDS) as Account

/** Tools that start agents. If such a call waits, its duration is the agent's. */
const MAKES_AGENTS: ReadonlySet<string> = new Set(['Agent', 'Task', 'task', 'delegate_task'])

/** Makes the account of a session from its records, one message at a time. */
export class SessionAccount {
  readonly #listed: Listed
  readonly #making: AccountContext
  readonly #agents = new Map<string, AgentBook>()
  readonly #spending = new Spending()
  readonly #scopes = new SkillScopes()
  readonly #claims = new ClaimBook()
  readonly #flags: FlagWatch
  /** The call that started each agent, and the duration of such calls. */
  readonly #madeBy = new Map<string, string>()
  readonly #took = new Map<string, number | null>()
  /** Replies without a time, which count for the day of the session. */
  readonly #undated: (() => void)[] = []
  #day: number | null = null
  #n = 0

  constructor(listed: Listed, making: AccountContext) {
    this.#listed = listed
    this.#making = making
    this.#flags = createFlagWatch(making.source)
  }

  take(record: SessionRecord): void {
    if (record.kind === 'agent') this.#addAgent(record.agent)
    else if (record.kind === 'message') this.#addMessage(record.message)
  }

  #addAgent({ id, parent_id, subagent_type, description, ...more }: SessionRecordAgent): void {
    const { tool_use_id, outcome = null, duration_ms = null } = more
    const agent = this.#agent(id)
    agent.parent = parent_id
    agent.type = subagent_type
    agent.description = description
    agent.ended = outcome
    agent.measured = duration_ms
    if (tool_use_id !== null) this.#madeBy.set(id, tool_use_id)
  }

  #addMessage(rawMessage: Message): void {
    const n = this.#n++
    const { worker } = rawMessage as Worked
    const message = worker === undefined ? rawMessage : { ...rawMessage, agent_id: worker.agent_id }
    const agent = this.#agent(message.agent_id)
    if (worker !== undefined) {
      agent.type ??= worker.subagent_type
      agent.namedModel = worker.model ?? agent.namedModel
      if (agent.id !== MAIN) agent.parent ??= MAIN
    }
    agent.messages += 1
    agent.seen(message.ts)
    this.#flags.saw(message, n)
    if (message.role === 'user') this.#prompted(message, n)
    if (message.role === 'assistant') this.#answered(message, agent, n)
    for (const block of message.content) this.#ended(block, message, agent)
  }

  account(session: Session): Account {
    const { title, last_at } = session
    const project = session.project === null ? null : cleanProject(session.project, session.cwd)
    const of = { source: this.#making.source, session_id: this.#listed.id, project }
    this.#day = last_at ?? session.started_at
    for (const add of this.#undated) add()
    this.#inAll(session)
    const cells = this.#spending.cells()
    const costs = this.#spending.costs()
    const outside = computeOutsideSpent(priceCalls(session, this.#making.prices), this.#spending.models())
    const agents = [...this.#agents.values()].filter(({ messages, id }) => messages > 0 || id !== MAIN)
    for (const agent of agents) agent.measured ??= this.#took.get(this.#madeBy.get(agent.id) ?? '') ?? null
    const main = this.#agents.get(MAIN)
    if (main !== undefined && CHILD.has(session.lineage)) main.type ??= session.lineage
    return withoutSecrets({
      source: of.source,
      session_id: of.session_id,
      fingerprint: this.#listed.fingerprint,
      from: 'session',
      title: title === null ? null : cleanExcerpt(title),
      project,
      last_at,
      agents: agents.map((agent) => agent.account(of, costs.get(agent.id))),
      claims: this.#claims.claims({ ...of, ts: this.#day ?? 0 }),
      skills: this.#scopes.uses(of),
      cells,
      ...(outside && { outside }),
    })
  }

  #prompted(message: Message, n: number): void {
    const { agent_id, hidden, state, id, ts } = message
    const text = messageText(message)
    if (state === 'summary' || text.trim() === '') return
    const loaded = skillOfPrompt(text)
    if (hidden && loaded === undefined) return
    this.#scopes.close(agent_id)
    const command = skillOfCommand(text)
    const skill = loaded ?? (command !== undefined && this.#making.isSkill(command) ? command : undefined)
    if (skill === undefined) return
    const named = { agent_id, id: id || `${n}`, skill, ts: ts ?? this.#lastTime(agent_id), n }
    this.#scopes.command({ ...named, how: 'command' })
  }

  #answered(message: Message, agent: AgentBook, n: number): void {
    const { model, usage, ts, state, hidden } = message
    this.#pay(message, this.#scopes.currentSkill(agent.id))
    agent.answered(model)
    agent.spent(usage)
    const text = messageText(message)
    if (!hidden && state !== 'rewound' && state !== 'summary' && text !== '') {
      const status = agent.readMarker(text, n)
      // What is done after a marker does not contradict it.
      if (status !== undefined) agent.flags = this.#flags.findFlags(agent.id, status)
      const of = { agent: agent.id, message: message.id || `${n}`, n, ts: ts ?? agent.last, model }
      this.#claims.heard({ ...of, text })
    }
    let calls = 0
    for (const block of message.content) {
      if (block.type !== 'tool_call') continue
      calls += 1
      this.#called(block, message, agent, n)
    }
    if (calls === 0 && !hidden && state !== 'summary' && text.trim() !== '') this.#scopes.close(agent.id)
  }

  #called({ id, tool, input }: Call, { ts }: Message, agent: AgentBook, n: number): void {
    agent.called(tool)
    if (MAKES_AGENTS.has(tool) && id !== '') this.#took.set(id, null)
    const skill = skillOfCall(tool, input)
    if (skill === undefined) {
      this.#scopes.called(agent.id, { id, tool })
      return
    }
    const named = { agent_id: agent.id, id: id || `${n}`, skill, ts: ts ?? this.#lastTime(agent.id), n }
    this.#scopes.load({ ...named, how: 'call' }, { id, tool })
  }

  #ended(block: ContentBlock, { ts }: Message, agent: AgentBook): void {
    if (block.type !== 'tool_result') return
    const { id, ok, text, duration_ms } = block
    if (ok === false) agent.errors += 1
    this.#scopes.ended(agent.id, id, ok, ts, text)
    if (this.#took.has(id)) this.#took.set(id, duration_ms)
  }

  #pay(message: Message, skill: string | null): void {
    const { agent_id: agent, model, usage, ts, cost_micro_usd: reportedCost = null } = message
    const { prices, dayOf } = this.#making
    const isPriceable = usage !== null && model !== null
    const cost = reportedCost ?? (isPriceable ? prices.costOf(model, usage, ts) : null)
    const saved = isPriceable ? prices.savedOf(model, usage, ts) : null
    const at = ts ?? this.#agent(agent).last
    const add = (day: string) => this.#spending.add({ agent, day, model, skill, usage, cost, saved })
    if (at !== null) add(dayOf(at))
    else this.#undated.push(() => add(dayOf(this.#day ?? 0)))
  }

  /**
   * A total that the source reports replaces the sum of the replies and belongs to the main agent.
   */
  #inAll(session: Session): void {
    const { usage = null, cost_micro_usd: reportedCost = null, model, started_at } = session
    const { prices, dayOf } = this.#making
    const day = dayOf(this.#day ?? 0)
    if (usage === null) {
      if (reportedCost !== null) this.#spending.reprice(reportedCost, MAIN, day)
      return
    }
    const cost = reportedCost ?? (model === null ? null : prices.costOfSum(model, usage, started_at))
    const saved = model === null ? null : prices.savedOfSum(model, usage, started_at)
    this.#spending.replace({ agent: MAIN, day, model, usage, cost, saved })
    for (const agent of this.#agents.values()) agent.spentInAll(agent.id === MAIN ? usage : null)
  }

  #lastTime(agent: string): number {
    return this.#agent(agent).last ?? 0
  }

  #agent(id: string): AgentBook {
    const existing = this.#agents.get(id)
    if (existing !== undefined) return existing
    const agent = new AgentBook(id)
    this.#agents.set(id, agent)
    return agent
  }
}

type SessionRecordAgent = Extract<SessionRecord, { kind: 'agent' }>['agent']
type Call = Extract<ContentBlock, { type: 'tool_call' }>

/** A session started by another one for a part of its work. */
const CHILD: ReadonlySet<string> = new Set(['delegate', 'subagent'])

const MOST = 50_000

type StoredClaim = Omit<Claim, 'source' | 'session_id' | 'project' | 'ts'> & { readonly ts: number | null }

interface ClaimMessage {
  readonly agent: string
  readonly message: string
  readonly n: number
  readonly ts: number | null
  readonly model: string | null
  readonly text: string
}

/** The claims of a session, once per message and position, however often a message is reported. */
class ClaimBook {
  readonly #claims: StoredClaim[] = []
  /** The known claims of each message, in order. */
  readonly #marks = new Map<string, string[]>()

  heard({ agent, message, n, ts, model, text }: ClaimMessage): void {
    if (readClaims(text).length === 0) return
    // Secrets must be redacted while they are whole, because a value is the end of a phrase.
    const found = readClaims(redactText(text).text)
    const key = JSON.stringify([agent, message])
    const marks = this.#marks.get(key) ?? []
    this.#marks.set(key, marks)
    if (isThere(marks, found.map(claimMark))) return
    for (const claim of found) {
      if (this.#claims.length >= MOST) return
      this.#claims.push({
        agent_id: agent,
        model,
        message_id: message,
        n,
        place: marks.length,
        ts,
        value: claim.value,
        evidence_tier: claim.evidence_tier,
        pointer: claim.pointer,
        check: { verdict: 'open', says: '', evidence: null },
        estimate: null,
      })
      marks.push(claimMark(claim))
    }
  }

  /** `ts` is used if no message has a time. */
  claims(of: Pick<Claim, 'source' | 'session_id' | 'project' | 'ts'>): Claim[] {
    return this.#claims.map((claim) => ({ ...of, ...claim, ts: claim.ts ?? of.ts }))
  }
}

const claimMark = ({ value, evidence_tier, pointer }: ParsedClaim): string =>
  JSON.stringify([evidence_tier, value, pointer])

/**
 * True if the found claims occur consecutively in the known ones, so that they are a repetition.
 */
function isThere(marks: readonly string[], found: readonly string[]): boolean {
  if (found.length > marks.length) return false
  for (let at = 0; at + found.length <= marks.length; at++)
    if (found.every((mark, index) => marks[at + index] === mark)) return true
  return false
}
