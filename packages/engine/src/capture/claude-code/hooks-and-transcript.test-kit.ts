import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NewEvent, type StoredEvent, success } from '@panoptes/schema'
import { agentsProjection, MemoryRows, toAgent } from '../../store/projections/index.ts'
import { type Capture, createCapture } from '../capture.ts'
import { createAgentFiles } from './agent-files.ts'
import { createClaudeCodeHooks } from './read.ts'
import { type Payload, type Recording, recording, truth } from './recordings.test-kit.ts'
import { createTranscriptReader } from './transcript.ts'
import { newState } from './transcript-state.ts'

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures/claude-code', import.meta.url))

/** Sessions recorded both by hooks and as a transcript. */
export const SESSIONS = [
  'parallel',
  'files',
  'skill',
  'failure',
  'background',
  'nested',
  'turns',
  'command',
] as const
export type SessionName = (typeof SESSIONS)[number]

interface Recorded {
  readonly session: string
  readonly path: string
  readonly agents: string
  /** The payloads, with their arrival time where it was recorded. */
  readonly hooks: readonly { readonly at: number | undefined; readonly payload: Payload }[]
}

function recorded(name: SessionName): Recorded {
  if (name in truth) {
    const payloads = recording(name as Recording)
    const session = payloads[0]?.session_id ?? ''
    const project = join(FIXTURES, 'transcripts', '-home-dev-notes')
    const hooks = payloads.map((payload) => ({ at: undefined, payload }))
    return {
      session,
      path: join(project, `${session}.jsonl`),
      agents: join(project, session, 'subagents'),
      hooks,
    }
  }
  const folder = join(FIXTURES, 'both', name)
  const hooks = linesOf(join(folder, 'hooks.jsonl')).map(
    (line) => JSON.parse(line) as Recorded['hooks'][number],
  )
  const session = hooks[0]?.payload.session_id ?? ''
  return { session, path: join(folder, 'main.jsonl'), agents: join(folder, 'subagents'), hooks }
}

/** One report of one side at one time. Each side has queues that keep their order. */
export interface Telling {
  readonly queue: string
  readonly ts: number
  readonly tell: (stage: Stage) => readonly NewEvent[]
}

/** Simulates a process that receives hooks and reads transcripts. */
export interface Stage {
  readonly capture: Capture
  readonly hooks: ReturnType<typeof createClaudeCodeHooks>
  readonly readers: Map<string, ReturnType<typeof createTranscriptReader>>
}

const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean)
const timeIn = (line: string): number =>
  Date.parse((JSON.parse(line) as { timestamp?: string }).timestamp ?? '')

interface File {
  readonly path: string
  readonly agent: string | undefined
  readonly type: string | undefined
  /** The id of the call that created the agent. */
  readonly call: string | undefined
}

function filesOf(name: SessionName): readonly File[] {
  const { path, agents } = recorded(name)
  const names = namesIn(agents).filter((file) => file.endsWith('.jsonl'))
  const own = names.map((file) => {
    const meta = JSON.parse(readFileSync(join(agents, file.replace(/\.jsonl$/, '.meta.json')), 'utf8'))
    const agent = file.slice('agent-'.length, -'.jsonl'.length)
    return { path: join(agents, file), agent, type: meta.agentType, call: meta.toolUseId }
  })
  return [{ path, agent: undefined, type: undefined, call: undefined }, ...own]
}

/**
 * Returns the recorded transcript line by line. After an agent's first line follows what its sidecar says
 * about its parent.
 */
export function written(name: SessionName): readonly Telling[] {
  const { session, path } = recorded(name)
  const files = filesOf(name)
  return files.flatMap((file) => {
    const queue = `written by ${file.agent ?? 'main'}`
    const of = { session, agent: file.agent, agentType: file.type, path, whole: true }
    let ts = 0
    const lines = linesOf(file.path).map((line) => {
      ts = Number.isNaN(timeIn(line)) ? ts : timeIn(line)
      const tell = ({ capture, readers }: Stage) => {
        const known = readers.get(file.path)
        const reader = known ?? createTranscriptReader(of, newState(), createAgentFiles('claude-code'), 0)
        readers.set(file.path, reader)
        return capture.written(reader.read(line))
      }
      return { queue, ts, tell }
    })
    const [first, ...others] = lines
    if (first === undefined || file.agent === undefined) return lines
    const link = linkOf(session, file, files, first.ts)
    return [first, { queue, ts: first.ts, tell: ({ capture }: Stage) => capture.written([link]) }, ...others]
  })
}

/** Calls with invalid arguments: the client writes them to the transcript as failed and reports no hook. */
export function unheard(name: SessionName): Readonly<Record<string, readonly string[]>> {
  const heard = new Set(recorded(name).hooks.map(({ payload }) => payload.tool_use_id))
  const found: Record<string, string[]> = {}
  for (const { path, agent = 'main' } of filesOf(name)) {
    const calls = linesOf(path).flatMap((line) => {
      const { content } = (JSON.parse(line) as { message?: { content?: unknown } }).message ?? {}
      const blocks = Array.isArray(content) ? (content as { type: string; id: string; name: string }[]) : []
      return blocks.filter(({ type, id }) => type === 'tool_use' && !heard.has(id))
    })
    if (calls.length > 0) found[agent] = [...new Map(calls.map((call) => [call.id, call.name])).values()]
  }
  return found
}

const linkOf = (session: string, { agent, call }: File, files: readonly File[], ts: number) => ({
  event: 'agent_link',
  source: 'claude-code',
  session_id: session,
  key: `claude-code:${session}:${agent}:agent_link:sidecar`,
  ts,
  id: agent,
  tool_use_id: call,
  parent_id: files.find(({ path }) => readFileSync(path, 'utf8').includes(`"id":"${call}"`))?.agent ?? 'main',
})

/**
 * Returns the same session as its hooks reported it, shortly after each event; `ends` is false to leave out
 * the session end.
 */
export function fromHooks(name: SessionName, ends = true): readonly Telling[] {
  const { hooks } = recorded(name)
  const times = timesIn(name)
  let clock = Math.min(...written(name).map(({ ts }) => ts))
  return hooks.flatMap(({ at, payload }) => {
    if (!ends && payload.hook_event_name === 'SessionEnd') return []
    const ended = payload.hook_event_name === 'SubagentStop' ? times.get(payload.agent_id ?? '') : undefined
    clock = Math.max(clock, ended ?? times.get(payload.tool_use_id ?? '') ?? clock)
    const ts = at ?? clock + LATE_MS
    const tell = ({ capture, hooks: reader }: Stage) => capture.hook(reader, JSON.stringify(payload), ts)
    return [{ queue: `hooks of ${payload.agent_id ?? 'main'}`, ts, tell }]
  })
}

const LATE_MS = 400

/** Returns the last transcript time of each call and each agent. */
function timesIn(name: SessionName): ReadonlyMap<string, number> {
  const { path, agents } = recorded(name)
  const times = new Map<string, number>()
  const files = namesIn(agents).filter((file) => file.endsWith('.jsonl'))
  for (const file of [path, ...files.map((each) => join(agents, each))]) {
    for (const line of linesOf(file)) {
      const ts = timeIn(line)
      if (Number.isNaN(ts)) continue
      for (const [id] of line.matchAll(/toolu_\w+/g)) times.set(id, ts)
      times.set(basename(file).replace(/^agent-|\.jsonl$/g, ''), ts)
    }
  }
  return times
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export interface Outcome {
  readonly agents: Readonly<Record<string, unknown>>
  readonly events: readonly NewEvent[]
}

/**
 * Stores the reports in this order, each key once. `restarts` are the positions at which the process starts
 * anew.
 */
export function store(tellings: readonly Telling[], restarts: ReadonlySet<number> = new Set()): Outcome {
  const rows = new MemoryRows(agentsProjection)
  const events: NewEvent[] = []
  const known = new Set<string>()
  let stage = newStage([])
  tellings.forEach(({ tell }, at) => {
    if (restarts.has(at)) stage = { ...newStage(events), readers: stage.readers }
    for (const event of tell(stage)) {
      if (known.has(event.key)) continue
      known.add(event.key)
      events.push(event)
      agentsProjection.apply(rows, { ...event, seq: events.length } as StoredEvent)
    }
  })
  const shown = rows.entries().flatMap(([, row]) => toAgent(row) ?? [])
  const agents = Object.fromEntries(
    shown.map((agent) => [
      agent.id,
      {
        parent: agent.parent_id,
        type: agent.subagent_type,
        state: agent.state,
        outcome: agent.outcome,
        tools: { ...agent.tool_counts },
        errors: agent.errors,
        background: agent.background,
      },
    ]),
  )
  return { agents, events }
}

const newStage = (events: readonly NewEvent[]): Stage => ({
  capture: createCapture({
    host: 'here',
    findAgents: async () => success(new Map()),
    known: events.map((event, at) => ({ ...event, seq: at + 1 }) as StoredEvent).toReversed(),
  }),
  hooks: createClaudeCodeHooks(),
  readers: new Map(),
})
