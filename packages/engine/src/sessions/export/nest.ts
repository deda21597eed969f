import type { PastAgent, PastMessage } from '@panoptes/schema'

/** Where a piece of the export lies, or which agent stands there. */
type Item = { readonly start: number; end: number } | { readonly agent: string }

const MAIN = 'main'

/** Which pieces are of whom, and where each agent was called: what is read one after the other is told one inside the other. */
export class Nest {
  readonly #agents: ReadonlyMap<string, PastAgent>
  readonly #items = new Map<string, Item[]>()
  /** Agents by the call that made them. */
  readonly #made = new Map<string, string[]>()
  readonly #placed = new Set<string>([MAIN])

  constructor(agents: readonly PastAgent[]) {
    this.#agents = new Map(agents.map((agent) => [agent.id, agent]))
    for (const { id, tool_use_id: call } of agents) {
      if (call !== null && id !== MAIN) this.#made.set(call, [...(this.#made.get(call) ?? []), id])
    }
  }

  depthOf(agent: string): number {
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

  /** Everything in the order it is told. Whoever no call is known for stands at the end of who made them. */
  *told(): Generator<
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
    // Agents that name each other as their makers are reached from nobody.
    for (const id of this.#items.keys()) if (!seen.has(id)) yield* this.#agent(id, 1, seen)
  }

  *#walk(agent: string, depth: number, seen: Set<string>): ReturnType<Nest['told']> {
    seen.add(agent)
    for (const item of this.#items.get(agent) ?? []) {
      if ('end' in item) yield { piece: [item.start, item.end] }
      else if (!seen.has(item.agent)) yield* this.#agent(item.agent, depth + 1, seen)
    }
  }

  *#agent(id: string, depth: number, seen: Set<string>): ReturnType<Nest['told']> {
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
    const known = this.#items.get(agent)
    if (known !== undefined) return known
    const items: Item[] = []
    this.#items.set(agent, items)
    return items
  }
}
