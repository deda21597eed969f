import { redactText } from '@panoptes/engine/redact'
import { readStatus } from '@panoptes/engine/stated'
import type { AccountSpent, AgentAccount, CostCell, Flag, StatusMarker, TokenUsage } from '@panoptes/schema'
import { kept } from './words.ts'

type Tokens = Pick<AccountSpent, 'tokens_in' | 'tokens_out' | 'cache_read' | 'cache_write'>
type Identity = Pick<AgentAccount, 'source' | 'session_id' | 'project'>

/** What one agent amounts to, as it is told. */
export class AgentBook {
  readonly id: string
  parent: string | null = null
  type: string | null = null
  description: string | null = null
  messages = 0
  errors = 0
  finished = false
  /** How long the call took that made it, or what says so of itself. */
  took: number | null = null
  /** What says how many calls there were, where they are not told. */
  calledAtLeast = 0
  status: StatusMarker | null = null
  /** The message that the marker is in. */
  statusAt: number | null = null
  flags: Flag[] = []
  first: number | null = null
  last: number | null = null
  /** What it was told to work with, where no reply says. */
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

  /** What a source says of all that it took. */
  spentInAll(usage: TokenUsage | null): void {
    this.#tokens = NOTHING
    this.spent(usage)
  }

  /** The marker of a message, where it has one: the last of them counts. */
  said(text: string, n: number): StatusMarker | undefined {
    if (readStatus(text) === undefined) return undefined
    const status = readStatus(redactText(text).text)
    if (status === undefined) return undefined
    this.status = status
    this.statusAt = n
    return status
  }

  account(of: Identity, cells: readonly CostCell[]): AgentAccount {
    const own = cells.filter(({ agent_id }) => agent_id === this.id)
    const calls = [...this.#tools.values()].reduce((total, count) => total + count, 0)
    const { status } = this
    return {
      ...of,
      agent_id: this.id,
      parent_id: this.parent,
      subagent_type: this.type,
      description: this.description === null ? null : kept(this.description),
      model: this.#model() ?? this.namedModel,
      started_at: this.first,
      last_at: this.last,
      finished: this.finished,
      outcome: status?.shipped ?? null,
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
      ...costOf(own),
    }
  }

  #model(): string | null {
    let most: string | null = null
    for (const [model, count] of this.#models)
      if (most === null || count > (this.#models.get(most) ?? 0)) most = model
    return most
  }

  /** An agent is at work from its call to the last sign of it; a call that only launched it says less. */
  #duration(): number | null {
    const signs = this.first === null || this.last === null ? null : this.last - this.first
    if (signs === null || this.took === null) return signs ?? this.took
    return Math.max(signs, this.took)
  }
}

const NOTHING: Tokens = { tokens_in: null, tokens_out: null, cache_read: null, cache_write: null }

const sum = (known: number | null, more: number | null): number | null =>
  more === null ? known : (known ?? 0) + more

/** Nothing is known of what was never paid for, or has no price. */
function costOf(cells: readonly CostCell[]): Pick<AccountSpent, 'cost_micro_usd' | 'cost_unknown'> {
  let cost = 0
  let unknown = 0
  let priced = 0
  for (const cell of cells) {
    const lacking = cell.cost_unknown + cell.usage_unknown
    cost += cell.cost_micro_usd
    unknown += lacking
    if (cell.replies > lacking || cell.cost_micro_usd > 0 || lacking === 0) priced += 1
  }
  return { cost_micro_usd: priced === 0 ? null : cost, cost_unknown: unknown }
}
