import type { ChatUsage } from '@panoptes/schema'
import type { Failed } from '../failed.ts'
import { failedWith } from '../failed.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { PlainText } from '../plain-text.ts'
import type { RuntimeEvent } from '../port.ts'
import type { HermesEvent } from './frames.ts'
import { toldFailure } from './refused.ts'
import { HermesTools, subagentTold } from './tools.ts'
import { usageOf } from './usage.ts'
import type { Place } from './wire.ts'

/** How a turn ended, as Hermes says. */
export type TurnEnd =
  | {
      readonly type: 'end'
      readonly outcome: 'completed' | 'cancelled' | 'length'
      readonly usage?: ChatUsage
    }
  | Failed

/** Characters of thoughts in one answer. */
const MOST_THOUGHTS = 400_000
/** A text that nobody wrote, in place of an answer. */
const ERROR_WORDS =
  /^HTTP \d{3}\b|error|fail|invalid|exceeded|exhausted|⚠|❌|unauthor|refused|limit|timed? ?out/i

/** What Hermes tells while it answers, by whichever way, as events of a run. What is not known is passed over. */
export class Told {
  readonly #place: Place
  readonly #plain = new PlainText()
  readonly #thoughts = new PlainText()
  readonly #tools = new HermesTools()
  #said = ''
  /** Where the text after the last tool begins. */
  #from = 0
  #isParted = false
  #thinking = 0
  #isThinking = false
  #thought = 0
  #finish: string | null = null
  #usage: ChatUsage | undefined
  #problem: Failed | null = null
  /** A whole answer of which nothing was said before. */
  #held = ''
  runId: string | null = null
  sessionId: string | null = null
  /** Something that a person has to allow. */
  approval: Fields | null = null
  ended: TurnEnd | null = null

  constructor(place: Place) {
    this.#place = place
  }

  *take({ name, data }: HermesEvent): Generator<RuntimeEvent> {
    this.approval = null
    if (this.ended !== null) return
    this.runId ??= textOf(data.run_id) || null
    this.sessionId = textOf(data.session_id) || this.sessionId
    switch (name) {
      case 'assistant.delta':
      case 'message.delta':
        return yield* this.#say(textOf(data.delta))
      case 'reasoning.delta':
        return yield* this.#think(textOf(data.delta) || textOf(data.text))
      case 'reasoning.available':
        return yield* this.#available(textOf(data.text))
      case 'tool.progress':
        if (data.tool_name === '_thinking') yield* this.#available(textOf(data.delta))
        return
      case 'tool.started':
      case 'tool.completed':
      case 'tool.failed':
        return yield* this.#tool(name, data)
      case 'hermes.tool.progress':
        return yield* this.#toolById(data)
      case 'subagent.start':
        return yield* this.#apart(subagentTold(data, 'started'))
      case 'subagent.complete':
        return yield* this.#apart(subagentTold(data, data.status === 'failed' ? 'failed' : 'completed'))
      case 'approval.request':
        this.approval = data
        return
      case 'assistant.completed':
        if (this.#said !== '') return yield* this.#whole(textOf(data.content), data)
        this.#held = wordsOf(data.content)
        if (isCut(data)) this.#finish ??= 'length'
        return
      case 'run.completed':
      case 'done':
        return yield* this.#completed(data)
      case 'run.failed':
        return yield* this.#failed(data)
      case 'run.cancelled':
        return yield* this.#over({ type: 'end', outcome: 'cancelled' }, 'skipped')
      case 'error':
        return yield* this.#failed(data)
      case '[DONE]':
        return yield* this.#done()
      case '':
        return yield* this.#chunk(data)
    }
  }

  /** A run as it is when it is asked for. */
  *status(data: Fields): Generator<RuntimeEvent> {
    if (this.ended !== null) return
    switch (data.status) {
      case 'completed':
        return yield* this.#completed(data)
      case 'failed':
        return yield* this.#failed(data)
      case 'interrupted':
        return yield* this.#over(
          failedWith('died', 'Hermes was started anew in the middle of its answer.'),
          'failed',
        )
      case 'cancelled':
        return yield* this.#over({ type: 'end', outcome: 'cancelled' }, 'skipped')
    }
  }

  /** The stream is over. */
  *closed(): Generator<RuntimeEvent> {
    if (this.ended === null && this.#finish !== null) yield* this.#done()
  }

  /** What is still open, where it ends without Hermes saying so. */
  *left(status: 'skipped' | 'failed'): Generator<RuntimeEvent> {
    if (this.ended !== null) return
    yield* this.#think(null)
    yield* this.#tools.end(status)
  }

  *#say(piece: string): Generator<RuntimeEvent> {
    if (piece === '') return
    yield* this.#think(null)
    const plain = this.#plain.take(piece)
    // After its tools Hermes begins with empty lines, also where it said nothing before them.
    const text = this.#said === '' ? plain.replace(/^\n+/, '') : plain
    if (text === '') return
    // What comes after a tool is a paragraph of its own.
    const isApart =
      this.#isParted && this.#said !== '' && !this.#said.endsWith('\n') && !text.startsWith('\n')
    if (this.#isParted) this.#from = this.#said.length + (isApart ? 2 : 0)
    this.#isParted = false
    const delta = isApart ? `\n\n${text}` : text
    this.#said += delta
    yield { type: 'chunk', delta }
  }

  /** The whole of the answer: what was not said of it yet. */
  *#whole(content: string, about: Fields = {}): Generator<RuntimeEvent> {
    if (isCut(about)) this.#finish ??= 'length'
    const text = new PlainText().take(content)
    if (text.trim() === '') return
    const last = this.#said.slice(this.#from).trimStart()
    if (!this.#isParted && text.startsWith(last)) return yield* this.#say(text.slice(last.length))
    if (this.#said.trim().endsWith(text.trim())) return
    this.#isParted = this.#said !== ''
    yield* this.#say(text)
  }

  /** Null is the end of a thought. */
  *#think(piece: string | null): Generator<RuntimeEvent> {
    if (piece === '' || (piece === null && !this.#isThinking)) return
    if (!this.#isThinking) this.#thinking += 1
    this.#isThinking = piece !== null
    const about = {
      type: 'progress',
      node_id: `reasoning-${this.#thinking}`,
      kind: 'reasoning',
      label: 'Thinking',
    } as const
    if (piece === null) return yield { ...about, status: 'completed' }
    const delta = this.#thoughts.take(piece)
    this.#thought += delta.length
    if (delta !== '' && this.#thought <= MOST_THOUGHTS)
      yield { ...about, status: 'running', detail: { delta } }
  }

  /** Some tell the beginning of what they said as a thought, once it is said. */
  *#available(text: string): Generator<RuntimeEvent> {
    const begin = text.trim().slice(0, 100)
    if (begin === '' || this.#said.includes(begin) || this.#isThinking) return
    yield* this.#think(text)
    yield* this.#think(null)
  }

  *#tool(name: string, data: Fields): Generator<RuntimeEvent> {
    const tool = textOf(data.tool) || textOf(data.tool_name)
    if (tool === '' || tool.startsWith('_')) return
    yield* this.#think(null)
    this.#isParted = true
    const id = textOf(data.tool_call_id) || undefined
    if (name === 'tool.started') return yield* this.#tools.started(tool, textOf(data.preview), data.args, id)
    // Some say that it failed, others why.
    const isBad = name === 'tool.failed' || Boolean(data.error)
    yield* this.#tools.ended(tool, isBad ? 'failed' : 'completed', {
      ...(id === undefined ? {} : { id }),
      output: data.result ?? (data.error === true ? undefined : data.error || undefined),
      seconds: data.duration,
    })
  }

  *#toolById(data: Fields): Generator<RuntimeEvent> {
    const id = textOf(data.toolCallId)
    yield* this.#think(null)
    this.#isParted = true
    if (data.status === 'completed' || data.status === 'failed' || data.status === 'error')
      return yield* this.#tools.ended(
        textOf(data.tool),
        data.status === 'completed' && !data.error ? 'completed' : 'failed',
        { id },
      )
    yield* this.#tools.started(textOf(data.tool), textOf(data.label), data.args, id)
  }

  *#apart(event: RuntimeEvent): Generator<RuntimeEvent> {
    yield* this.#think(null)
    this.#isParted = true
    yield event
  }

  *#completed(data: Fields): Generator<RuntimeEvent> {
    const isUnsaid = this.#said === '' || this.#isParted
    const output = textOf(data.output) || this.#held || (isUnsaid ? answerIn(data.messages) : '')
    const { output_tokens } = fieldsOf(data.usage)
    this.#tools.results(data.messages)
    // Some tell a failure of their model as if it were the answer.
    if (this.#said === '' && output_tokens === 0 && ERROR_WORDS.test(output))
      return yield* this.#over(toldFailure(output, this.#place), 'failed')
    yield* this.#whole(output, data)
    const usage = usageOf(data.usage) ?? this.#usage
    const outcome = this.#finish === 'length' ? 'length' : 'completed'
    yield* this.#over({ type: 'end', outcome, ...(usage ? { usage } : {}) }, 'completed')
  }

  *#failed(data: Fields): Generator<RuntimeEvent> {
    const error = fieldsOf(data.error)
    const words = textOf(data.error) || textOf(error.message) || textOf(data.message)
    yield* this.#whole(textOf(data.output), {})
    yield* this.#over(toldFailure(words, this.#place, error), 'failed')
  }

  *#chunk(data: Fields): Generator<RuntimeEvent> {
    const [choice] = listOf(data.choices)
    const { content, reasoning_content, reasoning } = fieldsOf(choice?.delta)
    yield* this.#think(textOf(reasoning_content) || textOf(reasoning))
    yield* this.#say(textOf(content))
    this.#usage = usageOf(data.usage) ?? this.#usage
    this.#finish = textOf(choice?.finish_reason) || this.#finish
    const { message } = fieldsOf(data.error)
    if (this.#finish === 'error' || typeof message === 'string')
      this.#problem = toldFailure(textOf(message) || textOf(fieldsOf(data.hermes).error), this.#place)
  }

  /** Without a word and without a reason it is no end. */
  *#done(): Generator<RuntimeEvent> {
    if (this.#problem !== null && this.#finish !== 'length') return yield* this.#over(this.#problem, 'failed')
    if (this.#finish === null && this.#said === '' && this.#held === '') return
    yield* this.#completed({})
  }

  *#over(ended: TurnEnd, status: 'completed' | 'skipped' | 'failed'): Generator<RuntimeEvent> {
    yield* this.#think(null)
    yield* this.#tools.end(status)
    this.ended = ended
  }
}

const isCut = ({ partial, interrupted }: Fields): boolean => partial === true || interrupted === true

/** The last that was said in a transcript since the person spoke. */
function answerIn(messages: unknown): string {
  const all = listOf(messages)
  const since = all.slice(all.findLastIndex(({ role }) => role === 'user') + 1)
  const spoken = since.filter(({ role }) => role === 'assistant').map(({ content }) => wordsOf(content))
  return spoken.findLast((words) => words.trim() !== '') ?? ''
}

const wordsOf = (content: unknown): string =>
  textOf(content) ||
  listOf(content)
    .map(({ text }) => textOf(text))
    .join('')
