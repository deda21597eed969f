import { type Failed, failedWith } from '../failed.ts'
import { unlessStopped } from '../stopped.ts'
import { type AcpAgent, type Limits, startAgent } from './agent.ts'
import type { AgentCommand } from './agent-process.ts'

export interface AgentsOptions {
  /** How long one that nobody asks is kept. */
  readonly idleMs: number
  /** How many may run. */
  readonly most: number
}

interface Kept {
  readonly agent: AcpAgent
  /** Since when nobody asks it; null while somebody does. */
  idle: NodeJS.Timeout | null
}

/** One process for a conversation, so that none can harm another: kept for the next message, ended when it is idle. */
export class Agents {
  readonly #options: AgentsOptions
  readonly #kept = new Map<string, Kept>()
  #starting = 0

  constructor(options: AgentsOptions) {
    this.#options = options
  }

  isRunning(conversation: string): boolean {
    return this.#kept.get(conversation)?.agent.isGone() === false
  }

  async take(conversation: string, command: AgentCommand, limits: Limits): Promise<AcpAgent | Failed> {
    const kept = this.#kept.get(conversation)
    if (kept && !kept.agent.isGone()) {
      clearTimeout(kept.idle ?? undefined)
      kept.idle = null
      if (kept.agent.stopping) await unlessStopped(kept.agent.stopping, limits.signal)
      if (limits.signal.aborted) return failedWith('interrupted', `${command.title} was stopped.`)
      if (!kept.agent.isGone()) return kept.agent
    }
    this.end(conversation)
    if (!this.#makeRoom())
      return failedWith(
        'rate_limited',
        `${command.title} is at work in ${this.#options.most} conversations already. Wait for one of them, or stop it.`,
      )
    this.#starting += 1
    const agent = await startAgent(command, limits).finally(() => {
      this.#starting -= 1
    })
    if (!('type' in agent)) this.#kept.set(conversation, { agent, idle: null })
    return agent
  }

  /** Nobody asks it any more for now. */
  rest(conversation: string): void {
    const kept = this.#kept.get(conversation)
    if (!kept) return
    clearTimeout(kept.idle ?? undefined)
    this.#kept.delete(conversation)
    this.#kept.set(conversation, kept)
    kept.idle = setTimeout(() => this.end(conversation), this.#options.idleMs)
    kept.idle.unref()
  }

  end(conversation: string): void {
    const kept = this.#kept.get(conversation)
    this.#kept.delete(conversation)
    clearTimeout(kept?.idle ?? undefined)
    kept?.agent.end()
  }

  close(): void {
    for (const conversation of [...this.#kept.keys()]) this.end(conversation)
  }

  /** The one that has been idle for longest goes first. */
  #makeRoom(): boolean {
    for (const [conversation, { agent, idle }] of this.#kept) {
      if (this.#kept.size + this.#starting < this.#options.most) return true
      if (idle !== null || agent.isGone()) this.end(conversation)
    }
    return this.#kept.size + this.#starting < this.#options.most
  }
}
