import type {
  ChatErrorCode,
  ChatEvent,
  ChatUsage,
  MetadataEvent,
  ProgressEvent,
  ProgressKind,
  ProgressStatus,
  TaskGraph,
} from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { type ContextView, readContext, readPlan } from './details.ts'

/** A step that a runtime takes beside its answer. */
export interface RunNode {
  readonly id: string
  readonly parent: string | null
  readonly kind: ProgressKind
  readonly status: ProgressStatus
  readonly label: string
  readonly detail: unknown
  readonly startedAt: number
  readonly elapsedMs: number | null
}

/** A question to the person, open or over. */
export interface Ask {
  readonly id: string
  readonly label: string
  readonly choices: readonly string[]
  readonly detail: Readonly<Record<string, unknown>>
  readonly expiresAt: number | null
  readonly state: 'open' | 'answered' | 'over'
  readonly choice: string | null
}

/** An answer in the order in which it arrived: texts, and the steps between them. */
export type RunPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'nodes'; readonly ids: readonly string[] }

export interface RunEnd {
  readonly kind: 'completed' | 'cancelled' | 'length' | 'failed'
  readonly code: ChatErrorCode | null
  readonly message: string | null
  readonly retryable: boolean
  readonly durationMs: number | null
  readonly usage: ChatUsage | null
  /** Null if it is unknown. */
  readonly usd: number | null
}

/** A run as far as its events have arrived. */
export interface RunView {
  readonly runId: string
  readonly runtime: string
  /** The last event applied in order; events after a gap wait in `held`. */
  readonly seq: number
  readonly held: ReadonlyMap<number, ChatEvent>
  readonly messageId: string | null
  readonly userMessageId: string | null
  readonly model: string | null
  readonly startedAt: number
  readonly lastAt: number
  readonly text: string
  readonly parts: readonly RunPart[]
  readonly nodes: ReadonlyMap<string, RunNode>
  readonly asks: readonly Ask[]
  readonly context: ContextView | null
  readonly plan: TaskGraph | null
  readonly usd: number | null
  readonly end: RunEnd | null
}

const MOST_HELD = 10_000
const MOST_NODES = 5_000
const MOST_THOUGHT = 400_000

/** Applies one more event. Events may arrive in any order and more than once. */
export function addEvent(run: RunView | null, event: ChatEvent): RunView {
  const { run_id, runtime, seq, ts } = event.data
  const before = run?.runId === run_id ? run : startRun(run_id, runtime, ts)
  if (seq <= before.seq || before.end !== null || before.held.has(seq)) return before
  if (seq > before.seq + 1) {
    if (before.held.size >= MOST_HELD) return before
    return { ...before, held: new Map(before.held).set(seq, event) }
  }
  let now = applyEvent(before, event)
  while (now.held.size > 0) {
    const next = now.held.get(now.seq + 1)
    if (!next) break
    const held = new Map(now.held)
    held.delete(now.seq + 1)
    now = applyEvent({ ...now, held }, next)
  }
  return now
}

export const addEvents = (run: RunView | null, events: readonly ChatEvent[]): RunView | null =>
  events.reduce<RunView | null>(addEvent, run)

const startRun = (runId: string, runtime: string, ts: number): RunView => ({
  runId,
  runtime,
  seq: 0,
  held: new Map(),
  messageId: null,
  userMessageId: null,
  model: null,
  startedAt: ts,
  lastAt: ts,
  text: '',
  parts: [],
  nodes: new Map(),
  asks: [],
  context: null,
  plan: null,
  usd: null,
  end: null,
})

function applyEvent(before: RunView, event: ChatEvent): RunView {
  const { seq, ts } = event.data
  const run: RunView = {
    ...before,
    seq,
    startedAt: before.seq === 0 ? ts : before.startedAt,
    lastAt: Math.max(before.lastAt, ts),
  }
  switch (event.event) {
    case 'metadata':
      return applyMetadata(run, event.data)
    case 'chunk':
      return appendText(run, event.data.delta)
    case 'progress':
      return applyProgress(run, event.data)
    case 'error':
      return { ...run, held: new Map(), asks: closeAsks(run.asks), end: toFailedEnd(event.data) }
    case 'done':
      return { ...run, held: new Map(), asks: closeAsks(run.asks), end: toDoneEnd(event.data) }
  }
}

const applyMetadata = (run: RunView, data: MetadataEvent): RunView => ({
  ...run,
  runtime: data.runtime,
  messageId: data.message_id ?? null,
  userMessageId: data.user_message_id ?? null,
  model: data.model ?? null,
})

function appendText(run: RunView, delta: string): RunView {
  const last = run.parts.at(-1)
  const text = run.text + delta
  const grown: RunPart = { kind: 'text', text: (last?.kind === 'text' ? last.text : '') + delta }
  const parts = last?.kind === 'text' ? run.parts.slice(0, -1) : run.parts
  return { ...run, text, parts: [...parts, grown] }
}

function applyProgress(run: RunView, data: ProgressEvent): RunView {
  const { kind, detail } = data
  if (kind === 'approval') return { ...run, asks: updateAsks(run.asks, data) }
  if (kind === 'usage') return { ...run, usd: readUsd(detail) ?? run.usd }
  if (kind === 'context') return { ...run, context: readContext(detail) ?? run.context }
  const plan = kind === 'plan' ? readPlan(detail) : null
  if (plan !== null) return { ...run, plan }
  const previous = run.nodes.get(data.node_id)
  if (previous === undefined && run.nodes.size >= MOST_NODES) return run
  const node: RunNode = {
    id: data.node_id,
    parent: data.parent_id ?? previous?.parent ?? null,
    kind,
    status: data.status,
    label: data.label ?? previous?.label ?? '',
    detail:
      kind === 'reasoning' ? mergeThought(previous?.detail, detail) : mergeDetail(previous?.detail, detail),
    startedAt: previous?.startedAt ?? data.ts,
    elapsedMs: data.elapsed_ms ?? (isOver(data.status) && previous ? data.ts - previous.startedAt : null),
  }
  const nodes = new Map(run.nodes).set(node.id, node)
  const isShown = previous === undefined && (kind === 'tool' || kind === 'subagent' || kind === 'reasoning')
  return { ...run, nodes, parts: isShown ? appendNode(run.parts, node.id) : run.parts }
}

/** Merges later reports into earlier ones: a tool's input arrives with its start, its result with its end. */
function mergeDetail(before: unknown, now: unknown): unknown {
  if (now === undefined || now === null) return before ?? null
  return isPlainObject(before) && isPlainObject(now) ? { ...before, ...now } : now
}

/** Thoughts arrive in pieces or as a whole. */
function mergeThought(before: unknown, now: unknown): unknown {
  if (!isPlainObject(now)) return typeof now === 'string' ? { text: now } : (before ?? null)
  const text = isPlainObject(before) ? (readText(before.text) ?? '') : ''
  const delta = readText(now.delta)
  return { text: (delta === null ? (readText(now.text) ?? text) : text + delta).slice(0, MOST_THOUGHT) }
}

/** While a code block is open, steps are placed before the text so that the block stays whole. */
function appendNode(parts: readonly RunPart[], id: string): readonly RunPart[] {
  const last = parts.at(-1)
  if (last?.kind === 'nodes') return [...parts.slice(0, -1), { kind: 'nodes', ids: [...last.ids, id] }]
  if (last === undefined || !isFenceOpen(last.text)) return [...parts, { kind: 'nodes', ids: [id] }]
  const before = parts.at(-2)
  const ids = before?.kind === 'nodes' ? [...before.ids, id] : [id]
  return [...parts.slice(0, before?.kind === 'nodes' ? -2 : -1), { kind: 'nodes', ids }, last]
}

const isFenceOpen = (text: string): boolean => (text.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1

function updateAsks(asks: readonly Ask[], data: ProgressEvent): readonly Ask[] {
  const detail = isPlainObject(data.detail) ? data.detail : {}
  const id = data.request_id ?? readText(detail.request_id) ?? data.node_id
  const previous = asks.find((one) => one.id === id)
  const choices = data.choices ?? (Array.isArray(detail.choices) ? detail.choices.map(String) : [])
  const expires = detail.expires_at
  const ask: Ask = {
    id,
    label: data.label ?? previous?.label ?? '',
    choices: choices.length > 0 ? choices : (previous?.choices ?? []),
    detail: { ...previous?.detail, ...detail },
    expiresAt: typeof expires === 'number' ? expires : (previous?.expiresAt ?? null),
    state: !isOver(data.status) ? 'open' : data.status === 'completed' ? 'answered' : 'over',
    choice: readText(detail.choice),
  }
  return previous ? asks.map((one) => (one === previous ? ask : one)) : [...asks, ask]
}

const closeAsks = (asks: readonly Ask[]): readonly Ask[] =>
  asks.map((ask) => (ask.state === 'open' ? { ...ask, state: 'over' } : ask))

const toFailedEnd = (data: Extract<ChatEvent, { event: 'error' }>['data']): RunEnd => ({
  kind: 'failed',
  code: data.code,
  message: data.message ?? null,
  retryable: data.retryable ?? true,
  durationMs: null,
  usage: null,
  usd: null,
})

const toDoneEnd = (data: Extract<ChatEvent, { event: 'done' }>['data']): RunEnd => ({
  kind: data.outcome ?? 'completed',
  code: null,
  message: null,
  retryable: false,
  durationMs: data.duration_ms ?? null,
  usage: data.usage ?? null,
  usd: data.cost?.usd ?? null,
})

export const isOver = (status: ProgressStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'skipped'

const readText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function readUsd(detail: unknown): number | null {
  if (!isPlainObject(detail)) return null
  const micro = detail.cost_micro_usd
  if (typeof micro === 'number') return micro / 1_000_000
  const { cost: reported } = detail
  const isDollars = isPlainObject(reported) && reported.currency === 'USD'
  const cost = isDollars ? reported.amount : isPlainObject(reported) ? reported.usd : detail.usd
  return typeof cost === 'number' ? cost : null
}
