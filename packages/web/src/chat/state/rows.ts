import type { ChatFile, StoredChatMessage } from '@panoptes/schema'
import type { RunView } from './run-view.ts'

/** A message that is being sent. */
export interface PendingMessage {
  readonly message: string
  readonly files: readonly ChatFile[]
  readonly runtime: string | null
  readonly replaces: string | null
  readonly ts: number
}

export interface AnswerRow {
  readonly kind: 'answer'
  readonly key: string
  readonly message: StoredChatMessage
  /** Its live state. */
  readonly run: RunView | null
  readonly isRunning: boolean
  /** The person's message that it answers. */
  readonly to: string | null
  /** The number of messages this runtime received if another one answered before. */
  readonly handoverCount: number | null
  /** Whether nothing follows it, so that a retry removes nothing. */
  readonly isLast: boolean
}

export type ChatRow =
  | {
      readonly kind: 'user'
      readonly key: string
      readonly message: StoredChatMessage
      readonly isStored: boolean
    }
  | AnswerRow

/** The previous rows. Unchanged ones are reused so that they are not drawn again. */
export type RowCache = Map<string, ChatRow>

/** Builds the rows of a conversation from the stored messages and the live run. */
export function buildRows(
  stored: readonly StoredChatMessage[],
  run: RunView | null,
  pending: PendingMessage | null,
  cache: RowCache = new Map(),
): readonly ChatRow[] {
  const rows: ChatRow[] = []
  const messages = [...mergeStoredMessages(stored, run, pending), ...pendingRows(stored, run, pending)]
  const storedIds = new Set(stored.map(({ id }) => id))
  const seenBy = new Map<string, number>()
  let to: string | null = null
  let answeredBy: string | null = null
  messages.forEach((message, i) => {
    const key = message.id
    if (message.role === 'user') {
      to = message.id
      rows.push(reuseRow(cache, { kind: 'user', key, message, isStored: storedIds.has(message.id) }))
      return
    }
    const own = run !== null && run.messageId === message.id ? run : null
    const isRunning =
      (own !== null && own.end === null) ||
      (message.id === PENDING_ANSWER && pending !== null && run?.end == null)
    const isSwitch = answeredBy !== null && message.runtime !== null && message.runtime !== answeredBy
    const handoverCount =
      isSwitch && message.runtime ? countHandover(messages, i, seenBy.get(message.runtime)) : null
    rows.push(
      reuseRow(cache, {
        kind: 'answer',
        key,
        message,
        run: own,
        isRunning,
        to,
        handoverCount,
        isLast: i === messages.length - 1,
      }),
    )
    if (message.runtime !== null) {
      answeredBy = message.runtime
      if (message.status === 'complete') seenBy.set(message.runtime, i)
    }
  })
  return rows
}

const PENDING_USER = 'pending'
const PENDING_ANSWER = 'pending-answer'

function mergeStoredMessages(
  stored: readonly StoredChatMessage[],
  run: RunView | null,
  pending: PendingMessage | null,
): readonly StoredChatMessage[] {
  const at = pending?.replaces ? stored.findIndex(({ id }) => id === pending.replaces) : -1
  const before = at < 0 ? stored : stored.slice(0, at)
  if (run?.messageId == null) return before
  return before.map((message) => (message.id === run.messageId ? mergeRun(message, run) : message))
}

/** Messages the server has not stored yet, as far as this page knows. */
function pendingRows(
  stored: readonly StoredChatMessage[],
  run: RunView | null,
  pending: PendingMessage | null,
): readonly StoredChatMessage[] {
  const has = (id: string | null | undefined) => id != null && stored.some((one) => one.id === id)
  const added: StoredChatMessage[] = []
  if (pending !== null && !has(run?.userMessageId))
    added.push({
      ...nobody,
      id: run?.userMessageId ?? PENDING_USER,
      role: 'user',
      content: pending.message,
      files: [...pending.files],
      ts: pending.ts,
    })
  if (run?.messageId != null) {
    if (!has(run.messageId)) added.push(mergeRun({ ...nobody, id: run.messageId, role: 'assistant' }, run))
  } else if (pending !== null)
    added.push({
      ...nobody,
      id: PENDING_ANSWER,
      role: 'assistant',
      status: 'partial',
      runtime: pending.runtime,
      ts: pending.ts,
    })
  return added
}

const nobody: Omit<StoredChatMessage, 'id' | 'role'> = {
  content: '',
  status: 'complete',
  runtime: null,
  model: null,
  attachments: [],
  files: [],
  ts: 0,
  ended_at: null,
  run_id: null,
  usage: null,
  cost_micro_usd: null,
  error: null,
}

/** Combines a message with its live run; once the complete message is stored, it wins. */
function mergeRun(message: StoredChatMessage, run: RunView): StoredChatMessage {
  const { end } = run
  const isStored = message.ended_at !== null && end !== null && message.content.length >= run.text.length
  if (isStored && (message.status !== 'partial' || end.kind === 'failed' || end.kind === 'length'))
    return message
  return {
    ...message,
    content: run.text,
    runtime: run.runtime,
    model: message.model ?? run.model,
    run_id: run.runId,
    ts: run.startedAt,
    ended_at: end === null ? null : run.lastAt,
    status: runStatus(run),
    cost_micro_usd: message.cost_micro_usd ?? toMicroUsd(end?.usd ?? run.usd),
    error: end?.kind === 'failed' ? { code: end.code ?? 'internal', message: end.message ?? '' } : null,
  }
}

const toMicroUsd = (usd: number | null): number | null => (usd === null ? null : Math.round(usd * 1_000_000))

function runStatus({ end, text }: RunView): StoredChatMessage['status'] {
  if (end === null) return 'partial'
  if (end.kind === 'failed') return text === '' ? 'failed' : 'partial'
  if (end.kind === 'cancelled') return 'cancelled'
  return end.kind === 'length' ? 'partial' : 'complete'
}

/** Counts the messages with text since this runtime last completed an answer, without the one it answers. */
const countHandover = (
  messages: readonly StoredChatMessage[],
  at: number,
  seen: number | undefined,
): number =>
  messages.slice((seen ?? -1) + 1, Math.max(0, at - 1)).filter(({ content }) => content !== '').length

function reuseRow(cache: RowCache, row: ChatRow): ChatRow {
  const before = cache.get(row.key)
  const isSame =
    before !== undefined &&
    before.kind === row.kind &&
    Object.entries(row).every(([name, value]) => before[name as keyof typeof before] === value)
  if (isSame) return before
  cache.set(row.key, row)
  return row
}
