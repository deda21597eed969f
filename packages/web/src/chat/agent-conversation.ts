import type { Agent } from '@panoptes/schema'

/** The conversation in which an agent answers; null if there is none. */
export const agentConversation = ({
  source,
  session_id,
}: Pick<Agent, 'source' | 'session_id'>): string | null =>
  source === 'panoptes' && session_id.startsWith('chat-') ? session_id : null
