import type { AgentStates, ConversationHead, StoredChatMessage } from '@panoptes/schema'
import type { ChatEpoch, StoredConversation } from '../conversations-port.ts'

/** A row of an engine. Values that are not numbers are JSON text. */
export type StoredRow = Readonly<Record<string, unknown>>

export const parseHead = (row: StoredRow): ConversationHead => JSON.parse(String(row.doc)) as ConversationHead
export const parseStates = (row: StoredRow): AgentStates => JSON.parse(String(row.state)) as AgentStates
export const parseMessage = (row: StoredRow): StoredChatMessage =>
  JSON.parse(String(row.doc)) as StoredChatMessage
export const parseEpoch = (row: StoredRow | undefined): ChatEpoch | null =>
  row?.epoch == null ? null : (JSON.parse(String(row.epoch)) as ChatEpoch)

export const toConversation = (row: StoredRow, messages: readonly StoredRow[]): StoredConversation => ({
  ...parseHead(row),
  messages_count: messages.length,
  agent_state: parseStates(row),
  state_revision: Number(row.state_revision),
  epoch: parseEpoch(row),
  messages: messages.map(parseMessage),
})

export function eventsIn(
  parts: readonly StoredRow[],
): { readonly conversation: string; readonly events: string } | null {
  const [first] = parts
  if (first === undefined) return null
  return {
    conversation: String(first.conversation),
    events: parts.map(({ events }) => String(events)).join(''),
  }
}

export const runIn = ({ id, run_id }: StoredRow) => ({ conversation: String(id), run_id: String(run_id) })
