import { addSpent, spend } from '@panoptes/engine/store'
import type {
  Message,
  OutlinedAgent,
  OutlineReply,
  PastAgent,
  SessionStep,
  Spent,
  UnreadPart,
} from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'

const MAIN = 'main'
const MOST_STEPS = 1_000
const MOST_FAILED = 10_000
const MOST_UNREAD = 20

interface Place {
  readonly n: number
  readonly agent: string
}

type AgentTotals = Omit<OutlinedAgent, keyof PastAgent | 'made_at'> & { readonly spent: Spent }

/** Builds the outline of a session from its messages, one after the other, and keeps none of their text. */
export class Outline {
  readonly #steps = new Map<number, SessionStep>()
  readonly #calls = new Map<string, Place>()
  readonly #agents = new Map<string, AgentTotals>()
  readonly #failed: Place[] = []
  readonly #unread: UnreadPart[] = []
  #lacks = 0

  add(n: number, message: Message, cost: number | null): void {
    const { agent_id: agent, ts, model, role, usage } = message
    const own = this.#agent(agent)
    own.first ??= n
    own.last = n
    own.model ??= model
    own.started_at ??= ts
    own.last_at = ts ?? own.last_at
    if (role === 'assistant') {
      spend(own.spent, { model, usage, cost_micro_usd: cost })
      if (agent === MAIN) this.#step(n, message, cost)
    }
    for (const block of message.content) {
      if (block.type === 'tool_call') this.#called(block.id, { n, agent })
      if (block.type === 'tool_result' && block.ok === false) this.#fail(block.id, { n, agent })
    }
  }

  /** Records a part that could not be read. */
  lack(part: UnreadPart): void {
    this.#lacks += 1
    if (this.#unread.length < MOST_UNREAD) this.#unread.push(part)
  }

  reply(fingerprint: string, agents: readonly PastAgent[]): OutlineReply {
    const made = new Map(agents.map((agent) => [agent.id, this.#calls.get(agent.tool_use_id ?? '')]))
    const roots = new Map(agents.map(({ id }) => [id, findRoot(id, made)]))
    const loose = createZeroSpent()
    for (const [id, totals] of this.#agents) {
      if (id === MAIN) continue
      const root = roots.get(id) ?? null
      const step = root === null ? undefined : this.#steps.get(root)
      addSpent(step?.spent ?? loose, totals.spent)
      if (!step) continue
      step.tool_calls += totals.tool_calls
      step.errors += totals.errors
    }
    const failed = this.#failed.flatMap(({ n, agent }) => (agent === MAIN ? n : (roots.get(agent) ?? [])))
    return {
      fingerprint,
      steps: fewer([...this.#steps.values()]),
      agents: agents.map((agent) => {
        const { spent: _own, ...totals } = this.#agents.get(agent.id) ?? emptyTotals()
        const reached = (roots.get(agent.id) ?? null) !== null
        return { ...agent, ...totals, made_at: reached ? (made.get(agent.id)?.n ?? null) : null }
      }),
      failed: [...new Set(failed)].sort((a, b) => a - b).slice(0, MOST_FAILED),
      loose,
      unread: this.#lacks,
      unread_parts: this.#unread,
    }
  }

  #agent(id: string): AgentTotals {
    const totals = this.#agents.get(id) ?? emptyTotals()
    this.#agents.set(id, totals)
    return totals
  }

  #step(n: number, { ts, model, usage }: Message, cost: number | null): void {
    const step = { n, replies: 1, ts, tool_calls: 0, errors: 0, spent: createZeroSpent() }
    spend(step.spent, { model, usage, cost_micro_usd: cost })
    this.#steps.set(n, step)
  }

  #called(id: string, place: Place): void {
    this.#calls.set(id, place)
    this.#agent(place.agent).tool_calls += 1
    const step = place.agent === MAIN ? this.#steps.get(place.n) : undefined
    if (step) step.tool_calls += 1
  }

  /** Assigns a failure to the step of the call that failed. */
  #fail(id: string, answered: Place): void {
    const place = this.#calls.get(id) ?? answered
    this.#agent(place.agent).errors += 1
    this.#failed.push(place)
    const step = place.agent === MAIN ? this.#steps.get(place.n) : undefined
    if (step) step.errors += 1
  }
}

/** Finds the message of the session's own agent from which an agent originates, through any levels. */
function findRoot(id: string, made: ReadonlyMap<string, Place | undefined>): number | null {
  const seen = new Set<string>()
  for (let at = made.get(id); at !== undefined; at = made.get(at.agent)) {
    if (at.agent === MAIN) return at.n
    if (seen.has(at.agent)) return null
    seen.add(at.agent)
  }
  return null
}

/** Merges neighbouring steps when there are more than a person can tell apart. */
function fewer(steps: readonly SessionStep[]): SessionStep[] {
  const size = Math.ceil(steps.length / MOST_STEPS)
  if (size <= 1) return [...steps]
  return Array.from({ length: Math.ceil(steps.length / size) }, (_, i) =>
    merged(steps.slice(i * size, (i + 1) * size)),
  )
}

function merged([first, ...rest]: readonly SessionStep[]): SessionStep {
  if (!first) throw new Error('nothing to merge')
  const all = { ...first, spent: { ...first.spent } }
  for (const step of rest) {
    all.replies += step.replies
    all.tool_calls += step.tool_calls
    all.errors += step.errors
    addSpent(all.spent, step.spent)
  }
  return all
}

const emptyTotals = (): AgentTotals => ({
  first: null,
  last: null,
  model: null,
  started_at: null,
  last_at: null,
  tool_calls: 0,
  errors: 0,
  spent: createZeroSpent(),
})
