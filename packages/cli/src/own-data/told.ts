import type {
  Agent,
  ContentBlock,
  FoundMessage,
  PastMessage,
  TemplateReply,
  TranscriptReply,
} from '@panoptes/schema'

const LONGEST_TEXT = 4_000
const LONGEST_CALL = 400
/** Of all texts of one page. */
const MOST_CHARS = 40_000

export const foundTold = ({ source, session_id, title, project, n, role, ts, snippet }: FoundMessage) => ({
  source,
  session_id,
  title,
  project,
  message: n,
  role,
  at: timeOf(ts),
  text: snippet,
})

/** A page of a session. It ends sooner where its texts are long, and says where it goes on. */
export function sessionTold(page: TranscriptReply, from: number, limit: number) {
  const { session, messages, next } = page
  const shown: object[] = []
  let chars = 0
  for (const message of messages.slice(0, limit)) {
    const told = messageTold(message)
    chars += told.text.length
    if (chars > MOST_CHARS && shown.length > 0) break
    shown.push(told)
  }
  const isAll = shown.length === messages.length
  return {
    source: session.source,
    session_id: session.id,
    title: session.title,
    project: session.project,
    model: session.model,
    messages_in_all: session.messages,
    messages: shown,
    /** Where the next page begins; null at the end. */
    next: isAll ? next : (messages[shown.length]?.n ?? from + shown.length),
  }
}

const messageTold = ({ n, role, agent_id, ts, content }: PastMessage) => ({
  message: n,
  role,
  ...(agent_id === 'main' ? {} : { agent: agent_id }),
  at: timeOf(ts),
  text: cut(
    content
      .flatMap(blockTold)
      .filter((text) => text !== '')
      .join('\n'),
    LONGEST_TEXT,
  ),
})

function blockTold(block: ContentBlock): readonly string[] {
  if (block.type === 'text') return [block.text]
  if (block.type === 'tool_call')
    return [`[calls ${block.tool}: ${cut(JSON.stringify(block.input) ?? '', LONGEST_CALL)}]`]
  if (block.type === 'tool_result')
    return [`[${block.ok === false ? 'failed' : 'result'}: ${cut(block.text, LONGEST_CALL)}]`]
  return block.type === 'image' ? ['[image]'] : []
}

export const agentTold = (agent: Agent) => ({
  source: agent.source,
  session_id: agent.session_id,
  agent: agent.id,
  type: agent.subagent_type,
  model: agent.model,
  state: agent.state,
  ...(agent.wait_reason === null ? {} : { waits_for: agent.wait_reason }),
  doing: agent.doing === null ? null : { tool: agent.doing.tool, since: timeOf(agent.doing.since) },
  asked: agent.prompt_preview,
  tool_calls: Object.values(agent.tool_counts).reduce((sum, count) => sum + count, 0),
  errors: agent.errors,
  started_at: timeOf(agent.started_at),
  last_at: timeOf(agent.last_at),
})

export const templateTold = ({ template, notes, effect }: TemplateReply) => ({ template, notes, effect })

const timeOf = (ts: number | null): string | null => (ts === null ? null : new Date(ts).toISOString())

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
