import { cleanProject, redactText, redactValue } from '@panoptes/engine/redact'
import type { ContentBlock, Message, Session, SessionAgent, TranscriptChange } from '@panoptes/schema'

const clean = (text: string): string => redactText(text).text
const cleanOrNull = (text: string | null): string | null => (text === null ? null : clean(text))

/** What messages are known by and counted with: links and sums break when these change. */
const KEPT = new Set([
  ...['id', 'session_id', 'role', 'ts', 'model', 'agent_id', 'content', 'usage', 'cost_micro_usd'],
  ...['state', 'hidden', 'worker', 'runtime', 'status'],
])

/** A message without the secrets in it. Pictures stay as they are, links to them do not: an address may hold a key. */
export const redactedMessage = (message: Message): Message => ({
  ...message,
  ...rest(message, KEPT),
  model: cleanOrNull(message.model),
  content: message.content.map(redactedBlock),
})

const KEPT_IN_BLOCK = new Set([
  'type',
  'text',
  'data',
  'media_type',
  'id',
  'tool',
  'input',
  'ok',
  'duration_ms',
])

function redactedBlock(block: ContentBlock): ContentBlock {
  const more = rest(block, KEPT_IN_BLOCK)
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'tool_result':
      return { ...block, ...more, text: clean(block.text) }
    case 'tool_call':
      return { ...block, ...more, tool: clean(block.tool), input: redactValue(block.input) }
    case 'image':
      return { ...block, ...more }
  }
}

/** Whatever else a source says; a field's name says what it may hold. */
function rest(of: Readonly<Record<string, unknown>>, kept: ReadonlySet<string>): object {
  const more = Object.entries(of).filter(([name]) => !kept.has(name))
  return more.length === 0 ? {} : (redactValue(Object.fromEntries(more)) as object)
}

export const redactedSession = (session: Session): Session => ({
  ...session,
  title: cleanOrNull(session.title),
  project: session.project === null ? null : cleanProject(session.project, session.cwd),
  cwd: cleanOrNull(session.cwd),
  git_branch: cleanOrNull(session.git_branch),
  model: cleanOrNull(session.model),
})

export const redactedAgent = (agent: SessionAgent): SessionAgent => ({
  ...agent,
  subagent_type: cleanOrNull(agent.subagent_type),
  description: cleanOrNull(agent.description),
})

/** What a computer tells a hub, without the secrets in it. Where there are none it is the same, to the letter. */
export function redactedChange(change: TranscriptChange): TranscriptChange {
  switch (change.type) {
    case 'agent':
      return { ...change, agent: redactedAgent(change.agent) }
    case 'messages':
      return { ...change, messages: change.messages.map(redactedMessage) }
    case 'skipped':
      return { ...change, place: clean(change.place), reason: clean(change.reason) }
    case 'end':
      return { ...change, session: redactedSession(change.session) }
    case 'begin':
    case 'same':
    case 'drop':
      return change
  }
}
