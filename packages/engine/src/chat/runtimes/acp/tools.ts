import { redactText } from '@panoptes/engine/redact'
import { boundedDetail, cutText, labelOf } from '../bounded.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { RuntimeEvent, RuntimeProgress } from '../port.ts'

interface Tool {
  readonly name: string
  readonly title: string
  readonly kind: string
  readonly status: RuntimeProgress['status']
  /** Before that, its content says what it is going to do. */
  readonly hasBegun: boolean
  readonly content: readonly Fields[]
  readonly input: unknown
  readonly output: unknown
  readonly places: readonly Fields[]
  readonly began: number
  readonly toldAt: number
}

const STATUS: Readonly<Record<string, RuntimeProgress['status']>> = {
  pending: 'started',
  in_progress: 'running',
  paused: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'skipped',
}
const OVER: ReadonlySet<RuntimeProgress['status']> = new Set(['completed', 'failed', 'skipped'])

const MOST_TOOLS = 2_000
const MOST_KEPT = 200
/** More of an output is told at most so often. */
const WORTH_MS = 250
const MOST_DIFFS = 50
const MOST_DIFF = 20_000
const MOST_CONTENT = 2_000

/** The calls of tools in one answer, each told again by its id with what changed. */
export class Tools {
  readonly #tools = new Map<string, Tool>()
  readonly #clears: boolean
  #diffs = 0

  constructor(clears = false) {
    this.#clears = clears
  }

  *take(update: Fields): Generator<RuntimeEvent> {
    const id = textOf(update.toolCallId)
    const before = this.#tools.get(id)
    if (id === '' || (before === undefined && this.#tools.size >= MOST_TOOLS)) return
    const now = Date.now()
    const tool = merged(before, this.#clears ? cleared(update) : update, now)
    const isOver = OVER.has(tool.status)
    const isWorth = before === undefined || isNews(before, tool) || now - before.toldAt >= WORTH_MS
    this.#tools.set(id, isWorth ? { ...tool, toldAt: now } : tool)
    if (before === undefined) yield told(id, { ...tool, status: 'started' })
    if (before === undefined ? isOver : isWorth) yield told(id, tool)
    if (isOver && !(before && OVER.has(before.status))) yield* this.#changes(tool)
  }

  /** Some never tell of the end of their last call. */
  *end(status: 'completed' | 'skipped'): Generator<RuntimeEvent> {
    for (const [id, tool] of this.#tools) {
      if (OVER.has(tool.status)) continue
      const over = { ...tool, status }
      this.#tools.set(id, over)
      yield told(id, over)
    }
  }

  /** All of them, as they are kept with an answer. */
  *calls(): Generator<RuntimeEvent> {
    if (this.#tools.size === 0) return
    const data = [...this.#tools.values()]
      .slice(0, MOST_KEPT)
      .map((tool) => ({ ...kept(tool), ok: tool.status === 'completed' }))
    yield { type: 'attachment', attachment: { kind: 'tools', title: 'Tools', data } }
  }

  *#changes({ content, status }: Tool): Generator<RuntimeEvent> {
    if (status !== 'completed') return
    for (const { type, path, oldText, newText } of content) {
      if (type !== 'diff' || this.#diffs >= MOST_DIFFS) continue
      this.#diffs += 1
      const data = {
        path: textOf(path),
        old_text: typeof oldText === 'string' ? shown(oldText) : null,
        new_text: shown(textOf(newText)),
      }
      yield { type: 'attachment', attachment: { kind: 'diff', title: labelOf(data.path, 'A file'), data } }
    }
  }
}

/** Not only some more of its output. */
const isNews = (before: Tool, { status, title }: Tool): boolean =>
  before.status !== status || before.title !== title

/** What is not told again stays as it was. */
function merged(before: Tool | undefined, update: Fields, now: number): Tool {
  const kind = textOf(update.kind) || (before?.kind ?? 'other')
  const status = STATUS[textOf(update.status)] ?? before?.status ?? 'started'
  return {
    title: textOf(update.title) || (before?.title ?? ''),
    kind,
    name:
      textOf(fieldsOf(fieldsOf(update._meta).claudeCode).toolName) ||
      textOf(update.name) ||
      before?.name ||
      kind,
    status: before && status === 'started' ? 'running' : status,
    hasBegun: before?.hasBegun === true || (typeof update.status === 'string' && update.status !== 'pending'),
    content: contentOf(before?.content ?? [], update.content),
    input: update.rawInput ?? before?.input,
    output: update.rawOutput ?? before?.output,
    places: Array.isArray(update.locations) ? listOf(update.locations) : (before?.places ?? []),
    began: before?.began ?? now,
    toldAt: before?.toldAt ?? now,
  }
}

/** A whole list takes the place of what was there, one piece is added to it. */
const contentOf = (before: readonly Fields[], told: unknown): readonly Fields[] => {
  if (Array.isArray(told)) return listOf(told)
  const { type } = fieldsOf(told)
  return type === undefined || before.length >= MOST_CONTENT ? before : [...before, fieldsOf(told)]
}

/** What is null is taken away. */
const cleared = (update: Fields): Fields => ({
  ...update,
  ...(update.content === null && { content: [] }),
  ...(update.locations === null && { locations: [] }),
  ...(update.rawInput === null && { rawInput: {} }),
  ...(update.rawOutput === null && { rawOutput: '' }),
})

const told = (id: string, tool: Tool): RuntimeProgress => ({
  type: 'progress',
  node_id: id.slice(0, 200),
  kind: 'tool',
  status: tool.status,
  label: labelOf(tool.title, tool.name),
  detail: {
    ...kept(tool),
    ...(tool.places.length === 0 ? {} : { files: boundedDetail(tool.places.map(({ path }) => path)) }),
  },
  ...(OVER.has(tool.status) ? { elapsed_ms: Date.now() - tool.began } : {}),
})

const shown = (text: string): string => redactText(cutText(text, MOST_DIFF)).text

const kept = ({ name, input, output, content, hasBegun }: Tool): Fields => ({
  name: labelOf(name, 'other'),
  ...(input === undefined ? {} : { input: boundedDetail(input) }),
  ...(output !== undefined
    ? { output: boundedDetail(output) }
    : hasBegun && content.length > 0
      ? { output: boundedDetail(textIn(content)) }
      : {}),
})

const textIn = (content: readonly Fields[]): string =>
  content
    .map((one) => textOf(fieldsOf(one.content).text))
    .filter(Boolean)
    .join('\n')
