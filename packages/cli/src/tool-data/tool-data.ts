import type { OwnData } from '@panoptes/engine/chat'
import type { Review } from '@panoptes/engine/outcomes'
import type { Sessions } from '@panoptes/engine/sessions'
import type { EventStore } from '@panoptes/engine/store'
import type { Templates } from '@panoptes/engine/templates'
import type {
  Agent,
  ContentBlock,
  CostGroup,
  CostRow,
  FoundMessage,
  PastMessage,
  Result,
  SessionRef,
  TemplateReply,
  TemplatesReply,
  TranscriptReply,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'

/** The data for tools, from modules in this process or from the running daemon. */
export interface ToolDataSource {
  readonly search: (query: {
    readonly text: string
    readonly source?: string | undefined
    readonly limit: number
  }) => Promise<Result<readonly FoundMessage[]>>
  readonly transcript: (
    query: SessionRef & { readonly from: number; readonly limit: number },
  ) => Promise<Result<TranscriptReply>>
  readonly alive: (limit: number) => Promise<Result<readonly Agent[]>>
  readonly costs: (query: {
    readonly since: number
    readonly by: CostGroup
  }) => Promise<Result<readonly CostRow[]>>
  readonly templates: () => Promise<Result<TemplatesReply>>
  readonly template: (name: string) => Promise<Result<TemplateReply>>
}

const DAY_MS = 86_400_000
const MOST_AGENTS = 200
const MOST_ROWS = 200
const MOST_TEMPLATES = 200

/** Describes the data for models, in the same words for Jarvis and for agents over MCP. */
export const createToolData = (dataSource: ToolDataSource): OwnData => ({
  searchSessions: async ({ text, source, limit }) =>
    mapResult(await dataSource.search({ text, source, limit }), (found) => ({
      found: found.map(describeMatch),
    })),
  readSession: async ({ source, session_id, from, limit }) =>
    mapResult(await dataSource.transcript({ source, id: session_id, from, limit }), (page) =>
      describeSession(page, from, limit),
    ),
  liveAgents: async () =>
    mapResult(await dataSource.alive(MOST_AGENTS), (agents) => ({
      now: new Date().toISOString(),
      agents: agents.slice(0, MOST_AGENTS).map(describeAgent),
    })),
  spending: async ({ days, by }) => {
    const since = Date.now() - days * DAY_MS
    return mapResult(await dataSource.costs({ since, by }), (rows) => ({
      since: new Date(since).toISOString(),
      by,
      rows: rows.slice(0, MOST_ROWS).map(describeCost),
      left_out: Math.max(0, rows.length - MOST_ROWS),
    }))
  },
  templates: async ({ name }) =>
    name === undefined
      ? mapResult(await dataSource.templates(), ({ templates }) => ({
          templates: templates
            .slice(0, MOST_TEMPLATES)
            .map(({ name, task_type, examples, created_at }) => ({ name, task_type, examples, created_at })),
          left_out: Math.max(0, templates.length - MOST_TEMPLATES),
        }))
      : mapResult(await dataSource.template(name), describeTemplate),
})

const mapResult = <T>(result: Result<T>, say: (value: T) => object): Result<unknown> =>
  result.ok ? success(say(result.value)) : result

const MICRO = 1_000_000

/** Returns null for a sum of 0 if replies do not report their tokens. */
const tokens = ({ usage_unknown }: CostRow, count: number): number | null =>
  count === 0 && usage_unknown > 0 ? null : count

/** Describes a cost. Unpriced usage is named, because it is not free. */
export const describeCost = (row: CostRow) => ({
  name: row.name,
  sessions: row.sessions,
  replies: row.replies,
  tokens_in: tokens(row, row.tokens_in),
  tokens_out: tokens(row, row.tokens_out),
  cache_read: tokens(row, row.cache_read),
  cache_write: tokens(row, row.cache_write),
  usd:
    row.cost_micro_usd === 0 && row.cost_unknown + row.usage_unknown > 0 ? null : row.cost_micro_usd / MICRO,
  ...(row.cost_unknown + row.usage_unknown > 0
    ? { replies_of_unknown_cost: row.cost_unknown + row.usage_unknown }
    : {}),
  ...(row.outside_micro_usd ? { usd_outside_transcripts: row.outside_micro_usd / MICRO } : {}),
  ...(row.outside_unknown ? { sessions_of_unknown_outside_cost: row.outside_unknown } : {}),
})

const LONGEST_TEXT = 4_000
const LONGEST_CALL = 400
/** The maximum length of all texts on one page. */
const MOST_CHARS = 40_000

const describeMatch = ({ source, session_id, title, project, n, role, ts, snippet }: FoundMessage) => ({
  source,
  session_id,
  title,
  project,
  message: n,
  role,
  at: isoTime(ts),
  text: snippet,
})

/** Describes a page of a session. A page with long texts ends earlier and names the start of the next one. */
export function describeSession(page: TranscriptReply, from: number, limit: number) {
  const { session, messages, next } = page
  const shown: object[] = []
  let chars = 0
  for (const message of messages.slice(0, limit)) {
    const entry = describeMessage(message)
    chars += entry.text.length
    if (chars > MOST_CHARS && shown.length > 0) break
    shown.push(entry)
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
    /** The start of the next page, or null at the end. */
    next: isAll ? next : (messages[shown.length]?.n ?? from + shown.length),
  }
}

const describeMessage = ({ n, role, agent_id, ts, content }: PastMessage) => ({
  message: n,
  role,
  ...(agent_id === 'main' ? {} : { agent: agent_id }),
  at: isoTime(ts),
  text: cut(
    content
      .flatMap(describeBlock)
      .filter((text) => text !== '')
      .join('\n'),
    LONGEST_TEXT,
  ),
})

function describeBlock(block: ContentBlock): readonly string[] {
  if (block.type === 'text') return [block.text]
  if (block.type === 'tool_call')
    return [`[calls ${block.tool}: ${cut(JSON.stringify(block.input) ?? '', LONGEST_CALL)}]`]
  if (block.type === 'tool_result')
    return [`[${block.ok === false ? 'failed' : 'result'}: ${cut(block.text, LONGEST_CALL)}]`]
  return block.type === 'image' ? ['[image]'] : []
}

const describeAgent = (agent: Agent) => ({
  source: agent.source,
  session_id: agent.session_id,
  agent: agent.id,
  type: agent.subagent_type,
  model: agent.model,
  state: agent.state,
  ...(agent.wait_reason === null ? {} : { waits_for: agent.wait_reason }),
  doing: agent.doing === null ? null : { tool: agent.doing.tool, since: isoTime(agent.doing.since) },
  asked: agent.prompt_preview,
  tool_calls: Object.values(agent.tool_counts).reduce((sum, count) => sum + count, 0),
  errors: agent.errors,
  started_at: isoTime(agent.started_at),
  last_at: isoTime(agent.last_at),
})

const describeTemplate = ({ template, notes, effect }: TemplateReply) => ({ template, notes, effect })

const isoTime = (ts: number | null): string | null => (ts === null ? null : new Date(ts).toISOString())

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`

export interface DataModules {
  readonly store: Pick<EventStore, 'agents'>
  readonly sessions: Sessions | undefined
  readonly templates: Templates | undefined
  readonly review: Review | undefined
}

const unavailable = async () => failure('closed', 'This data is unavailable right now.')

/** Answers from the modules of this process. */
export const createLocalDataSource = ({
  store,
  sessions,
  templates,
  review,
}: DataModules): ToolDataSource => ({
  search: sessions?.search ?? unavailable,
  transcript: sessions?.transcript ?? unavailable,
  alive: async (limit) => {
    const found = await store.agents({ states: ['working', 'waiting', 'stuck'], limit })
    return found.ok ? { ok: true, value: found.value.value } : found
  },
  costs: review?.costs ?? unavailable,
  templates: async () => templates?.list() ?? unavailable(),
  template: async (name) => templates?.show(name) ?? unavailable(),
})
