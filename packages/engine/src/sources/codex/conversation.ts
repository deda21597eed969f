import type { Message } from '@panoptes/schema'
import { type Fields, textOf } from '../fields.ts'
import { Ends } from './ends.ts'
import type { Head } from './head.ts'
import { itemOf } from './items.ts'
import type { Line } from './lines.ts'
import { Meter } from './meter.ts'
import { type Frame, Replies } from './replies.ts'

/** Kinds of lines that are told elsewhere, or say nothing to people. */
const SILENT = [
  'session_meta',
  'world_state',
  'dynamic_tools_updated',
  'inter_agent_communication_metadata',
  'security_risk_score',
  'realtime_item',
  'state',
]

interface Told {
  readonly messages: readonly Message[]
  /** What could not be read of the line. */
  readonly problem?: string
}

const NOTHING: Told = { messages: [] }

interface Of {
  readonly session: string
  readonly agent: string
  readonly thread: string
  readonly head: Head
}

/** Makes messages of the lines of one rollout. */
export class Conversation {
  readonly #thread: string
  readonly #replies: Replies
  readonly #meter: Meter
  readonly #ends = new Ends()
  #model: string | null = null
  #frame: Frame = { id: '', ts: null, model: null }

  constructor({ session, agent, thread, head }: Of) {
    this.#thread = thread
    this.#replies = new Replies({ session, agent })
    this.#meter = new Meter(head.forkedFrom !== null || head.isAgent)
  }

  /** A line that was copied from another thread: what it counted is not counted again. */
  passed({ type, payload }: Line): void {
    if (type === 'turn_context') this.#model = textOf(payload.model) ?? this.#model
    if (type === 'event_msg' && payload.type === 'token_count') this.#meter.passed(payload)
  }

  take(line: Line): Told {
    const { type, payload, ts } = line
    const id = textOf(payload.id) ?? `${this.#thread}:${line.line}`
    this.#frame = { id, ts, model: this.#model }
    switch (type) {
      case 'response_item':
        return this.#item(payload)
      case 'turn_context':
        this.#model = textOf(payload.model) ?? this.#model
        return NOTHING
      case 'token_usage_record':
        if ((textOf(payload.thread_id) ?? this.#thread) === this.#thread)
          this.#replies.took(this.#meter.recorded(payload))
        return NOTHING
      case 'event_msg':
        this.#event(payload)
        return NOTHING
      case 'compacted':
        return { messages: this.#summary(payload) }
      case 'inter_agent_communication':
        return { messages: this.#letter(payload) }
      default:
        return SILENT.includes(type) ? NOTHING : { messages: [], problem: 'is of a kind that is not known' }
    }
  }

  end(): readonly Message[] {
    return this.#replies.close({ ...this.#frame, model: this.#model })
  }

  #item(payload: Fields): Told {
    const item = itemOf(payload)
    switch (item.kind) {
      case 'reply':
        return { messages: this.#replies.part(this.#frame, item.blocks) }
      case 'result': {
        const told = this.#ends.take(textOf(payload.call_id) ?? '')
        const blocks = item.blocks.map((block) =>
          block.type === 'tool_result' && told !== undefined
            ? { ...block, ok: told.ok ?? block.ok, duration_ms: told.duration_ms ?? block.duration_ms }
            : block,
        )
        return { messages: this.#replies.result(this.#frame, blocks) }
      }
      case 'words':
        return { messages: this.#replies.words(this.#frame, item.role, item.blocks, { hidden: item.hidden }) }
      case 'unknown':
        return { messages: [], problem: 'has an item of a kind that is not known' }
      case 'nothing':
        return NOTHING
    }
  }

  #event(event: Fields): void {
    if (event.type === 'token_count') this.#replies.took(this.#meter.counted(event))
    else this.#ends.saw(event)
  }

  #summary({ message }: Fields): readonly Message[] {
    const text = textOf(message)
    if (text === null) return []
    return this.#replies.words(this.#frame, 'user', [{ type: 'text', text }], { state: 'summary' })
  }

  /** What another agent wrote to this one. */
  #letter({ content }: Fields): readonly Message[] {
    const text = textOf(content)
    if (text === null) return []
    return this.#replies.words(this.#frame, 'user', [{ type: 'text', text }], { hidden: true })
  }
}
