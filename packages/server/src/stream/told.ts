import type { Agent, AgentIdentity } from '@panoptes/schema'

const MOST_REMEMBERED = 20_000

export const nameOf = ({ source, session_id, id }: AgentIdentity): string =>
  JSON.stringify([source, session_id, id])

/** What clients were last told of each agent. */
export class Told {
  readonly #sent = new Map<string, string>()

  /** Notes how an agent is; whether that is anything new. */
  tell(agent: Agent): boolean {
    const name = nameOf(agent)
    const text = JSON.stringify(agent)
    if (this.#sent.get(name) === text) return false
    this.#note(name, text)
    return true
  }

  /** A snapshot named them, to one client: to the others they may still be news. */
  snapshot(alive: readonly Agent[]): void {
    for (const agent of alive) {
      const name = nameOf(agent)
      if (!this.#sent.has(name)) this.#note(name, '')
    }
  }

  /** Whether anyone was told of this name; from now on nobody was. */
  forget(name: string): boolean {
    return this.#sent.delete(name)
  }

  #note(name: string, text: string): void {
    this.#sent.delete(name)
    this.#sent.set(name, text)
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= MOST_REMEMBERED) break
      this.#sent.delete(oldest)
    }
  }
}
