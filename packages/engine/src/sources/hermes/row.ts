import type { SQLOutputValue } from 'node:sqlite'
import type { ContentBlock, Message } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { timeOf } from '../fields.ts'
import { callsOf } from './calls.ts'
import { contentOf, itemTexts } from './content.ts'
import { okOf } from './outcome.ts'

/** A row of `messages`, in the order of the statement that reads them. */
export type Row = readonly [
  id: bigint,
  role: SQLOutputValue,
  content: SQLOutputValue,
  callId: SQLOutputValue,
  calls: SQLOutputValue,
  toolName: SQLOutputValue,
  timestamp: number | null,
  state: Message['state'],
  hidden: bigint,
  reasoningContent: SQLOutputValue,
  reasoning: SQLOutputValue,
  reasoningDetails: SQLOutputValue,
  codexReasoning: SQLOutputValue,
  codexMessage: SQLOutputValue,
]

const ROLES: Readonly<Record<string, Message['role']>> = {
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  system: 'system',
  session_meta: 'system',
}

/** What Hermes asks itself in the background looks like a person's words. */
const REVIEW = 'Review the conversation above and '

export const MAIN = 'main'

export interface Told {
  readonly message?: Message
  /** What could not be read of the row. */
  readonly problem?: string
}

/** A row as a message; nothing for one that says nothing. */
export function messageOf(row: Row, session: string, model: string | null): Told {
  const [id, roleName, content, , calls, toolName, timestamp, state, hidden] = row
  const role = ROLES[String(roleName)]
  if (role === undefined) return { problem: 'has a role that is not known' }
  if (row.some(isTooLong)) return { problem: 'is too long to be read' }
  const called = role === 'assistant' ? callsOf(columnText(calls)) : []
  const problem = called === undefined ? { problem: 'has tool calls that are not JSON' } : {}
  const text = columnText(content)
  const blocks = role === 'tool' ? resultOf(row, text) : [...spoken(row, role, text), ...(called ?? [])]
  if (blocks.length === 0) return problem
  const tool = columnText(toolName)
  const message: Message = {
    id: String(id),
    session_id: session,
    agent_id: MAIN,
    role,
    ts: timestamp === null ? null : timeOf(timestamp * 1_000),
    model: role === 'assistant' ? model : null,
    content: blocks,
    usage: null,
    state,
    hidden: hidden === 1n || roleName === 'session_meta' || (role === 'user' && !!text?.startsWith(REVIEW)),
    // Older rows name a tool outside of a call.
    ...(tool === null ? {} : { tool_name: tool }),
  }
  return { message, ...problem }
}

/** The statement gives the length of a text in the place of one that is too long. */
const isTooLong = (value: unknown, at: number): boolean =>
  typeof value === 'bigint' && (at === 2 || at === 4 || at > 8)

function spoken(row: Row, role: Message['role'], text: string | null): readonly ContentBlock[] {
  const said = contentOf(text)
  if (role !== 'assistant') return said
  const [, , , , , , , , , reasoningContent, reasoning, details, codexReasoning, codexMessage] = row
  const thought =
    columnText(reasoningContent) ??
    columnText(reasoning) ??
    itemTexts(columnText(details)) ??
    itemTexts(columnText(codexReasoning))
  const answer = said.length > 0 ? null : itemTexts(columnText(codexMessage))
  return [
    ...(thought === null ? [] : [{ type: 'reasoning' as const, text: thought }]),
    ...(answer === null ? said : [{ type: 'text' as const, text: answer }]),
  ]
}

/** A result's images follow it: the vocabulary keeps its text alone. */
function resultOf(row: Row, text: string | null): ContentBlock[] {
  const parts = contentOf(text)
  const said = parts.map((part) => (part.type === 'text' ? part.text : '')).filter((each) => each !== '')
  const whole = said.length === 1 ? (said[0] ?? '') : said.join('\n')
  return [
    { type: 'tool_result', id: columnText(row[3]) ?? '', ok: okOf(whole), text: whole, duration_ms: null },
    ...parts.filter((part) => part.type === 'image'),
  ]
}
