import type {
  Agent,
  AgentDetail,
  AgentIdentity,
  AgentRequest,
  EventsPage,
  FileConflict,
  ReplayReply,
  SessionSummary,
  StoredEvent,
  Timeline,
  TimelineMark,
  ToolStats,
} from '@panoptes/schema'
import { countFailedCalls, isAlive } from '@panoptes/schema/reading'
import { page } from 'vitest/browser'
import type { FakeRequest, FakeServer } from '../testing/fake-server.ts'
import { status, storage } from '../testing/replies.ts'
import { agent, main, session } from './agents.test-kit.ts'
import type { Stage } from './draw/stage.ts'

/** The data of a short session as a server would have recorded it. */
export interface Day {
  /** The start of the session, a minute ago. */
  readonly start: number
  readonly session: SessionSummary
  readonly events: readonly StoredEvent[]
  readonly marks: readonly TimelineMark[]
  readonly agentsAt: (ts: number) => readonly Agent[]
}

/**
 * A session in which `writer` waits for a permission, its child `reader` works, and `fixer` has just failed.
 */
export function makeDay(): Day {
  // Clocks show whole seconds, and tests tell moments apart by them.
  const start = Math.floor(Date.now() / 1_000) * 1_000 - 60_000
  const at = (after: number) => start + after
  const event = (seq: number, after: number, kind: string, agentId: string, fields: object = {}) => ({
    v: 1 as const,
    key: `k${seq}`,
    seq,
    ts: at(after),
    event: kind,
    source: 'claude-code',
    host: 'workstation',
    session_id: 's1',
    agent_id: agentId,
    ...fields,
  })
  const mark = (seq: number, after: number, kind: TimelineMark['kind'], agent_id: string): TimelineMark => ({
    seq,
    ts: at(after),
    kind,
    source: 'claude-code',
    session_id: 's1',
    agent_id,
  })
  const child = (id: string, type: string, after: number, change: Partial<Agent>): Agent =>
    agent({
      id,
      subagent_type: type,
      model: 'claude-haiku-4',
      prompt_preview: `Do the work of ${type}`,
      started_at: at(after),
      last_at: at(after),
      ...change,
    })
  return {
    start,
    session: session({ started_at: start, last_at: at(59_000), events: 9 }),
    events: [
      event(1, 0, 'session_start', 'main', { project: 'atlas-api', title: 'Split billing' }),
      event(2, 1, 'prompt', 'main', { prompt_preview: 'Split billing out' }),
      event(3, 1_000, 'agent_spawn', 'w', { id: 'w', parent_id: 'main', subagent_type: 'writer' }),
      event(4, 2_000, 'agent_spawn', 'r', { id: 'r', parent_id: 'w', subagent_type: 'reader' }),
      event(5, 3_000, 'tool_use', 'r', { id: 't1', tool: 'Read', input_preview: 'a.ts' }),
      event(6, 3_500, 'tool_done', 'r', { id: 't1', tool: 'Read', ok: false, duration_ms: 500 }),
      event(7, 4_000, 'agent_spawn', 'f', { id: 'f', parent_id: 'main', subagent_type: 'fixer' }),
      event(8, 20_000, 'agent_wait', 'w', { reason: 'allow Bash?' }),
      event(9, 59_000, 'agent_done', 'f', { id: 'f', outcome: 'fail', error: 'exit 2' }),
    ],
    marks: [
      mark(3, 1_000, 'spawn', 'w'),
      mark(4, 2_000, 'spawn', 'r'),
      mark(7, 4_000, 'spawn', 'f'),
      mark(8, 20_000, 'wait', 'w'),
      mark(9, 59_000, 'failure', 'f'),
    ],
    agentsAt: (ts) => {
      const after = ts - start
      const waits: Partial<Agent> =
        after < 20_000
          ? {}
          : { state: 'waiting', wait_reason: 'allow Bash?', wait_since: at(20_000), last_at: at(20_000) }
      const reads: Partial<Agent> = after < 3_000 ? {} : { tool_counts: { Read: 1 }, last_at: at(3_000) }
      const failedRead: Partial<Agent> =
        after < 3_500 ? {} : { errors: 1, tool_errors: { Read: 1 }, last_at: at(3_500) }
      const failed: Partial<Agent> =
        after < 59_000 ? {} : { state: 'failed', outcome: 'fail', ended_at: at(59_000), last_at: at(59_000) }
      const all = [
        main({
          model: 'claude-opus-5',
          prompt_preview: 'Split billing out',
          started_at: start,
          last_at: at(1),
        }),
        child('w', 'writer', 1_000, waits),
        child('r', 'reader', 2_000, { parent_id: 'w', ...reads, ...failedRead }),
        child('f', 'fixer', 4_000, failed),
      ]
      return all.filter((one) => one.started_at <= ts)
    },
  }
}

/** A server with a day of agents. Requests and the stream report the same agents. */
export class LiveServer {
  readonly day: Day
  readonly #server: FakeServer
  readonly #agents = new Map<string, Agent>()
  #seq = 9
  sessions: readonly SessionSummary[]
  conflicts: readonly FileConflict[] = []
  /** The pending requests of waiting agents. */
  requests: readonly AgentRequest[] = []
  /** The resume command of each session. */
  resume: Readonly<Record<string, string>> = { s1: 'claude --resume s1' }

  /** Whether the sessions have transcripts. */
  transcripts = false

  constructor(server: FakeServer, day = makeDay()) {
    this.#server = server
    this.day = day
    this.sessions = [day.session]
    for (const one of day.agentsAt(Date.now())) this.#agents.set(keyOf(one), one)
    this.#listen()
    server
      .on('GET /api/agents', () => this.agents())
      .on('GET /api/agents/:session/:id', (request) => this.#detail(request))
      .on('GET /api/sessions', () => this.sessions)
      .on('GET /api/conflicts', () => this.conflicts)
      .on('GET /api/tools', () => this.#tools())
      .on('GET /api/status', () => this.#status())
      .on('GET /api/timeline', ({ query }) => this.#timeline(query))
      .on('GET /api/replay', ({ query }) => this.#replay(Number(query.get('at'))))
      .on('GET /api/events', ({ query }) => this.#events(query))
  }

  agents(): Agent[] {
    return [...this.#agents.values()]
  }

  agent(id: string): Agent {
    const found = this.agents().find((one) => one.id === id)
    if (!found) throw new Error(`there is no agent ${id}`)
    return found
  }

  /** Adds or replaces agents before the page opens. */
  add(...agents: readonly Agent[]): this {
    for (const one of agents) this.#agents.set(keyOf(one), one)
    this.#listen()
    return this
  }

  /** Sends changed agents to the open page over the stream. */
  tell(agents: readonly Agent[], gone: readonly AgentIdentity[] = []): void {
    this.#seq += 1
    for (const one of gone) this.#agents.delete(keyOf(one))
    this.add(...agents)
    this.#server.stream.send({
      type: 'agents',
      seq: this.#seq,
      data: [...agents],
      ...(gone.length > 0 && { gone: [...gone] }),
    })
  }

  /** Sends a tool call of an agent to the open page. */
  call(id: string, tool: string): void {
    const before = this.agent(id)
    this.#seq += 1
    const stored: StoredEvent = {
      v: 1,
      key: `k${this.#seq}`,
      seq: this.#seq,
      ts: Date.now(),
      event: 'tool_use',
      host: 'workstation',
      source: before.source,
      session_id: before.session_id,
      agent_id: id,
      id: `t${this.#seq}`,
      tool,
    }
    this.#server.stream.send({ type: 'batch', data: [stored] })
    const counts = { ...before.tool_counts, [tool]: (before.tool_counts[tool] ?? 0) + 1 }
    const doing = { tool, preview: null, since: stored.ts }
    this.tell([{ ...before, tool_counts: counts, last_at: stored.ts, doing }])
  }

  #listen(): void {
    const alive = this.agents().filter((one) => isAlive(one.state))
    this.#server.stream.snapshot = { type: 'snapshot', seq: this.#seq, alive }
  }

  #status() {
    const all = this.agents()
    const counted = { events: this.#seq, last_seq: this.#seq, last_ts: this.day.session.last_at }
    return status({
      storage: storage({ ...counted, first_ts: this.day.start }),
      alive: all.filter((one) => isAlive(one.state)).length,
    })
  }

  #detail({ path, query }: FakeRequest): AgentDetail | Response {
    const [, , , sessionId = '', id = ''] = path.split('/').map(decodeURIComponent)
    const source = query.get('source')
    const own = this.agents().filter((one) => one.session_id === sessionId && one.source === source)
    const found = own.find((one) => one.id === id)
    const detail = `The session ${sessionId} has no agent ${id}.`
    if (!found) return Response.json({ detail }, { status: 404 })
    const way: string[] = []
    for (let at: Agent | undefined = found; at; at = own.find((one) => one.id === at?.parent_id))
      way.unshift(at.id)
    return {
      agent: found,
      session: this.sessions.find((one) => one.session_id === sessionId && one.source === source) ?? null,
      path: way,
      children: own.filter((one) => one.parent_id === id),
      tools: Object.entries(found.tool_counts).map(([tool, calls]) => ({
        tool,
        calls,
        errors: countFailedCalls(found, tool),
        p95_ms: this.#tools().find((one) => one.tool === tool)?.p95_ms ?? null,
      })),
      latest: this.day.events
        .filter((one) => one.session_id === sessionId && one.agent_id === id)
        .map((one) => (this.transcripts ? { ...one, via: 'transcript' } : one)),
      resume: this.resume[sessionId] ?? null,
      request: this.requests.find((one) => one.session_id === sessionId && one.agent_id === id) ?? null,
    }
  }

  #tools(): ToolStats[] {
    return [
      { source: 'claude-code', tool: 'Read', calls: 1, errors: 1, samples: 1, p50_ms: 500, p95_ms: 500 },
    ]
  }

  #timeline(query: URLSearchParams): Timeline {
    const [from, to] = [Number(query.get('from')), Number(query.get('to'))]
    const length = (to - from) / 160
    const within = ({ ts }: { readonly ts: number }) => ts >= from && ts < to
    const slices = Array.from({ length: 160 }, (_, i) => {
      const ts = Math.round(from + i * length)
      const own = this.day.events.filter((one) => one.ts >= ts && one.ts < ts + length)
      const alive = this.day.agentsAt(ts + length).filter((one) => isAlive(one.state)).length
      return { ts, events: own.length, errors: own.filter((one) => one.ok === false).length, alive }
    })
    return { from, to, slices, marks: this.day.marks.filter(within), marks_left_out: 0 }
  }

  #replay(at: number): ReplayReply {
    const seq = this.day.events.filter((one) => one.ts <= at).length
    const sessions = this.sessions.filter((one) => one.started_at <= at)
    return { seq, at, agents: [...this.day.agentsAt(at)], sessions }
  }

  #events(query: URLSearchParams): EventsPage {
    const [since, until] = [Number(query.get('since') ?? 0), Number(query.get('until') ?? Infinity)]
    const agentId = query.get('agent')
    const found = this.day.events.filter(
      (one) => one.ts >= since && one.ts < until && (agentId === null || one.agent_id === agentId),
    )
    const ordered = query.has('before') ? found.toReversed() : found
    const events = ordered.slice(0, Number(query.get('limit') ?? 100))
    return { events, next: null, first: 1, last: this.#seq }
  }
}

const keyOf = (one: AgentIdentity): string => `${one.source} ${one.session_id} ${one.id}`

export const WIDE = [1440, 900] as const
export const PHONE = [390, 844] as const

/** The address of an agent of the day. */
export const agentPath = (id: string, rest = ''): string => `/?agent=claude-code~s1~${id}${rest}`

export const graph = page.getByRole('img', { name: /^Graph of/ })
export const table = page.getByRole('treegrid', { name: 'Agents, by session' })
export const panel = page.getByRole('complementary')
export const panelName = panel.getByRole('heading', { level: 2 })
export const needs = page.getByRole('region', { name: /^Needs you/ })
export const replayBadge = page.getByText(/^Replay at /)
export const slider = page.getByRole('slider', { name: 'Time' })

/** The text of each row of the table, from top to bottom. */
export const rows = (): string[] =>
  [...document.querySelectorAll('[role=treegrid] tbody tr')].map((row) => row.textContent)

/** The number of agents that the graph reports. */
export const shownAgents = (): number => Number(graph.element().getAttribute('data-agents'))

/** Counts the points of the graph with exactly this color and returns the position of the first one. */
export function pointsOf(color: string): { readonly count: number; readonly x: number; readonly y: number } {
  const canvas = graph.element() as HTMLCanvasElement
  const { width, height } = canvas
  const data = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? []
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  let count = 0
  let first = 0
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] !== red || data[i + 1] !== green || data[i + 2] !== blue || data[i + 3] !== 255) continue
    if (count === 0) first = i / 4
    count += 1
  }
  const ratio = width / canvas.clientWidth
  return { count, x: (first % width) / ratio, y: Math.floor(first / width) / ratio }
}

/** The stage that draws the graph. */
export function stage(): Stage {
  const found: unknown = Reflect.get(graph.element(), 'panoptesStage')
  return found as Stage
}
