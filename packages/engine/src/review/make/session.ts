import type { Listed, SessionRecord, Worked } from '@panoptes/engine/sources'
import { skillOfCall, skillOfCommand, skillOfPrompt } from '@panoptes/engine/stated'
import type { Account, ContentBlock, Message, Result, Session } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { createFlagWatch, type FlagWatch } from '../flags/index.ts'
import { AgentBook } from './agent-book.ts'
import { ClaimBook } from './claim-book.ts'
import { MAIN, type Making } from './making.ts'
import { SkillScopes } from './skill-scopes.ts'
import { Spending } from './spending.ts'
import { kept, wordsOf } from './words.ts'

interface SessionMaking {
  readonly listed: Listed
  readonly records: AsyncIterable<SessionRecord>
  readonly making: Making
}

/** What a session amounts to, from what its agent left behind; one message at a time. */
export async function accountOfSession({ listed, records, making }: SessionMaking): Promise<Result<Account>> {
  const made = new SessionAccount(listed, making)
  for await (const record of records) {
    if (record.kind === 'failed') return record.failure
    if (record.kind === 'agent') made.met(record.agent)
    else if (record.kind === 'message') made.saw(record.message)
    else if (record.kind === 'session') return success(made.account(record.session))
  }
  return failure('stopped', `The session ${listed.id} was not read to its end. Read it again.`)
}

/** Tools that make an agent: what such a call took is what the agent took, where it waits for it. */
const MAKES_AGENTS: ReadonlySet<string> = new Set(['Agent', 'Task', 'task', 'delegate_task'])

class SessionAccount {
  readonly #listed: Listed
  readonly #making: Making
  readonly #agents = new Map<string, AgentBook>()
  readonly #spending = new Spending()
  readonly #scopes = new SkillScopes()
  readonly #claims = new ClaimBook()
  readonly #flags: FlagWatch
  /** The call that made each agent, and how long such calls took. */
  readonly #madeBy = new Map<string, string>()
  readonly #took = new Map<string, number | null>()
  /** Replies without a time: they count for the day of the session. */
  readonly #undated: (() => void)[] = []
  #day: number | null = null
  #n = 0

  constructor(listed: Listed, making: Making) {
    this.#listed = listed
    this.#making = making
    this.#flags = createFlagWatch(making.source)
  }

  met({ id, parent_id, subagent_type, description, tool_use_id }: SessionRecordAgent): void {
    const agent = this.#agent(id)
    agent.parent = parent_id
    agent.type = subagent_type
    agent.description = description
    if (tool_use_id !== null) this.#madeBy.set(id, tool_use_id)
  }

  saw(told: Message): void {
    const n = this.#n++
    const { worker } = told as Worked
    const message = worker === undefined ? told : { ...told, agent_id: worker.agent_id }
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
    const { title, project, last_at } = session
    const of = { source: this.#making.source, session_id: this.#listed.id, project }
    this.#day = last_at ?? session.started_at
    for (const add of this.#undated) add()
    this.#inAll(session)
    const cells = this.#spending.cells()
    const costs = this.#spending.costs()
    const agents = [...this.#agents.values()].filter(({ messages, id }) => messages > 0 || id !== MAIN)
    for (const agent of agents) agent.took = this.#took.get(this.#madeBy.get(agent.id) ?? '') ?? null
    const main = this.#agents.get(MAIN)
    if (main !== undefined && CHILD.has(session.lineage)) main.type ??= session.lineage
    return {
      source: of.source,
      session_id: of.session_id,
      fingerprint: this.#listed.fingerprint,
      from: 'session',
      title: title === null ? null : kept(title),
      project,
      last_at,
      agents: agents.map((agent) => agent.account(of, costs.get(agent.id))),
      claims: this.#claims.claims({ ...of, ts: this.#day ?? 0 }),
      skills: this.#scopes.uses(of),
      cells,
    }
  }

  #prompted(message: Message, n: number): void {
    const { agent_id, hidden, state, id, ts } = message
    const text = wordsOf(message)
    if (state === 'summary' || text.trim() === '') return
    const loaded = skillOfPrompt(text)
    if (hidden && loaded === undefined) return
    this.#scopes.close(agent_id)
    const command = skillOfCommand(text)
    const skill = loaded ?? (command !== undefined && this.#making.isSkill(command) ? command : undefined)
    if (skill === undefined) return
    const named = { agent_id, id: id || `${n}`, skill, ts: ts ?? this.#lastOf(agent_id), n }
    this.#scopes.command({ ...named, how: 'command' })
  }

  #answered(message: Message, agent: AgentBook, n: number): void {
    const { model, usage, ts, state, hidden } = message
    this.#pay(message, this.#scopes.skillOf(agent.id))
    agent.answered(model)
    agent.spent(usage)
    const text = wordsOf(message)
    if (!hidden && state !== 'rewound' && state !== 'summary' && text !== '') {
      const status = agent.said(text, n)
      // What is done after a marker does not speak against it.
      if (status !== undefined) agent.flags = this.#flags.flagsOf(agent.id, status)
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
    const named = { agent_id: agent.id, id: id || `${n}`, skill, ts: ts ?? this.#lastOf(agent.id), n }
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
    const { agent_id: agent, model, usage, ts, cost_micro_usd: told = null } = message
    const { prices, dayOf } = this.#making
    const known = usage !== null && model !== null
    const cost = told ?? (known ? prices.costOf(model, usage, ts) : null)
    const saved = known ? prices.savedOf(model, usage, ts) : null
    const at = ts ?? this.#agent(agent).last
    const add = (day: string) => this.#spending.add({ agent, day, model, skill, usage, cost, saved })
    if (at !== null) add(dayOf(at))
    else this.#undated.push(() => add(dayOf(this.#day ?? 0)))
  }

  /** What a source says of the whole goes before the sum of its replies, and is the session's own agent's. */
  #inAll(session: Session): void {
    const { usage = null, cost_micro_usd: told = null, model, started_at } = session
    const { prices, dayOf } = this.#making
    const day = dayOf(this.#day ?? 0)
    if (usage === null) {
      if (told !== null) this.#spending.reprice(told, MAIN, day)
      return
    }
    const cost = told ?? (model === null ? null : prices.costOfSum(model, usage, started_at))
    const saved = model === null ? null : prices.savedOfSum(model, usage, started_at)
    this.#spending.replace({ agent: MAIN, day, model, usage, cost, saved })
    for (const agent of this.#agents.values()) agent.spentInAll(agent.id === MAIN ? usage : null)
  }

  #lastOf(agent: string): number {
    return this.#agent(agent).last ?? 0
  }

  #agent(id: string): AgentBook {
    const known = this.#agents.get(id)
    if (known !== undefined) return known
    const agent = new AgentBook(id)
    this.#agents.set(id, agent)
    return agent
  }
}

type SessionRecordAgent = Extract<SessionRecord, { kind: 'agent' }>['agent']
type Call = Extract<ContentBlock, { type: 'tool_call' }>

/** A session that another one made for a part of its work. */
const CHILD: ReadonlySet<string> = new Set(['delegate', 'subagent'])
