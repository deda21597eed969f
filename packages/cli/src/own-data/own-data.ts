import type { OwnData } from '@panoptes/engine/chat'
import type {
  Agent,
  CostGroup,
  CostRow,
  FoundMessage,
  Result,
  SessionRef,
  TemplateReply,
  TemplatesReply,
  TranscriptReply,
} from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { costTold } from './cost-told.ts'
import { agentTold, foundTold, sessionTold, templateTold } from './told.ts'

/** What Panoptes knows, asked of its rooms or of the running daemon. */
export interface Known {
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

/** What a model is told of it: the same words for Jarvis and for agents that ask over MCP. */
export const ownDataOf = (known: Known): OwnData => ({
  searchSessions: async ({ text, source, limit }) =>
    told(await known.search({ text, source, limit }), (found) => ({ found: found.map(foundTold) })),
  readSession: async ({ source, session_id, from, limit }) =>
    told(await known.transcript({ source, id: session_id, from, limit }), (page) =>
      sessionTold(page, from, limit),
    ),
  liveAgents: async () =>
    told(await known.alive(MOST_AGENTS), (agents) => ({
      now: new Date().toISOString(),
      agents: agents.slice(0, MOST_AGENTS).map(agentTold),
    })),
  spending: async ({ days, by }) => {
    const since = Date.now() - days * DAY_MS
    return told(await known.costs({ since, by }), (rows) => ({
      since: new Date(since).toISOString(),
      by,
      rows: rows.slice(0, MOST_ROWS).map(costTold),
      left_out: Math.max(0, rows.length - MOST_ROWS),
    }))
  },
  templates: async ({ name }) =>
    name === undefined
      ? told(await known.templates(), ({ templates }) => ({
          templates: templates
            .slice(0, MOST_TEMPLATES)
            .map(({ name, task_type, examples, created_at }) => ({ name, task_type, examples, created_at })),
          left_out: Math.max(0, templates.length - MOST_TEMPLATES),
        }))
      : told(await known.template(name), templateTold),
})

const told = <T>(result: Result<T>, say: (value: T) => object): Result<unknown> =>
  result.ok ? success(say(result.value)) : result
