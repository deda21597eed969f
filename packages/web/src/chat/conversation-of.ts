import type { Agent } from '@panoptes/schema'

/** The conversation that an agent answers in; null where it is in none. */
export const conversationOf = ({
  source,
  session_id,
}: Pick<Agent, 'source' | 'session_id'>): string | null =>
  source === 'panoptes' && session_id.startsWith('chat-') ? session_id : null
