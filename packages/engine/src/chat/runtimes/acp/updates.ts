import { labelOf } from '../bounded.ts'
import { countOf, type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { PlainText } from '../plain-text.ts'
import type { RuntimeEvent } from '../port.ts'
import { planOf } from './plan.ts'
import { Thoughts } from './thoughts.ts'
import { Tools } from './tools.ts'

/** Characters of what comes with an answer, and how many each counts at least. */
const MOST_ATTACHED = 4_000_000
const LEAST_ATTACHED = 1_000

export interface UpdatesOptions {
  /** What an answer begins with that may be an error in the guise of one: it is held until the end. */
  readonly doubtful?: RegExp | undefined
  /** Nobody else tells of its calls of tools: they are kept with the answer. */
  readonly keepsCalls?: boolean | undefined
  /** Null takes away what was told before; else it says nothing. */
  readonly clears?: boolean | undefined
}

/** What an agent tells while it answers, as events of a run. Kinds that are not known are passed over. */
export class Updates {
  readonly #options: UpdatesOptions
  readonly #plain = new PlainText()
  readonly #thoughts = new Thoughts()
  readonly #tools: Tools
  /** Texts by the name of the message, and of a thought. */
  readonly #texts = new Map<string, string>()
  #hasBegun = false
  #said = ''
  #message = ''
  #isParted = false
  #attached = 0
  /** Text that may be an error. */
  held = ''
  /** Said by agents that only acknowledge a prompt. */
  stopReason: string | null = null
  /** Why it stopped, where that was an error. */
  problem: Fields = {}

  constructor(options: UpdatesOptions = {}) {
    this.#options = options
    this.#tools = new Tools(options.clears)
  }

  get hasSaid(): boolean {
    return this.#said !== '' || this.held !== ''
  }

  *take(update: Fields): Generator<RuntimeEvent> {
    if (update.sessionUpdate !== 'state_update') this.#hasBegun = true
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#add(update, textOf(fieldsOf(update.content).text))
        return yield* this.#content(update)
      case 'agent_message':
        for (const content of this.#unsaid(update)) yield* this.#content({ ...update, content })
        return
      case 'agent_thought_chunk':
        this.#add(update, textOf(fieldsOf(update.content).text))
        return yield* this.#thoughts.take(textOf(fieldsOf(update.content).text))
      case 'agent_thought':
        for (const { text } of this.#unsaid(update)) yield* this.#thoughts.take(textOf(text))
        return
      case 'tool_call':
      case 'tool_call_update':
      case 'tool_call_content_chunk':
        this.#isParted = true
        yield* this.#thoughts.end()
        return yield* this.#tools.take(update)
      case 'plan':
        return yield* planOf(update.entries)
      case 'plan_update':
        return yield* planOf(fieldsOf(update.plan).entries)
      case 'usage_update':
        return yield* usageIn(update)
      case 'state_update':
        return this.#state(update)
    }
  }

  /** Before it has begun, it tells again how its last work ended. */
  #state({ state, stopReason, error }: Fields): void {
    if (state === 'idle' && this.#hasBegun) {
      this.stopReason = textOf(stopReason) || 'end_turn'
      this.problem = { message: 'it does not say which', ...fieldsOf(error) }
    }
    if (state !== 'idle') this.#hasBegun = true
  }

  #add({ messageId }: Fields, text: string): void {
    const id = textOf(messageId)
    if (id !== '') this.#texts.set(id, (this.#texts.get(id) ?? '') + text)
  }

  /** A message that is told as a whole: what was not told of it in pieces. */
  #unsaid({ messageId, content }: Fields): readonly Fields[] {
    if (!Array.isArray(content)) return []
    const id = textOf(messageId)
    const blocks = listOf(content)
    const before = this.#texts.get(id) ?? ''
    const whole = blocks.map(({ text }) => textOf(text)).join('')
    if (id !== '') this.#texts.set(id, whole)
    const rest = blocks.filter(({ type }) => type !== 'text')
    const text = whole.startsWith(before) ? whole.slice(before.length) : whole
    // What is said cannot be taken back: other words for it are a paragraph of their own.
    if (before !== '' && text === whole) this.#isParted = true
    return [...(text === '' ? [] : [{ type: 'text', text }]), ...(before === '' ? rest : [])]
  }

  /** What is still open when the answer is over. */
  *end(status: 'completed' | 'skipped'): Generator<RuntimeEvent> {
    yield* this.#thoughts.end()
    yield* this.#tools.end(status)
    if (this.#options.keepsCalls) yield* this.#tools.calls()
  }

  *#content(update: Fields): Generator<RuntimeEvent> {
    const content = fieldsOf(update.content)
    if (content.type === 'text') return yield* this.#say(textOf(content.text), textOf(update.messageId))
    const kind = textOf(content.type)
    if (kind === '') return
    this.#attached += Math.max(LEAST_ATTACHED, JSON.stringify(content).length)
    if (this.#attached > MOST_ATTACHED) return
    const title = labelOf(textOf(content.title) || textOf(content.name) || textOf(content.uri), 'Attached')
    yield { type: 'attachment', attachment: { kind, title, data: content } }
  }

  *#say(piece: string, message: string): Generator<RuntimeEvent> {
    yield* this.#thoughts.end()
    const plain = this.#plain.take(piece)
    // Some begin with empty lines after a tool, also where they said nothing before it.
    const text = this.hasSaid ? plain : plain.replace(/^\n+/, '')
    if (text === '') return
    const isNext = this.#isParted || (message !== '' && this.#message !== '' && message !== this.#message)
    this.#message = message || this.#message
    this.#isParted = false
    if (!this.#said && (this.held || this.#options.doubtful?.test(text))) {
      this.held += text
      return
    }
    // What comes after a tool is a paragraph of its own.
    const gap =
      isNext && this.#said !== '' && !this.#said.endsWith('\n') && !text.startsWith('\n') ? '\n\n' : ''
    this.#said = text.slice(-1)
    yield { type: 'chunk', delta: gap + text }
  }
}

function* usageIn({ used, size, cost }: Fields): Generator<RuntimeEvent> {
  const { amount, currency } = fieldsOf(cost)
  const detail = {
    used: countOf(used),
    size: countOf(size),
    ...(typeof amount === 'number' ? { cost: { amount, currency: textOf(currency) } } : {}),
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
