import { redactText } from '@panoptes/engine/redact'
import { type Fields, toFieldList, toFields, toText } from '../fields.ts'
import { cutText, toLabel, toSafeDetail } from '../plain-text.ts'
import type { RuntimeEvent, RuntimeProgress } from '../port.ts'

interface Tool {
  readonly name: string
  readonly title: string
  readonly kind: string
  readonly status: RuntimeProgress['status']
  /** Until the call has begun, its content describes what it is going to do. */
  readonly hasBegun: boolean
  readonly content: readonly Fields[]
  readonly input: unknown
  readonly output: unknown
  readonly places: readonly Fields[]
  readonly began: number
  readonly sentAt: number
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
const MAX_STORED_CALLS = 200
/** Additional output is reported at most this often. */
const WORTH_MS = 250
const MOST_DIFFS = 50
const MOST_DIFF = 20_000
const MOST_CONTENT = 2_000

/** The choices in our terms, mapped to the agent's options. */
type OfferedChoices = ReadonlyMap<string, { readonly option: string; readonly name: string }>

/** The tool calls of one answer. Each update of a call repeats its id and what changed. */
export class ToolCalls {
  readonly #tools = new Map<string, Tool>()
  readonly #clears: boolean
  #diffs = 0

  constructor(clears = false) {
    this.#clears = clears
  }

  *take(update: Fields): Generator<RuntimeEvent> {
    const id = toText(update.toolCallId)
    const before = this.#tools.get(id)
    if (id === '' || (before === undefined && this.#tools.size >= MOST_TOOLS)) return
    const now = Date.now()
    const tool = mergeUpdate(before, this.#clears ? clearNullFields(update) : update, now)
    const isOver = OVER.has(tool.status)
    const isWorth = before === undefined || hasNews(before, tool) || now - before.sentAt >= WORTH_MS
    this.#tools.set(id, isWorth ? { ...tool, sentAt: now } : tool)
    if (before === undefined) yield toolProgress(id, { ...tool, status: 'started' })
    if (before === undefined ? isOver : isWorth) yield toolProgress(id, tool)
    if (isOver && !(before && OVER.has(before.status))) yield* this.#changes(tool)
  }

  /** Some agents never report the end of their last call. */
  *end(status: 'completed' | 'skipped'): Generator<RuntimeEvent> {
    for (const [id, tool] of this.#tools) {
      if (OVER.has(tool.status)) continue
      const over = { ...tool, status }
      this.#tools.set(id, over)
      yield toolProgress(id, over)
    }
  }

  /** Returns all calls as they are stored with an answer. */
  *calls(): Generator<RuntimeEvent> {
    if (this.#tools.size === 0) return
    const data = [...this.#tools.values()].slice(0, MAX_STORED_CALLS).map((tool) => ({
      ...toolDetail(tool),
      // A cancelled call is neither success nor failure.
      ok: tool.status === 'skipped' ? null : tool.status === 'completed',
    }))
    yield { type: 'attachment', attachment: { kind: 'tools', title: 'Tools', data } }
  }

  *#changes({ content, status }: Tool): Generator<RuntimeEvent> {
    if (status !== 'completed') return
    for (const { type, path, oldText, newText } of content) {
      if (type !== 'diff' || this.#diffs >= MOST_DIFFS) continue
      this.#diffs += 1
      const data = {
        path: toText(path),
        old_text: typeof oldText === 'string' ? redactDiff(oldText) : null,
        new_text: redactDiff(toText(newText)),
      }
      yield { type: 'attachment', attachment: { kind: 'diff', title: toLabel(data.path, 'A file'), data } }
    }
  }
}

/** True if more changed than the amount of output. */
const hasNews = (before: Tool, { status, title }: Tool): boolean =>
  before.status !== status || before.title !== title

/** Fields missing from an update keep their values. */
function mergeUpdate(before: Tool | undefined, update: Fields, now: number): Tool {
  const kind = toText(update.kind) || (before?.kind ?? 'other')
  const status = STATUS[toText(update.status)] ?? before?.status ?? 'started'
  return {
    title: toText(update.title) || (before?.title ?? ''),
    kind,
    name:
      toText(toFields(toFields(update._meta).claudeCode).toolName) ||
      toText(update.name) ||
      before?.name ||
      kind,
    status: before && status === 'started' ? 'running' : status,
    hasBegun: before?.hasBegun === true || (typeof update.status === 'string' && update.status !== 'pending'),
    content: mergeContent(before?.content ?? [], update.content),
    input: update.rawInput ?? before?.input,
    output: update.rawOutput ?? before?.output,
    places: Array.isArray(update.locations) ? toFieldList(update.locations) : (before?.places ?? []),
    began: before?.began ?? now,
    sentAt: before?.sentAt ?? now,
  }
}

/** A list replaces the content; a single piece is appended. */
const mergeContent = (before: readonly Fields[], update: unknown): readonly Fields[] => {
  if (Array.isArray(update)) return toFieldList(update)
  const { type } = toFields(update)
  return type === undefined || before.length >= MOST_CONTENT ? before : [...before, toFields(update)]
}

/** A null field is removed. */
const clearNullFields = (update: Fields): Fields => ({
  ...update,
  ...(update.content === null && { content: [] }),
  ...(update.locations === null && { locations: [] }),
  ...(update.rawInput === null && { rawInput: {} }),
  ...(update.rawOutput === null && { rawOutput: '' }),
})

const toolProgress = (id: string, tool: Tool): RuntimeProgress => ({
  type: 'progress',
  node_id: id.slice(0, 200),
  kind: 'tool',
  status: tool.status,
  label: toLabel(tool.title, tool.name),
  detail: {
    ...toolDetail(tool),
    ...(tool.places.length === 0 ? {} : { files: toSafeDetail(tool.places.map(({ path }) => path)) }),
  },
  ...(OVER.has(tool.status) && tool.status !== 'skipped' ? { elapsed_ms: Date.now() - tool.began } : {}),
})

const redactDiff = (text: string): string => redactText(cutText(text, MOST_DIFF)).text

const toolDetail = ({ name, input, output, content, hasBegun }: Tool): Fields => ({
  name: toLabel(name, 'other'),
  ...(input === undefined ? {} : { input: toSafeDetail(input) }),
  ...(output !== undefined
    ? { output: toSafeDetail(output) }
    : hasBegun && content.length > 0
      ? { output: toSafeDetail(contentText(content)) }
      : {}),
})

const contentText = (content: readonly Fields[]): string =>
  content
    .map((one) => toText(toFields(one.content).text))
    .filter(Boolean)
    .join('\n')

/**
 * An agent may offer several options of a kind. The first one counts, but an option for the session
 * is distinguished from a permanent one.
 */
export function readChoices(options: unknown): OfferedChoices {
  const offered = new Map<string, { option: string; name: string }>()
  for (const option of toFieldList(options)) {
    const choice = parseChoice(option)
    if (choice === null || offered.has(choice)) continue
    offered.set(choice, { option: toText(option.optionId), name: toText(option.name) })
  }
  return offered
}

function parseChoice({ kind, optionId, name }: Fields): string | null {
  if (typeof optionId !== 'string') return null
  switch (kind) {
    case 'allow_once':
      return 'once'
    case 'allow_always':
      return /session/i.test(`${optionId} ${toText(name)}`) ? 'session' : 'always'
    case 'reject_once':
    case 'reject_always':
      return 'deny'
    default:
      return null
  }
}

const ORDER = ['once', 'session', 'always', 'deny']

/** Lists the choices of the user. Denying is always possible. */
export const listChoices = (offered: OfferedChoices): readonly string[] =>
  ORDER.filter((choice) => choice === 'deny' || offered.has(choice))

/** Builds the agent's answer. A missing answer, or a choice that was not offered, is a denial. */
export function toOutcome(offered: OfferedChoices, choice: string | null, isStopped: boolean): Fields {
  const chosen = isStopped ? undefined : offered.get(choice ?? 'deny')
  return {
    outcome: chosen ? { outcome: 'selected', optionId: chosen.option } : { outcome: 'cancelled' },
  }
}
