import type { Message } from '@panoptes/schema'
import { type Fields, fieldsOf, timeOf } from '../fields.ts'
import type { Told as Session } from './about.ts'
import { isCopied } from './copied.ts'
import { promptsOf } from './prompts.ts'
import { type Frame, repliesOf, type Told } from './replies.ts'
import type { StoredMessage } from './rows.ts'

interface Of {
  readonly session: string
  readonly agent: string
  readonly row: Session
}

/** What a stored message says: a prompt, or a reply with the results of its calls. */
export function messagesOf(
  stored: StoredMessage,
  { session, agent, row }: Of,
): Told & { readonly copy: boolean } {
  const { id, data, parts, problems } = stored
  if (data === undefined) return { messages: [], problems, copy: false }
  const ts = timeOf(fieldsOf(data.time).created) ?? stored.created
  if (isCopied(id, ts, row)) return { messages: [], problems: [], copy: true }
  const frame: Frame = { id, session_id: session, agent_id: agent, ts, state: stateOf(stored, row) }
  const told = toldBy(frame, data, parts)
  if (told === undefined)
    return { messages: [], problems: [...problems, 'has a role that is not known'], copy: false }
  return { messages: told.messages, problems: [...problems, ...told.problems], copy: false }
}

function toldBy(frame: Frame, data: Fields, parts: readonly Fields[]): Told | undefined {
  if (data.role === 'user') return promptsOf(frame, parts)
  return data.role === 'assistant' ? repliesOf(frame, data, parts) : undefined
}

function stateOf({ id, data }: StoredMessage, { revert }: Session): Message['state'] {
  if (revert !== null && (revert.whole ? id >= revert.message : id > revert.message)) return 'rewound'
  return data?.role === 'assistant' && data.summary === true ? 'summary' : 'active'
}
