import { z } from 'zod'
import { parseJson } from '../parse-json.ts'
import { type Fields, isPlainObject } from '../plain-object.ts'
import { timestampInput } from '../time.ts'
import { CHAT_EVENTS, type ChatEventName, chatEventSchemas } from './events.ts'
import { type SseFrame, SseReader } from './sse.ts'

/** A rule of the chat stream contract. */
export type StreamRule =
  | 'name'
  | 'json'
  | 'envelope'
  | 'field'
  | 'id'
  | 'seq'
  | 'first'
  | 'metadata'
  | 'index'
  | 'terminal_bytes'
  | 'only_progress'
  | 'encoding'
  | 'after_end'
  | 'truncated'
  | 'too_long'

export interface StreamProblem {
  readonly rule: StreamRule
  /** The number of the event, from 1; 0 for the stream as a whole. */
  readonly at: number
  readonly message: string
}

export interface StreamCheck {
  readonly problems: readonly StreamProblem[]
  /** Number of problems beyond the listed ones. */
  readonly left_out: number
  readonly events: Readonly<Record<ChatEventName, number>>
  /** The terminal event the stream ended with, or null. */
  readonly end: 'done' | 'error' | null
}

export interface CheckOptions {
  /** The `Last-Event-ID` the stream was requested with; the stream resumes after it. */
  readonly lastEventId?: string | undefined
}

const MOST_PROBLEMS = 100
/** The maximum number of characters of one line of a stream. */
const MOST_OF_LINE = 64_000_000

const ENVELOPE = ['v', 'seq', 'ts', 'conversation_id', 'run_id', 'runtime'] as const
const SAME = ['conversation_id', 'run_id', 'runtime'] as const

/** The required fields besides the envelope. Optional fields must be valid if present. */
const NEEDED: Readonly<Record<ChatEventName, readonly string[]>> = {
  metadata: [],
  progress: [],
  chunk: ['delta'],
  error: ['code', 'message'],
  done: [],
}

const name = z.string().min(1)

/**
 * What the contract leaves to the server: its runtimes, codes and stages, the time format, and
 * where counting begins.
 */
const OPEN: Readonly<Record<string, z.ZodType>> = {
  seq: z.int().min(0),
  ts: z.union([z.number().min(0), timestampInput]),
  runtime: name,
  code: name,
  stage: name,
  cost: z.object({ usd: z.number().nullable().optional(), status: name.optional() }),
  attachments: z.array(z.looseObject({ runtime: name.optional(), kind: z.string().optional() })),
}

const lenient = Object.fromEntries(
  CHAT_EVENTS.map((event) => {
    const { shape } = chatEventSchemas[event] as z.ZodObject
    const must = new Set<string>([...ENVELOPE, ...NEEDED[event]])
    const fields = Object.entries(shape).map(([key, own]) => {
      const field = OPEN[key] ?? own
      return [key, must.has(key) ? field : z.optional(field)] as const
    })
    return [event, z.object(Object.fromEntries(fields))]
  }),
) as unknown as Readonly<Record<ChatEventName, z.ZodObject>>

/**
 * Control characters except tabs and line ends, which only a terminal interprets. A bare carriage
 * return would overwrite the line.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
const TERMINAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?![\n]|$)/

/** Fields of thoughts and tools, which may only appear in progress events. */
const OF_PROGRESS = /^(?:reasoning|thinking|thought|tool)/i
/** An answer that begins like this contains its thoughts. */
const THOUGHT = /^\s*<(?:think|thinking|reasoning)>/i
const MOST_OF_HEAD = 200

/** Checks the frames of a stream one after another and reports problems. */
export class StreamChecker {
  readonly #problems: StreamProblem[] = []
  readonly #events: Record<ChatEventName, number> = { metadata: 0, progress: 0, chunk: 0, error: 0, done: 0 }
  readonly #resumed: { readonly run: string; readonly seq: number } | null
  #leftOut = 0
  #at = 0
  #seq: number | null
  #index: number | null
  #identity: Fields | null = null
  #head: string | null = ''
  readonly #reader = new SseReader()
  #decoder = new TextDecoder('utf-8', { fatal: true })
  #end: 'done' | 'error' | null = null

  constructor({ lastEventId }: CheckOptions = {}) {
    this.#resumed = parseEventId(lastEventId)
    this.#seq = this.#resumed?.seq ?? null
    this.#index = this.#resumed === null ? 0 : null
  }

  /**
   * Reads a piece of the stream, split anywhere. Returns false if a line is too long to continue.
   */
  read(piece: string | Uint8Array): boolean {
    const text = typeof piece === 'string' ? piece : this.#decode(piece)
    for (const frame of this.#reader.take(text)) this.take(frame)
    if (this.#reader.waiting <= MOST_OF_LINE) return true
    this.reportTooLong()
    return false
  }

  take({ id, event, data }: SseFrame): void {
    this.#at += 1
    if (this.#end !== null) this.#say('after_end', `${event || 'an event'} follows ${this.#end}`)
    if (isEventName(event)) this.#checkEvent(id, event, data)
    else this.#say('name', `${JSON.stringify(event.slice(0, 100))} is no event of a chat`)
  }

  #checkEvent(id: string | null, event: ChatEventName, data: string): void {
    this.#events[event] += 1
    this.#order(event)
    const fields = fieldsIn(data)
    if (fields === null) this.#say('json', 'its data is no JSON object')
    else {
      this.#shape(event, fields)
      this.#envelope(id, fields)
      if (event === 'chunk') this.#chunk(fields)
      if (event !== 'progress') this.#checkFields(event, fields)
    }
    if (this.#end === null && (event === 'done' || event === 'error')) this.#end = event
  }

  /** Ends the stream and returns the result. */
  result(): StreamCheck {
    // A reader that has seen the end gets nothing more.
    const isOver = this.#resumed !== null && this.#at === 0 && !this.#reader.isOpen
    const cut: readonly StreamProblem[] =
      this.#end === null && !isOver ? [{ rule: 'truncated', at: 0, message: this.#cutMessage() }] : []
    return {
      problems: [...this.#problems, ...cut],
      left_out: this.#leftOut,
      events: { ...this.#events },
      end: this.#end,
    }
  }

  #cutMessage(): string {
    return this.#reader.isOpen
      ? 'it ends in the middle of an event, without done or error'
      : 'it ends without done or error'
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: true })
    } catch {
      this.#say('encoding', 'its bytes are no UTF-8')
      this.#decoder = new TextDecoder()
      return this.#decoder.decode(bytes, { stream: true })
    }
  }

  reportTooLong(): void {
    this.#say('too_long', 'a line of it is longer than any may be')
  }

  #say(rule: StreamRule, message: string): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push({ rule, at: this.#at, message })
    else this.#leftOut += 1
  }

  #order(event: ChatEventName): void {
    if (this.#at === 1 && this.#resumed === null && event !== 'metadata' && event !== 'error')
      this.#say('first', `${event} comes first, in place of metadata or error`)
    if (event === 'metadata' && (this.#at > 1 || this.#resumed !== null))
      this.#say('metadata', 'metadata comes first, and once')
  }

  #shape(event: ChatEventName, fields: Fields): void {
    const read = lenient[event].safeParse(fields)
    for (const { path, message } of read.error?.issues ?? []) {
      const name = String(path[0])
      const rule = (ENVELOPE as readonly string[]).includes(name) ? 'envelope' : 'field'
      this.#say(rule, `${event}.${path.join('.')}: ${message}`)
    }
  }

  #envelope(id: string | null, fields: Fields): void {
    const { run_id, seq } = fields
    this.#identity ??= fields
    for (const name of SAME)
      if (fields[name] !== this.#identity[name]) this.#say('envelope', `${name} is another than before`)
    if (this.#resumed !== null && run_id !== this.#resumed.run)
      this.#say('envelope', `run_id is not that of ${this.#resumed.run}:${this.#resumed.seq}`)
    if (id !== `${run_id}:${seq}`)
      this.#say('id', `id is ${JSON.stringify(id)}, in place of "${run_id}:${seq}"`)
    if (typeof seq !== 'number') return
    if (this.#seq !== null && seq !== this.#seq + 1)
      this.#say('seq', `seq is ${seq}, in place of ${this.#seq + 1}`)
    this.#seq = seq
  }

  #chunk({ index, delta }: Fields): void {
    if (typeof index === 'number' && this.#index !== null && index !== this.#index)
      this.#say('index', `index is ${index}, in place of ${this.#index}`)
    this.#index = typeof index === 'number' ? index + 1 : this.#index === null ? null : this.#index + 1
    if (typeof delta !== 'string') return
    const found = TERMINAL.exec(delta)?.[0]
    if (found !== undefined) this.#say('terminal_bytes', `delta has the control U+${hex(found)} in it`)
    this.#thoughts(delta)
  }

  /** Checks the beginning of the answer as soon as it is long enough. */
  #thoughts(delta: string): void {
    if (this.#head === null || this.#resumed !== null) return
    this.#head += delta
    if (THOUGHT.test(this.#head)) this.#say('only_progress', 'the answer begins with thoughts')
    else if (this.#head.length < MOST_OF_HEAD) return
    this.#head = null
  }

  #checkFields(event: ChatEventName, fields: Fields): void {
    for (const name of Object.keys(fields))
      if (OF_PROGRESS.test(name))
        this.#say('only_progress', `${event}.${name.slice(0, 100)} belongs to progress`)
  }
}

/** Checks a complete stream. */
export function checkStream(text: string | Uint8Array, options: CheckOptions = {}): StreamCheck {
  const checker = new StreamChecker(options)
  checker.read(text)
  return checker.result()
}

const isEventName = (name: string): name is ChatEventName => (CHAT_EVENTS as readonly string[]).includes(name)

const hex = (letter: string): string =>
  (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

function fieldsIn(data: string): Fields | null {
  try {
    const value: unknown = parseJson(data)
    return isPlainObject(value) ? value : null
  } catch {
    return null
  }
}

/** Parses `<run_id>:<seq>`. */
function parseEventId(id: string | undefined): { readonly run: string; readonly seq: number } | null {
  const cut = id?.lastIndexOf(':') ?? -1
  const seq = Number(id?.slice(cut + 1))
  return id === undefined || cut < 1 || !Number.isSafeInteger(seq) || seq < 0
    ? null
    : { run: id.slice(0, cut), seq }
}
