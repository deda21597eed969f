import type { Message, TokenUsage } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { type Fields, toCount, toFields, toText } from '../fields.ts'
import type { Head } from './head.ts'
import { parseItem } from './items.ts'
import type { Line } from './lines.ts'
import type { Outcome } from './outcome.ts'
import { type Frame, Replies } from './replies.ts'

/** Kinds of lines that are handled elsewhere or mean nothing to people. */
const SILENT = [
  'session_meta',
  'world_state',
  'dynamic_tools_updated',
  'inter_agent_communication_metadata',
  'security_risk_score',
  'realtime_item',
  'state',
]

interface LineResult {
  readonly messages: readonly Message[]
  /** Why the line could not be read. */
  readonly problem?: string
}

const NOTHING: LineResult = { messages: [] }

interface Of {
  readonly session: string
  readonly agent: string
  readonly thread: string
  readonly head: Head
}

/** Converts the lines of one rollout to messages. */
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

  /** Skips a line copied from another thread, whose usage was counted there. */
  passed({ type, payload }: Line): void {
    if (type === 'turn_context') this.#model = toText(payload.model) ?? this.#model
    if (type === 'event_msg' && payload.type === 'token_count') this.#meter.passed(payload)
  }

  take(line: Line): LineResult {
    const { type, payload, ts } = line
    const id = toText(payload.id) ?? `${this.#thread}:${line.line}`
    this.#frame = { id, ts, model: this.#model }
    switch (type) {
      case 'response_item':
        return this.#item(payload)
      case 'turn_context':
        this.#model = toText(payload.model) ?? this.#model
        return NOTHING
      case 'token_usage_record':
        if ((toText(payload.thread_id) ?? this.#thread) === this.#thread)
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
        return SILENT.includes(type) ? NOTHING : { messages: [], problem: 'has an unknown type' }
    }
  }

  end(): readonly Message[] {
    return this.#replies.close({ ...this.#frame, model: this.#model })
  }

  #item(payload: Fields): LineResult {
    const item = parseItem(payload)
    switch (item.kind) {
      case 'reply':
        return { messages: this.#replies.part(this.#frame, item.blocks) }
      case 'result': {
        const outcome = this.#ends.take(toText(payload.call_id) ?? '')
        const blocks = item.blocks.map((block) =>
          block.type === 'tool_result' && outcome !== undefined
            ? { ...block, ok: outcome.ok ?? block.ok, duration_ms: outcome.duration_ms ?? block.duration_ms }
            : block,
        )
        return { messages: this.#replies.result(this.#frame, blocks) }
      }
      case 'words':
        return { messages: this.#replies.words(this.#frame, item.role, item.blocks, { hidden: item.hidden }) }
      case 'unknown':
        return { messages: [], problem: 'has an item of an unknown type' }
      case 'nothing':
        return NOTHING
    }
  }

  #event(event: Fields): void {
    if (event.type === 'token_count') this.#replies.took(this.#meter.counted(event))
    else this.#ends.saw(event)
  }

  #summary({ message }: Fields): readonly Message[] {
    const text = toText(message)
    if (text === null) return []
    return this.#replies.words(this.#frame, 'user', [{ type: 'text', text }], { state: 'summary' })
  }

  /** Converts a message from another agent. */
  #letter({ content }: Fields): readonly Message[] {
    const text = toText(content)
    if (text === null) return []
    return this.#replies.words(this.#frame, 'user', [{ type: 'text', text }], { hidden: true })
  }
}

/** Ends that are never requested belong to unanswered calls, so only this many are kept. */
const MAX_ENDS = 1_000

/** Collects what Codex records about the end of calls besides their output. */
export class Ends {
  readonly #ends = new Map<string, Outcome>()

  /** Reads an event that may report the end of a call. */
  saw(event: Fields): void {
    const item = event.type === 'item_completed' ? toFields(event.item) : event
    const id = toText(item.call_id) ?? (item === event ? null : toText(item.id))
    const outcome = id === null ? undefined : parseEnd(item)
    if (id === null || outcome === undefined) return
    if (this.#ends.size >= MAX_ENDS) this.#ends.clear()
    this.#ends.set(id, outcome)
  }

  take(id: string): Outcome | undefined {
    const outcome = this.#ends.get(id)
    this.#ends.delete(id)
    return outcome
  }
}

function parseEnd(item: Fields): Outcome | undefined {
  const duration_ms = toMilliseconds(item.duration)
  // A declined call has exit code -1 although it never ran.
  if (item.status === 'declined') return { ok: null, duration_ms: null }
  if (typeof item.exit_code === 'number') return { ok: item.exit_code === 0, duration_ms }
  if (typeof item.success === 'boolean') return { ok: item.success, duration_ms }
  if (item.status === 'completed') return { ok: true, duration_ms }
  if (item.status === 'failed') return { ok: false, duration_ms }
  const { Ok, Err } = toFields(item.result)
  if (Err !== undefined) return { ok: false, duration_ms }
  if (Ok === undefined) return undefined
  return { ok: toFields(Ok).isError !== true && toFields(Ok).is_error !== true, duration_ms }
}

function toMilliseconds(value: unknown): number | null {
  const { secs, nanos } = toFields(value)
  const [seconds, rest] = [toCount(secs), toCount(nanos)]
  return seconds === null || rest === null ? null : Math.round(seconds * 1_000 + rest / 1_000_000)
}

const COUNTS = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const

/**
 * Computes the usage of each reply. Codex repeatedly writes the running total of a thread, and a reply used
 * the difference to the previous total. A fork continues its origin's total, so of its first total only the
 * last reply is its own. Newer versions also record each reply separately; then only those records count.
 */
class Meter {
  readonly #inherits: boolean
  #total: Fields | undefined
  /** True when the previous total belongs to this thread. */
  #own = false
  readonly #recorded = new Set<string>()
  #exact = false

  /** `inherits` says whether the first total includes the usage of other threads. */
  constructor(inherits: boolean) {
    this.#inherits = inherits
  }

  /** Reads a total that another thread reached. */
  passed(count: Fields): void {
    const { total_token_usage } = toFields(count.info)
    if (isPlainObject(total_token_usage)) this.#total = total_token_usage
  }

  /** Returns the usage that a `token_count` adds. */
  counted(count: Fields): TokenUsage | null {
    const { total_token_usage: total, last_token_usage: last } = toFields(count.info)
    if (this.#exact) return null
    if (!isPlainObject(total)) return isPlainObject(last) ? toUsage(last) : null
    const before = this.#total
    this.#total = total
    const grown = before === undefined ? total : subtractCounts(total, before)
    if (grown !== undefined && isNothing(grown)) return null
    // A sub-agent may start at zero although it copied totals, and a fork continues totals that it may not
    // have copied.
    const sure = grown !== undefined && (this.#own || !this.#inherits)
    this.#own = true
    return toUsage(sure || !isPlainObject(last) ? (grown ?? total) : last)
  }

  /** Returns the usage that a `token_usage_record` adds. */
  recorded(record: Fields): TokenUsage | null {
    this.#exact = true
    const once = `${toText(record.response_id)} ${JSON.stringify(record.thread_token_usage)}`
    if (this.#recorded.has(once)) return null
    this.#recorded.add(once)
    return toUsage(toFields(record.usage))
  }
}

const isNothing = (counts: Fields): boolean => COUNTS.every((name) => !counts[name])

/** Returns undefined when a total decreased, which means that it restarted. */
function subtractCounts(total: Fields, before: Fields): Fields | undefined {
  const grown: Record<string, number> = {}
  for (const name of COUNTS) {
    const now = toCount(total[name])
    if (now === null) continue
    const by = now - (toCount(before[name]) ?? 0)
    if (by < 0) return undefined
    grown[name] = by
  }
  return grown
}

/** Codex counts tokens read from and written to the cache as input, and reasoning as output. */
function toUsage(counts: Fields): TokenUsage | null {
  const [whole, read, written, output, reasoning] = COUNTS.map((name) => toCount(counts[name]))
  if (isNothing(counts)) return null
  return {
    input: whole === null || whole === undefined ? null : Math.max(0, whole - (read ?? 0) - (written ?? 0)),
    output: output ?? null,
    cache_read: read ?? null,
    cache_write: written ?? null,
    cache_write_1h: null,
    reasoning: reasoning ?? null,
  }
}
