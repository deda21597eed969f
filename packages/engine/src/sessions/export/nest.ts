import type { PastAgent, PastMessage } from '@panoptes/schema'

/** A piece of the temporary file, or an agent to insert at this position. */
type Item = { readonly start: number; end: number } | { readonly agent: string }

const MAIN = 'main'

/**
 * Turns reading order into nesting: it records which pieces belong to which agent, and where each agent was
 * called.
 */
export class Nest {
  readonly #agents: ReadonlyMap<string, PastAgent>
  readonly #items = new Map<string, Item[]>()
  /** Agents by the call that created them. */
  readonly #made = new Map<string, string[]>()
  readonly #placed = new Set<string>([MAIN])

  constructor(agents: readonly PastAgent[]) {
    this.#agents = new Map(agents.map((agent) => [agent.id, agent]))
    for (const { id, tool_use_id: call } of agents) {
      if (call !== null && id !== MAIN) this.#made.set(call, [...(this.#made.get(call) ?? []), id])
    }
  }

  agentDepth(agent: string): number {
    let depth = 0
    for (let id: string | null = agent; id !== null && id !== MAIN && depth < 20; depth += 1)
      id = this.#agents.get(id)?.parent_id ?? null
    return depth
  }

  add({ agent_id, content }: PastMessage, start: number, end: number): void {
    const items = this.#of(agent_id)
    const last = items.at(-1)
    if (last !== undefined && 'end' in last && last.end === start) last.end = end
    else items.push({ start, end })
    for (const block of content) {
      if (block.type === 'tool_call')
        for (const made of this.#made.get(block.id) ?? []) this.#place(made, items)
    }
  }

  /** Yields everything in nested order. An agent without a known call comes at the end of its creator. */
  *inNestedOrder(): Generator<
    | { readonly piece: readonly [start: number, end: number] }
    | { readonly begins: PastAgent; readonly depth: number }
    | { readonly ends: PastAgent; readonly depth: number }
  > {
    for (const { id, parent_id } of this.#agents.values()) {
      if (!this.#placed.has(id))
        this.#place(id, this.#of(this.#agents.has(parent_id ?? '') ? (parent_id ?? MAIN) : MAIN))
    }
    const seen = new Set<string>()
    yield* this.#walk(MAIN, 0, seen)
    // Agents that name each other as creators are unreachable from the session, so they follow at the end.
    for (const id of this.#items.keys()) if (!seen.has(id)) yield* this.#agent(id, 1, seen)
  }

  *#walk(agent: string, depth: number, seen: Set<string>): ReturnType<Nest['inNestedOrder']> {
    seen.add(agent)
    for (const item of this.#items.get(agent) ?? []) {
      if ('end' in item) yield { piece: [item.start, item.end] }
      else if (!seen.has(item.agent)) yield* this.#agent(item.agent, depth + 1, seen)
    }
  }

  *#agent(id: string, depth: number, seen: Set<string>): ReturnType<Nest['inNestedOrder']> {
    const agent = this.#agents.get(id)
    if (agent === undefined) {
      yield* this.#walk(id, depth, seen)
      return
    }
    yield { begins: agent, depth }
    yield* this.#walk(id, depth, seen)
    yield { ends: agent, depth }
  }

  #place(agent: string, items: Item[]): void {
    if (this.#placed.has(agent)) return
    this.#placed.add(agent)
    items.push({ agent })
  }

  #of(agent: string): Item[] {
    const existing = this.#items.get(agent)
    if (existing !== undefined) return existing
    const items: Item[] = []
    this.#items.set(agent, items)
    return items
  }
}
