import { isDenied, rowKey } from '@panoptes/engine/sources'
import { parseJson } from '@panoptes/schema/json'
import { type Fields, toFields, toName, toText } from './fields.ts'

/** A transcript row, reduced to what it says about current activity. */
export interface Row {
  readonly type: string
  readonly ts: number
  readonly uuid: string
  /** The agent of the row, if it names one. */
  readonly agent: string | undefined
  readonly prompt: string | undefined
  readonly cwd: string | undefined
  readonly blocks: readonly Fields[]
  /** The joined text of its blocks. */
  readonly text: string
  readonly result: unknown
  readonly message: Fields
  /** This is true when the row is not part of the conversation a person sees. */
  readonly aside: boolean
  readonly failed: boolean
  /** Checks, given the text of a result, whether the call was denied or interrupted. */
  readonly isDenied: (text: string) => boolean
}

/** Checks whether the session that this one was forked from has a row with this key. */
export type IsCopied = (key: string) => boolean | undefined

/** The kinds of rows that are read. A line that contains none of these words is not parsed. */
const ROW_KINDS = ['"user"', '"assistant"', '"queue-operation"', '"queued_command"'] as const
export const maySayMore = (line: string): boolean => ROW_KINDS.some((word) => line.includes(word))

/** Returns true when the line is a message from or to the agent. */
export const isMessage = (line: string): boolean => line.includes('"user"') || line.includes('"assistant"')

/**
 * Returns undefined for rows of another session: a forked session begins with copied rows, and only some of
 * them are marked.
 */
export function readRow(line: string, session: string, isCopied?: IsCopied): Row | undefined {
  const row = parseFields(line)
  const ts = Date.parse(toText(row.timestamp) ?? '')
  if (!Number.isFinite(ts) || row.forkedFrom) return undefined
  if (isCopied?.(rowKey(row) ?? '')) return undefined
  const own = toText(row.sessionId)
  if (own !== undefined && own !== session) return undefined
  if (row.type === 'queue-operation') return parseQueued(row, ts, toText(row.content))
  if (row.type === 'attachment') return queuedCommand(row, ts)
  if (row.type !== 'user' && row.type !== 'assistant') return undefined
  const message = toFields(row.message)
  const blocks = toBlocks(message.content)
  return {
    ...envelope(row, ts),
    type: row.type,
    blocks,
    text: joinTexts(blocks),
    result: row.toolUseResult,
    message,
    aside: row.isMeta === true || row.isCompactSummary === true || row.isVisibleInTranscriptOnly === true,
    failed: row.isApiErrorMessage === true,
    isDenied: (text) => isDenied(row, text),
  }
}

const envelope = (row: Fields, ts: number) => ({
  ts,
  uuid: toName(row.uuid) ?? String(ts),
  agent: row.isSidechain === true || row.agentId ? toName(row.agentId) : undefined,
  prompt: toName(row.promptId),
  cwd: toText(row.cwd),
  result: undefined,
  message: {},
  aside: row.isMeta === true,
  failed: false,
  isDenied: () => false,
})

/** Reads a message that waits until the agent has time for it. */
function parseQueued(row: Fields, ts: number, text: string | undefined): Row | undefined {
  if (row.operation !== 'enqueue' || text === undefined) return undefined
  return { ...envelope(row, ts), type: 'queued', blocks: [], text }
}

/** Reads a queued message that was delivered in the middle of a turn. */
function queuedCommand(row: Fields, ts: number): Row | undefined {
  const attachment = toFields(row.attachment)
  if (attachment.type !== 'queued_command') return undefined
  const text = joinTexts(toBlocks(attachment.prompt))
  const aside = row.isMeta === true || attachment.isMeta === true
  return text === '' ? undefined : { ...envelope(row, ts), type: 'user', blocks: [], text, aside }
}

const toBlocks = (content: unknown): readonly Fields[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(toFields) : []
}

/** Returns the result of a call as text. */
export const resultText = ({ content }: Fields): string => {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? joinTexts(content.map(toFields)) : ''
}

const joinTexts = (blocks: readonly Fields[]): string =>
  blocks.flatMap((block) => (block.type === 'text' ? (toText(block.text) ?? []) : [])).join('\n')

function parseFields(line: string): Fields {
  try {
    return toFields(parseJson(line))
  } catch {
    return {}
  }
}
