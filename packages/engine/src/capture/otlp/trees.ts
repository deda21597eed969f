/** The role of a span. A step is any other span; it only connects others. */
export type Part = 'agent' | 'tool' | 'reply' | 'step'

interface SpanNode {
  readonly parent: string | undefined
  /** The name of the agent that the span is. */
  readonly agent: string | undefined
}

export interface Noted extends SpanNode {
  readonly id: string
  /** This is true when the span is a reply with usage. `says` is true when the reply has text. */
  readonly counts: boolean
  readonly says: boolean
}

const MAIN = 'main'
const MOST_SPANS = 20_000
const MOST_NAMES = 1_000
const HIGHEST = 1_000

export const isSpanId = (name: unknown): name is string =>
  typeof name === 'string' && /^[0-9a-f]{16}$/.test(name)

/**
 * The spans of one trace, as far as they arrived. Work inside a missing span is assigned to that span's id:
 * it becomes the name of the agent if the span turns out to be one, and an alias of another agent otherwise.
 */
export class Tree {
  readonly #spans = new Map<string, SpanNode>()
  /** Ids that stood for an agent while its span was missing. */
  readonly #names = new Set<string>()
  /** Agents by the nearest span above them, while no agent is known there. */
  readonly #orphans = new Map<string, string>()
  readonly #replied = new Set<string>()
  readonly #spoken = new Set<string>()
  #marked: string[] = []

  note({ id, parent, agent, counts, says }: Noted): void {
    if (this.#spans.size >= MOST_SPANS) this.#spans.delete(this.#spans.keys().next().value ?? '')
    this.#spans.set(id, { parent, agent })
    if (counts || this.#replied.has(id)) this.#mark(this.#replied, parent)
    if (says || this.#spoken.has(id)) this.#mark(this.#spoken, parent)
  }

  /** Returns true when a nested reply reported its usage. `hasWords` does the same for its text. */
  hasReply = (id: string): boolean => this.#replied.has(id)
  hasWords = (id: string): boolean => this.#spoken.has(id)

  /** Returns the spans for which one of the two became true since the last call. */
  takeMarked(): readonly string[] {
    const marked = this.#marked
    this.#marked = []
    return marked
  }

  /** Returns the agent that works inside this span. */
  workerIn(id: string | undefined): string {
    const name = this.#climb(id)
    if (name.unknown) this.#name(name.agent)
    return name.agent
  }

  /** Returns the creator of the agent that is this span; undefined while it is unknown. */
  findMaker(id: string, agent: string): string | undefined {
    const above = this.#spans.get(id)?.parent
    if (above === undefined) return undefined
    const { agent: maker, unknown } = this.#climb(above)
    if (!unknown) return maker === agent ? undefined : maker
    if (this.#orphans.size < MOST_NAMES) this.#orphans.set(agent, above)
    this.#name(maker)
    return undefined
  }

  /** Returns the nearest ancestor that has not arrived. */
  unknownAbove(id: string): string | undefined {
    const above = this.#spans.get(id)?.parent
    const { agent, unknown } = this.#climb(above)
    return unknown ? agent : undefined
  }

  /** Returns true when this name denotes that agent. */
  isNamed = (name: string, agent: string): boolean => name === agent || this.#climb(name).agent === agent

  /** Restores that an agent was reported under this id and, if given, which agent it turned out to be. */
  recall(name: string, agent?: string): void {
    if (this.#spans.has(name)) return
    if (agent === undefined) this.#name(name)
    else
      this.note({
        id: name,
        parent: isSpanId(agent) ? agent : undefined,
        agent: undefined,
        counts: false,
        says: false,
      })
    if (agent !== undefined && isSpanId(agent)) this.recall(agent)
  }

  /** Registers agents whose creator was unknown when they were reported. */
  recallOrphans(): void {
    for (const [id, { agent }] of [...this.#spans]) if (agent !== undefined) this.findMaker(id, agent)
  }

  /** Yields new facts: names that turned out to be other agents, and agents whose creator was found. */
  *found(): Generator<
    { readonly name: string; readonly agent: string } | { readonly child: string; readonly maker: string }
  > {
    for (const name of [...this.#names]) {
      const { agent, unknown } = this.#climb(name)
      if (agent === name && unknown) continue
      this.#names.delete(name)
      if (unknown) this.#name(agent)
      if (agent !== name) yield { name, agent }
      // The agent behind the name may later turn out to be another one.
      if (unknown) this.#later.set(name, agent)
    }
    for (const [name, after] of [...this.#later]) {
      const { agent, unknown } = this.#climb(name)
      if (unknown && agent === after) continue
      if (unknown) this.#later.set(name, agent)
      else this.#later.delete(name)
      if (agent !== after) yield { name, agent }
    }
    for (const [child, above] of [...this.#orphans]) {
      const { agent, unknown } = this.#climb(above)
      if (unknown) continue
      this.#orphans.delete(child)
      if (agent !== child) yield { child, maker: agent }
    }
  }

  readonly #later = new Map<string, string>()

  #name(name: string): void {
    if (this.#names.size < MOST_NAMES) this.#names.add(name)
  }

  #climb(from: string | undefined): { readonly agent: string; readonly unknown: boolean } {
    let at = from
    for (let steps = 0; steps < HIGHEST && at !== undefined; steps += 1) {
      const span = this.#spans.get(at)
      if (span === undefined) return { agent: at, unknown: true }
      if (span.agent !== undefined) return { agent: span.agent, unknown: false }
      at = span.parent
    }
    return { agent: MAIN, unknown: false }
  }

  #mark(set: Set<string>, from: string | undefined): void {
    let at = from
    for (let steps = 0; steps < HIGHEST && at !== undefined && !set.has(at); steps += 1) {
      if (set.size >= MOST_SPANS) return
      set.add(at)
      this.#marked.push(at)
      at = this.#spans.get(at)?.parent
    }
  }
}
