/** What a span is to us. A step is whatever else a trace is made of: it only stands between. */
export type Part = 'agent' | 'tool' | 'reply' | 'step'

interface Known {
  readonly parent: string | undefined
  readonly part: Part
  /** The name of the agent that it is. */
  readonly agent: string | undefined
}

export interface Noted extends Known {
  readonly id: string
  readonly says: boolean
}

const MAIN = 'main'
const MOST_SPANS = 20_000
const MOST_NAMES = 1_000
const HIGHEST = 1_000

export const isSpanId = (name: unknown): name is string =>
  typeof name === 'string' && /^[0-9a-f]{16}$/.test(name)

/**
 * The spans of one trace, as far as they came. Whoever works inside of a span that is not here yet is called by that span's id: that
 * is its name if it turns out to be an agent, and a name for another one if not.
 */
export class Tree {
  readonly #spans = new Map<string, Known>()
  /** Ids that stood for an agent while nothing else was known of it. */
  readonly #names = new Set<string>()
  /** Agents by the span above them, while nobody is known there. */
  readonly #orphans = new Map<string, string>()
  readonly #replied = new Set<string>()
  readonly #said = new Set<string>()

  note({ id, parent, part, agent, says }: Noted): void {
    if (this.#spans.size >= MOST_SPANS) this.#spans.delete(this.#spans.keys().next().value ?? '')
    this.#spans.set(id, { parent, part, agent })
    if (part === 'reply' || this.#replied.has(id)) this.#mark(this.#replied, parent)
    if ((part === 'reply' && says) || this.#said.has(id)) this.#mark(this.#said, parent)
  }

  /** Whether a reply inside of it told what it took; whether one told its words. */
  hasReply = (id: string): boolean => this.#replied.has(id)
  hasWords = (id: string): boolean => this.#said.has(id)

  /** Who works inside of this span. */
  workerIn(id: string | undefined): string {
    const name = this.#climb(id)
    if (name.unknown) this.#name(name.agent)
    return name.agent
  }

  /** Who made the agent that is this span; undefined while nobody knows. */
  makerOf(id: string, agent: string): string | undefined {
    const above = this.#spans.get(id)?.parent
    if (above === undefined) return undefined
    const { agent: maker, unknown } = this.#climb(above)
    if (!unknown) return maker === agent ? undefined : maker
    if (this.#orphans.size < MOST_NAMES) this.#orphans.set(agent, above)
    this.#name(maker)
    return undefined
  }

  /** The nearest span above that did not come yet. */
  unknownAbove(id: string): string | undefined {
    const above = this.#spans.get(id)?.parent
    const { agent, unknown } = this.#climb(above)
    return unknown ? agent : undefined
  }

  /** Whether this name is that agent's. */
  isNamed = (name: string, agent: string): boolean => name === agent || this.#climb(name).agent === agent

  /** An agent was called by this id before, and turned out to be another one where that is said. */
  recall(name: string, agent?: string): void {
    if (this.#spans.has(name)) return
    if (agent === undefined) this.#name(name)
    else
      this.note({
        id: name,
        parent: isSpanId(agent) ? agent : undefined,
        part: 'step',
        agent: undefined,
        says: false,
      })
    if (agent !== undefined && isSpanId(agent)) this.recall(agent)
  }

  /** Agents whose maker was not known when they were told of. */
  recallOrphans(): void {
    for (const [id, { agent }] of [...this.#spans]) if (agent !== undefined) this.makerOf(id, agent)
  }

  /** What became known: names that are other agents', and agents whose maker is found. */
  *found(): Generator<
    { readonly name: string; readonly agent: string } | { readonly child: string; readonly maker: string }
  > {
    for (const name of [...this.#names]) {
      const { agent, unknown } = this.#climb(name)
      if (agent === name && unknown) continue
      this.#names.delete(name)
      if (unknown) this.#name(agent)
      if (agent !== name) yield { name, agent }
      // It may be that who it is called after turns out to be another one still.
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
      at = this.#spans.get(at)?.parent
    }
  }
}
