import { readStatus } from '@panoptes/engine/markers'
import { redactText } from '@panoptes/engine/redact'
import type { AccountSpent, AgentAccount, Flag, Outcome, StatusMarker, TokenUsage } from '@panoptes/schema'
import { cleanExcerpt } from './account-text.ts'
import type { Cost } from './spending.ts'

type Tokens = Pick<AccountSpent, 'tokens_in' | 'tokens_out' | 'cache_read' | 'cache_write'>
type Identity = Pick<AgentAccount, 'source' | 'session_id' | 'project'>

/** Collects the outcome of one agent as its events are read. */
export class AgentBook {
  readonly id: string
  parent: string | null = null
  type: string | null = null
  description: string | null = null
  messages = 0
  errors = 0
  finished = false
  /** The duration its client reports: of the call that waited for it, or of a notice of its end. */
  measured: number | null = null
  /** The reported number of calls, if the calls themselves are not recorded. */
  calledAtLeast = 0
  status: StatusMarker | null = null
  /** A forced end; it takes precedence over the marker. */
  ended: Outcome | null = null
  /** The message that contains the marker. */
  statusAt: number | null = null
  flags: Flag[] = []
  first: number | null = null
  last: number | null = null
  /** The model it was started with, if no reply names one. */
  namedModel: string | null = null
  #tokens: Tokens = NOTHING
  readonly #tools = new Map<string, number>()
  readonly #models = new Map<string, number>()

  constructor(id: string) {
    this.id = id
  }

  seen(ts: number | null): void {
    if (ts === null) return
    this.first = Math.min(this.first ?? ts, ts)
    this.last = Math.max(this.last ?? ts, ts)
  }

  called(tool: string): void {
    this.#tools.set(tool, (this.#tools.get(tool) ?? 0) + 1)
  }

  answered(model: string | null): void {
    if (model !== null) this.#models.set(model, (this.#models.get(model) ?? 0) + 1)
  }

  spent(usage: TokenUsage | null): void {
    if (usage === null) return
    this.#tokens = {
      tokens_in: sum(this.#tokens.tokens_in, usage.input),
      tokens_out: sum(this.#tokens.tokens_out, usage.output),
      cache_read: sum(this.#tokens.cache_read, usage.cache_read),
      cache_write: sum(this.#tokens.cache_write, usage.cache_write),
    }
  }

  /** Sets the total usage that a source reports. */
  spentInAll(usage: TokenUsage | null): void {
    this.#tokens = NOTHING
    this.spent(usage)
  }

  /** Reads the marker of a message, if any; the last one counts. */
  readMarker(text: string, n: number): StatusMarker | undefined {
    if (readStatus(text) === undefined) return undefined
    const status = readStatus(redactText(text).text)
    if (status === undefined) return undefined
    this.status = status
    this.statusAt = n
    return status
  }

  account(of: Identity, cost: Cost = UNPAID): AgentAccount {
    const calls = [...this.#tools.values()].reduce((total, count) => total + count, 0)
    const { status } = this
    return {
      ...of,
      agent_id: this.id,
      parent_id: this.parent,
      subagent_type: this.type,
      description: this.description === null ? null : cleanExcerpt(this.description),
      model: this.#model() ?? this.namedModel,
      started_at: this.first,
      last_at: this.last,
      finished: this.finished,
      outcome: this.ended ?? status?.shipped ?? null,
      stubs: status?.stubs ?? null,
      tool_use_count: Math.max(calls, this.calledAtLeast),
      tool_stats: Object.fromEntries(this.#tools),
      errors: this.errors,
      duration_ms: this.#duration(),
      status,
      said_at:
        status === null
          ? null
          : {
              source: of.source,
              session_id: of.session_id,
              agent_id: this.id,
              n: this.statusAt,
              tool_use_id: null,
              quote: `shipped: ${status.shipped}`,
            },
      flags: this.flags,
      ...this.#tokens,
      ...cost,
    }
  }

  #model(): string | null {
    let most: string | null = null
    for (const [model, count] of this.#models)
      if (most === null || count > (this.#models.get(most) ?? 0)) most = model
    return most
  }

  /** An agent seen only once has an unknown duration. */
  #duration(): number | null {
    if (this.measured !== null) return this.measured
    return this.first === null || this.last === null || this.first === this.last
      ? null
      : this.last - this.first
  }
}

const UNPAID: Cost = { cost_micro_usd: null, cost_unknown: 0 }
const NOTHING: Tokens = { tokens_in: null, tokens_out: null, cache_read: null, cache_write: null }

const sum = (current: number | null, more: number | null): number | null =>
  more === null ? current : (current ?? 0) + more
