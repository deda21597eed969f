import { type Fields, fieldsOf, nameOf, textOf } from './fields.ts'

/** A row of a transcript, as far as it tells something of what happens now. */
export interface Row {
  readonly type: string
  readonly ts: number
  readonly uuid: string
  /** Whose it is, where it says so. */
  readonly agent: string | undefined
  readonly prompt: string | undefined
  readonly cwd: string | undefined
  readonly blocks: readonly Fields[]
  /** The text of its blocks. */
  readonly text: string
  readonly result: unknown
  readonly message: Fields
  /** It is no part of the conversation a person sees. */
  readonly aside: boolean
  readonly failed: boolean
}

/** The kinds of rows that are read: a line that names none of them is not even parsed. */
const TOLD = ['"user"', '"assistant"', '"queue-operation"', '"queued_command"'] as const
export const maySayMore = (line: string): boolean => TOLD.some((word) => line.includes(word))

/** Nothing for a row that is another session's: a session that was branched off begins with copies. */
export function readRow(line: string, session: string): Row | undefined {
  const row = parsed(line)
  const ts = Date.parse(textOf(row.timestamp) ?? '')
  if (!Number.isFinite(ts) || row.forkedFrom) return undefined
  const own = textOf(row.sessionId)
  if (own !== undefined && own !== session) return undefined
  if (row.type === 'queue-operation') return queued(row, ts, textOf(row.content))
  if (row.type === 'attachment') return queuedCommand(row, ts)
  if (row.type !== 'user' && row.type !== 'assistant') return undefined
  const message = fieldsOf(row.message)
  const blocks = blocksOf(message.content)
  return {
    ...envelope(row, ts),
    type: row.type,
    blocks,
    text: joined(blocks),
    result: row.toolUseResult,
    message,
    aside: row.isMeta === true || row.isCompactSummary === true || row.isVisibleInTranscriptOnly === true,
    failed: row.isApiErrorMessage === true,
  }
}

const envelope = (row: Fields, ts: number) => ({
  ts,
  uuid: nameOf(row.uuid) ?? String(ts),
  agent: row.isSidechain === true || row.agentId ? nameOf(row.agentId) : undefined,
  prompt: nameOf(row.promptId),
  cwd: textOf(row.cwd),
  result: undefined,
  message: {},
  aside: false,
  failed: false,
})

/** What waits until the agent has time for it. */
function queued(row: Fields, ts: number, text: string | undefined): Row | undefined {
  if (row.operation !== 'enqueue' || text === undefined) return undefined
  return { ...envelope(row, ts), type: 'queued', blocks: [], text }
}

/** What waited and was handed over in the middle of a turn. */
function queuedCommand(row: Fields, ts: number): Row | undefined {
  const attachment = fieldsOf(row.attachment)
  if (attachment.type !== 'queued_command') return undefined
  const text = joined(blocksOf(attachment.prompt))
  return text === '' ? undefined : { ...envelope(row, ts), type: 'user', blocks: [], text }
}

const blocksOf = (content: unknown): readonly Fields[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(fieldsOf) : []
}

export const joined = (blocks: readonly Fields[]): string =>
  blocks.flatMap((block) => (block.type === 'text' ? (textOf(block.text) ?? []) : [])).join('\n')

function parsed(line: string): Fields {
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    return {}
  }
}
