import { redactText, redactValue } from '@panoptes/engine/redact'
import type { ContentBlock, PastAgent, PastMessage, PastSession } from '@panoptes/schema'
import { wholeInput } from '../cut.ts'

/** A message without the secrets in it. Pictures stay as they are, links to them do not: an address may hold a key. */
export const redactedMessage = (message: PastMessage): PastMessage => ({
  ...message,
  content: message.content.map(redactedBlock),
})

function redactedBlock(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'tool_result':
      return { ...block, text: clean(block.text) }
    case 'tool_call':
      return { ...block, input: redactValue(wholeInput(block.input)) }
    case 'image': {
      const { data, ...about } = block
      return { ...(redactValue(about) as typeof about), data }
    }
  }
}

export const redactedSession = (session: PastSession): PastSession => ({
  ...session,
  title: session.title === null ? null : clean(session.title),
  note: session.note === null ? null : clean(session.note),
  tags: session.tags.map(clean),
})

export const redactedAgent = (agent: PastAgent): PastAgent => ({
  ...agent,
  description: agent.description === null ? null : clean(agent.description),
})

const clean = (text: string): string => redactText(text).text
