import { type Fields, toCount, toFieldList, toFields, toText } from '../fields.ts'
import { PlainText, toLabel } from '../plain-text.ts'
import type { RuntimeEvent, RuntimeProgress } from '../port.ts'
import { ToolCalls } from './tools.ts'

/**
 * The maximum number of characters attached to an answer, and the minimum each attachment counts.
 */
const MOST_ATTACHED = 4_000_000
const LEAST_ATTACHED = 1_000

export interface UpdatesOptions {
  /** The beginning of an answer that may be a disguised error; it is held back until the end. */
  readonly doubtful?: RegExp | undefined
  /** Nothing else records its tool calls, so they are stored with the answer. */
  readonly keepsCalls?: boolean | undefined
  /** Whether null removes an earlier value; otherwise null is ignored. */
  readonly clears?: boolean | undefined
}

/** Translates an agent's updates into events of a run. Unknown kinds are ignored. */
export class Updates {
  readonly #options: UpdatesOptions
  readonly #plain = new PlainText()
  readonly #thoughts = new Thoughts()
  readonly #tools: ToolCalls
  /** Texts by message id and thought id. */
  readonly #texts = new Map<string, string>()
  #hasBegun = false
  #lastChar = ''
  #message = ''
  #isParted = false
  #attached = 0
  /** Text that may be an error. */
  held = ''
  /** Only version 2 agents report it here, because their reply merely acknowledges the prompt. */
  stopReason: string | null = null
  /** The error the agent stopped with, if any. */
  problem: Fields = {}

  constructor(options: UpdatesOptions = {}) {
    this.#options = options
    this.#tools = new ToolCalls(options.clears)
  }

  get hasText(): boolean {
    return this.#lastChar !== '' || this.held !== ''
  }

  *take(update: Fields): Generator<RuntimeEvent> {
    if (update.sessionUpdate !== 'state_update') this.#hasBegun = true
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#add(update, toText(toFields(update.content).text))
        return yield* this.#content(update)
      case 'agent_message':
        for (const content of this.#findUnsent(update)) yield* this.#content({ ...update, content })
        return
      case 'agent_thought_chunk':
        this.#add(update, toText(toFields(update.content).text))
        return yield* this.#thoughts.take(toText(toFields(update.content).text))
      case 'agent_thought':
        for (const { text } of this.#findUnsent(update)) yield* this.#thoughts.take(toText(text))
        return
      case 'tool_call':
      case 'tool_call_update':
      case 'tool_call_content_chunk':
        this.#isParted = true
        yield* this.#thoughts.end()
        return yield* this.#tools.take(update)
      case 'plan':
        return yield* planEvents(update.entries)
      case 'plan_update':
        return yield* planEvents(toFields(update.plan).entries)
      case 'usage_update':
        return yield* readUsage(update)
      case 'state_update':
        return this.#state(update)
    }
  }

  /** Before it begins, an agent repeats how its previous work ended. */
  #state({ state, stopReason, error }: Fields): void {
    if (state === 'idle' && this.#hasBegun) {
      this.stopReason = toText(stopReason) || 'end_turn'
      this.problem = { message: 'no details', ...toFields(error) }
    }
    if (state !== 'idle') this.#hasBegun = true
  }

  #add({ messageId }: Fields, text: string): void {
    const id = toText(messageId)
    if (id !== '') this.#texts.set(id, (this.#texts.get(id) ?? '') + text)
  }

  /** Returns the part of a whole message that was not already streamed. */
  #findUnsent({ messageId, content }: Fields): readonly Fields[] {
    if (!Array.isArray(content)) return []
    const id = toText(messageId)
    const blocks = toFieldList(content)
    const before = this.#texts.get(id) ?? ''
    const whole = blocks.map(({ text }) => toText(text)).join('')
    if (id !== '') this.#texts.set(id, whole)
    const rest = blocks.filter(({ type }) => type !== 'text')
    const text = whole.startsWith(before) ? whole.slice(before.length) : whole
    // Streamed text cannot be taken back, so a changed text becomes a paragraph of its own.
    if (before !== '' && text === whole) this.#isParted = true
    return [...(text === '' ? [] : [{ type: 'text', text }]), ...(before === '' ? rest : [])]
  }

  /** Ends everything that is still open when the answer is over. */
  *end(status: 'completed' | 'skipped'): Generator<RuntimeEvent> {
    yield* this.#thoughts.end()
    yield* this.#tools.end(status)
    if (this.#options.keepsCalls) yield* this.#tools.calls()
  }

  *#content(update: Fields): Generator<RuntimeEvent> {
    const content = toFields(update.content)
    if (content.type === 'text') return yield* this.#emitText(toText(content.text), toText(update.messageId))
    const kind = toText(content.type)
    if (kind === '') return
    this.#attached += Math.max(LEAST_ATTACHED, JSON.stringify(content).length)
    if (this.#attached > MOST_ATTACHED) return
    const title = toLabel(toText(content.title) || toText(content.name) || toText(content.uri), 'Attached')
    yield { type: 'attachment', attachment: { kind, title, data: content } }
  }

  *#emitText(piece: string, message: string): Generator<RuntimeEvent> {
    yield* this.#thoughts.end()
    const plain = this.#plain.take(piece)
    // Some agents begin with empty lines after a tool, even without earlier text.
    const text = this.hasText ? plain : plain.replace(/^\n+/, '')
    if (text === '') return
    const isNext = this.#isParted || (message !== '' && this.#message !== '' && message !== this.#message)
    this.#message = message || this.#message
    this.#isParted = false
    if (!this.#lastChar && (this.held || this.#options.doubtful?.test(text))) {
      this.held += text
      return
    }
    // Text after a tool becomes a paragraph of its own.
    const gap =
      isNext && this.#lastChar !== '' && !this.#lastChar.endsWith('\n') && !text.startsWith('\n')
        ? '\n\n'
        : ''
    this.#lastChar = text.slice(-1)
    yield { type: 'chunk', delta: gap + text }
  }
}

function* readUsage({ used, size, cost }: Fields): Generator<RuntimeEvent> {
  const { amount, currency } = toFields(cost)
  const detail = {
    used: toCount(used),
    size: toCount(size),
    ...(typeof amount === 'number' ? { cost: { amount, currency: toText(currency) } } : {}),
  }
  if (detail.used === undefined) return
  yield {
    type: 'progress',
    node_id: 'usage',
    kind: 'usage',
    status: 'running',
    label: 'Context in use',
    detail,
  }
}

const MOST_ENTRIES = 100
const STATUS: Readonly<Record<string, RuntimeProgress['status']>> = {
  in_progress: 'running',
  completed: 'completed',
  cancelled: 'skipped',
}

/** Reports the agent's own plan, each time as a whole, and the steps it reaches one by one. */
function* planEvents(entries: unknown): Generator<RuntimeEvent> {
  const steps = toFieldList(entries)
    .slice(0, MOST_ENTRIES)
    .map((entry, at) => ({
      id: `own-plan-${at + 1}`,
      label: toLabel(toText(entry.content), `Step ${at + 1}`),
      status: STATUS[toText(entry.status)],
    }))
  if (steps.length === 0) return
  const done = steps.filter(({ status }) => status === 'completed').length
  yield {
    type: 'progress',
    node_id: 'own-plan',
    kind: 'plan',
    status: done === steps.length ? 'completed' : 'running',
    label: `Its own plan: ${done} of ${steps.length} done`,
    detail: {
      decision: 'sequential',
      worthiness: 1,
      reasons: [],
      nodes: steps.map(({ id, label }) => ({ id, label, work: 0 })),
      edges: [],
    },
  }
  for (const { id, label, status } of steps)
    if (status) yield { type: 'progress', node_id: id, parent_id: 'own-plan', kind: 'step', status, label }
}

/** The maximum number of characters of thoughts in one answer. */
const MOST = 400_000
const WORTH_CHARS = 400
const WORTH_MS = 80

/** Groups thoughts into pieces large enough for an event. */
class Thoughts {
  readonly #plain = new PlainText()
  #count = 0
  #began: number | null = null
  #waiting = ''
  #sentChars = 0
  #sentAt = 0;

  *take(piece: string): Generator<RuntimeEvent> {
    const now = Date.now()
    if (this.#began === null) {
      this.#began = now
      this.#sentAt = now
      this.#count += 1
    }
    this.#waiting += this.#plain.take(piece)
    if (this.#waiting.length >= WORTH_CHARS || now - this.#sentAt >= WORTH_MS) yield* this.#tell(now)
  }

  *end(): Generator<RuntimeEvent> {
    if (this.#began === null) return
    const now = Date.now()
    yield* this.#tell(now)
    yield { ...this.#about(), status: 'completed', elapsed_ms: now - this.#began }
    this.#began = null
  }

  *#tell(now: number): Generator<RuntimeEvent> {
    const delta = this.#waiting.slice(0, MOST - this.#sentChars)
    this.#waiting = ''
    this.#sentChars += delta.length
    this.#sentAt = now
    if (delta !== '') yield { ...this.#about(), status: 'running', detail: { delta } }
  }

  #about() {
    return {
      type: 'progress',
      node_id: `reasoning-${this.#count}`,
      kind: 'reasoning',
      label: 'Thinking',
    } as const
  }
}
