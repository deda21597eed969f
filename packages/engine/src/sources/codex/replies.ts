import type { ContentBlock, Message, TokenUsage } from '@panoptes/schema'

/** Some calls are never answered, so only this many are remembered. */
const MOST_CALLS = 1_000

/** The metadata of a message. */
export type Frame = Pick<Message, 'id' | 'ts' | 'model'>

/**
 * Merges the parts of a reply. Codex writes one line per part, then the tool results, and the usage whenever
 * it is known. The merged message is followed by the results.
 */
export class Replies {
  readonly #of: { readonly session: string; readonly agent: string }
  #reply: Message | undefined
  #after: Message[] = []
  /** Usage of a reply without any other line. */
  #unassigned: TokenUsage | null = null
  /** When each unanswered call was made. */
  readonly #calls = new Map<string, number>()

  constructor(of: { readonly session: string; readonly agent: string }) {
    this.#of = of
  }

  /** These methods return the messages that are complete by now. */
  part(frame: Frame, blocks: readonly ContentBlock[]): readonly Message[] {
    const open = this.#reply !== undefined && this.#after.length === 0 && this.#reply.usage === null
    const complete = open ? [] : this.end()
    this.#reply ??= this.#message(frame, 'assistant', [])
    this.#reply = { ...this.#reply, content: [...this.#reply.content, ...blocks] }
    if (this.#calls.size >= MOST_CALLS) this.#calls.clear()
    for (const block of blocks)
      if (block.type === 'tool_call' && frame.ts !== null) this.#calls.set(block.id, frame.ts)
    return complete
  }

  result(frame: Frame, blocks: readonly ContentBlock[]): readonly Message[] {
    const timed = blocks.map((block) => this.#timed(block, frame.ts))
    this.#after.push(this.#message({ ...frame, model: null }, 'tool', timed))
    return this.#reply === undefined ? this.end() : []
  }

  words(
    frame: Frame,
    role: Message['role'],
    blocks: readonly ContentBlock[],
    more: Partial<Message> = {},
  ): readonly Message[] {
    const messages =
      blocks.length === 0 ? [] : [{ ...this.#message({ ...frame, model: null }, role, blocks), ...more }]
    return [...this.end(), ...messages]
  }

  took(usage: TokenUsage | null): void {
    if (usage === null) return
    if (this.#reply === undefined) this.#unassigned = addUsage(this.#unassigned, usage)
    else this.#reply = { ...this.#reply, usage: addUsage(this.#reply.usage, usage) }
  }

  end(): readonly Message[] {
    const reply = this.#reply
    const complete = reply === undefined ? this.#after : [...this.#settled(reply), ...this.#after]
    this.#reply = undefined
    this.#after = []
    return complete
  }

  /** Remaining usage gets an empty reply, so that it counts. */
  close(frame: Frame): readonly Message[] {
    const complete = this.end()
    if (this.#unassigned === null) return complete
    return [...complete, ...this.#settled({ ...this.#message(frame, 'assistant', []), hidden: true })]
  }

  /** Drops a reply with neither content nor usage. */
  #settled(reply: Message): readonly Message[] {
    const usage = addUsage(this.#unassigned, reply.usage)
    this.#unassigned = null
    return reply.content.length === 0 && usage === null ? [] : [{ ...reply, usage }]
  }

  #timed(block: ContentBlock, ts: number | null): ContentBlock {
    if (block.type !== 'tool_result') return block
    const began = this.#calls.get(block.id)
    this.#calls.delete(block.id)
    if (block.duration_ms !== null || began === undefined || ts === null || ts < began) return block
    return { ...block, duration_ms: ts - began }
  }

  #message({ id, ts, model }: Frame, role: Message['role'], blocks: readonly ContentBlock[]): Message {
    const { session, agent } = this.#of
    const base = { id, session_id: session, agent_id: agent, role, ts, model }
    return { ...base, content: [...blocks], usage: null, state: 'active', hidden: false }
  }
}

const FIELDS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h', 'reasoning'] as const

function addUsage(a: TokenUsage | null, b: TokenUsage | null): TokenUsage | null {
  if (a === null || b === null) return a ?? b
  const sums = FIELDS.map((name) => [name, a[name] === null ? b[name] : a[name] + (b[name] ?? 0)])
  return Object.fromEntries(sums) as TokenUsage
}
