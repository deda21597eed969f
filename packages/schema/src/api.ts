import { z } from 'zod'
import { achievementItem, achievementsView } from './achievements.ts'
import { agent, agentIdentity, agentRequest, agentState, toolStats } from './agent.ts'
import { sourceName, unknownStoredEvent } from './event.ts'
import { sessionSummary } from './session.ts'
import { timestamp, timestampQuery } from './time.ts'

export const health = z.object({ ok: z.boolean(), version: z.string() })
/** A service that a hub depends on and may temporarily lose. */
const hubPart = z.enum(['database', 'bus'])
export type HubPart = z.infer<typeof hubPart>
/** `GET /ready`, on a hub with such services. */
export const ready = z.object({
  ready: z.literal(true),
  /**
   * Whether events are accepted now: through the bus if there is one, otherwise by the database.
   */
  takes_events: z.boolean(),
  /**
   * The services that do not answer. A hub that lost one of two still does what the other allows.
   */
  away: z.array(hubPart),
})
export type Health = z.infer<typeof health>

/** HTTP errors according to RFC 9457. `next` says what to do. */
export const problemDetails = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  next: z.string().optional(),
  request_id: z.string(),
})
export type ProblemDetails = z.infer<typeof problemDetails>

export const rejectedLine = z.object({ line: z.int(), path: z.string(), reason: z.string() })
export type RejectedLine = z.infer<typeof rejectedLine>

/** The reply to `POST /events`. Valid lines are stored even if others are not. */
export const ingestReply = z.object({
  accepted: z.int(),
  duplicates: z.int(),
  /** How many of the duplicates belong to forgotten sessions; absent if none. */
  forgotten: z.int().min(1).optional(),
  rejected: z.array(rejectedLine),
})
export type IngestReply = z.infer<typeof ingestReply>

const wholeNumber = z.coerce.number('must be a whole number').int('must be a whole number')
const list = z.string().transform((text) => text.split(',').filter((part) => part !== ''))
const flag = z
  .enum(['0', '1', 'true', 'false'], 'must be 0 or 1')
  .transform((text) => text === '1' || text === 'true')

/** The query of `GET /api/events`. `after` reads upwards from a seq, `before` downwards. */
export const eventsQuery = z.strictObject({
  after: wholeNumber.min(0, 'must not be negative').optional(),
  before: wholeNumber.min(1, 'must be at least 1').optional(),
  limit: wholeNumber.min(1, 'must be at least 1').max(1_000, 'must not be over 1000').default(100),
  kind: list.optional(),
  source: z.string().optional(),
  session: z.string().optional(),
  agent: z.string().optional(),
  since: timestampQuery.optional(),
  until: timestampQuery.optional(),
  text: z.string().max(200, 'must not be longer than 200 characters').optional(),
  failed: flag.optional(),
})
export type EventsQuery = z.infer<typeof eventsQuery>

/** The query of `GET /api/export`: everything that matches the filters, oldest first. */
export const exportQuery = eventsQuery.omit({ before: true, limit: true })

/** `next` is the `after` or `before` of the next page; null if there is none. */
export const eventsPage = z.object({
  events: z.array(unknownStoredEvent),
  next: z.int().nullable(),
  first: z.int(),
  last: z.int(),
})
export type EventsPage = z.infer<typeof eventsPage>

export const streamQuery = z.looseObject({
  since: wholeNumber.min(0, 'must not be negative').optional(),
  batch: flag.optional(),
  agents: flag.optional(),
  achievements: flag.optional(),
})

/** The frames of `WS /stream`, in the order a client receives them. */
export const streamFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    seq: z.int(),
    alive: z.array(agent),
    /** How many more agents are alive than are listed; absent if all are. */
    alive_left_out: z.int().optional(),
  }),
  z.object({ type: z.literal('event'), data: unknownStoredEvent }),
  z.object({ type: z.literal('batch'), data: z.array(unknownStoredEvent) }),
  /**
   * With `?agents=1`: the current state of the agents that events up to this seq changed. `gone` lists ids
   * that turned out to belong to other agents and are no longer valid; absent if there are none.
   */
  z.object({
    type: z.literal('agents'),
    seq: z.int(),
    data: z.array(agent),
    gone: z.array(agentIdentity).optional(),
  }),
  /**
   * With `?achievements=1`: the achievements that were just unlocked or reached a new tier, in one view of
   * the sessions.
   */
  z.object({ type: z.literal('unlocked'), view: achievementsView, achievements: z.array(achievementItem) }),
  z.object({ type: z.literal('gap'), from: z.int(), to: z.int() }),
  z.object({ type: z.literal('ping') }),
])
export type StreamFrame = z.infer<typeof streamFrame>

export const agentsQuery = z.strictObject({
  source: z.string().optional(),
  session: z.string().optional(),
  state: list.pipe(z.array(agentState)).optional(),
  limit: wholeNumber.min(1, 'must be at least 1').max(10_000, 'must not be over 10000').default(1_000),
})
export const agentsReply = z.array(agent)

/** A link that signs in a browser, once. */
export const linkReply = z.object({ link: z.string(), expires_at: timestamp })
export type LinkReply = z.infer<typeof linkReply>

export const stopReply = z.object({ stopping: z.boolean() })

/**
 * Without a path, the copy goes into the `backups` folder of the home. With `replace` it may
 * overwrite a file.
 */
export const backupRequest = z.strictObject({
  path: z.string().min(1, 'must name a file').optional(),
  replace: z.boolean('must be true or false').optional(),
})
export const backupReply = z.object({
  path: z.string(),
  bytes: z.int(),
  events: z.int(),
  last_seq: z.int(),
  /** The copy of past sessions, if there is a file of them. */
  history: z.object({ path: z.string(), bytes: z.int() }).optional(),
  /** The folder with the files of sessions, if there are any. */
  originals: z.object({ path: z.string(), sessions: z.int(), bytes: z.int() }).optional(),
})
export type BackupReply = z.infer<typeof backupReply>

export const rebuildRequest = z.strictObject({ check: z.boolean().default(false) })
/**
 * Rows of one projection that are wrong in one way: missing although events imply them, not
 * explained by any event, or different.
 */
export const wrongRows = z.object({
  projection: z.string(),
  how: z.enum(['missing', 'unexplained', 'changed']),
  rows: z.int(),
  /** An example of such a row. */
  example: z.string(),
})
export type WrongRows = z.infer<typeof wrongRows>

/**
 * `differences` counts projection rows that did not match the log; `wrong` lists them. Older
 * servers omit it.
 */
export const rebuildReply = z.object({
  events: z.int(),
  rows: z.int(),
  differences: z.int(),
  wrong: z.array(wrongRows).optional(),
  applied: z.boolean(),
})
export type RebuildReply = z.infer<typeof rebuildReply>

/** Long-running work reports NDJSON: progress lines, then one result or failure. */
export const workLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), done: z.int(), total: z.int() }),
  z.object({ type: z.literal('result'), value: z.unknown() }),
  z.object({ type: z.literal('failure'), code: z.string(), message: z.string() }),
])
export type WorkLine = z.infer<typeof workLine>

/** The query of `GET /api/replay`: exactly one of the two. */
export const replayQuery = z.strictObject({
  at: timestampQuery.optional(),
  seq: wholeNumber.min(0).optional(),
})
export const replayReply = z.object({
  seq: z.int(),
  at: timestamp,
  agents: z.array(agent),
  sessions: z.array(sessionSummary),
})
export type ReplayReply = z.infer<typeof replayReply>

export const timelineQuery = z.strictObject({
  from: timestampQuery,
  to: timestampQuery,
  slices: wholeNumber.min(1).max(1_000).default(160),
  session: z.string().optional(),
})

export const sessionsReply = z.array(sessionSummary)
export const toolsReply = z.array(toolStats)

/** Everything the panel of one agent shows. */
export const agentDetail = z.object({
  agent,
  session: sessionSummary.nullable(),
  /** From `main` down to the agent itself. */
  path: z.array(z.string()),
  children: z.array(agent),
  tools: z.array(
    z.object({
      tool: z.string(),
      calls: z.int(),
      errors: z.int().nullable(),
      p95_ms: z.number().nullable(),
    }),
  ),
  latest: z.array(unknownStoredEvent),
  /** The command that resumes the session in a terminal, if the source has one. */
  resume: z.string().nullable(),
  request: agentRequest.nullable(),
})
export type AgentDetail = z.infer<typeof agentDetail>

/** One file that several agents edited shortly after each other. */
export const fileConflict = z.object({
  file: z.string(),
  agents: z.array(z.object({ source: sourceName, session_id: z.string(), agent_id: z.string() })),
  since: timestamp,
})
export const conflictsReply = z.array(fileConflict)
export type FileConflict = z.infer<typeof fileConflict>
