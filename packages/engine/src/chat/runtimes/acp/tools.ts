import { boundedDetail, cutText, labelOf } from '../bounded.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { RuntimeEvent, RuntimeProgress } from '../port.ts'

interface Tool {
  readonly name: string
  readonly title: string
  readonly kind: string
  readonly status: RuntimeProgress['status']
  readonly content: readonly Fields[]
  readonly input: unknown
  readonly output: unknown
  readonly places: readonly Fields[]
  readonly began: number
}

const STATUS: Readonly<Record<string, RuntimeProgress['status']>> = {
  pending: 'started',
  in_progress: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'skipped',
}
const OVER: ReadonlySet<RuntimeProgress['status']> = new Set(['completed', 'failed', 'skipped'])

const MOST_TOOLS = 2_000
const MOST_KEPT = 200
const MOST_DIFFS = 50
const MOST_DIFF = 20_000

/** The calls of tools in one answer, each told again by its id with what changed. */
export class Tools {
  readonly #tools = new Map<string, Tool>()
  #diffs = 0;

  *take(update: Fields): Generator<RuntimeEvent> {
    const id = textOf(update.toolCallId)
    const before = this.#tools.get(id)
    if (id === '' || (before === undefined && this.#tools.size >= MOST_TOOLS)) return
    const tool = merged(before, update)
    this.#tools.set(id, tool)
    yield told(id, tool)
    if (OVER.has(tool.status) && !(before && OVER.has(before.status))) yield* this.#changes(tool)
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
        old_text: typeof oldText === 'string' ? cutText(oldText, MOST_DIFF) : null,
        new_text: cutText(textOf(newText), MOST_DIFF),
      }
      yield { type: 'attachment', attachment: { kind: 'diff', title: labelOf(data.path, 'A file'), data } }
    }
  }
}

/** What is not told again stays as it was. */
function merged(before: Tool | undefined, update: Fields): Tool {
  const kind = textOf(update.kind) || (before?.kind ?? 'other')
  return {
    title: textOf(update.title) || (before?.title ?? ''),
    kind,
    name: textOf(fieldsOf(fieldsOf(update._meta).claudeCode).toolName) || before?.name || kind,
    status: STATUS[textOf(update.status)] ?? before?.status ?? 'started',
    content: Array.isArray(update.content) ? listOf(update.content) : (before?.content ?? []),
    input: update.rawInput ?? before?.input,
    output: update.rawOutput ?? before?.output,
    places: Array.isArray(update.locations) ? listOf(update.locations) : (before?.places ?? []),
    began: before?.began ?? Date.now(),
  }
}

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

const kept = ({ name, input, output, content }: Tool): Fields => ({
  name: labelOf(name, 'other'),
  ...(input === undefined ? {} : { input: boundedDetail(input) }),
  ...fieldsOf(boundedDetail(output === undefined ? outputIn(content) : { output })),
})

function outputIn(content: readonly Fields[]): { readonly output?: string } {
  const texts = content.map((one) => textOf(fieldsOf(one.content).text)).filter(Boolean)
  return texts.length === 0 ? {} : { output: texts.join('\n') }
}
