import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NewEvent, type StoredEvent, success } from '@panoptes/schema'
import { agentsProjection, MemoryRows, shownAgent } from '../../ledger/projections/index.ts'
import { type Capture, createCapture } from '../capture.ts'
import { createAgentFiles } from './agent-files.ts'
import { createClaudeCodeHooks } from './read.ts'
import { type Payload, type Recording, recording, truth } from './recordings.test-kit.ts'
import { createTranscriptReader } from './transcript.ts'
import { newState } from './transcript-state.ts'

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures/claude-code', import.meta.url))

/** A session of which there is both what its hooks told and what it wrote down. */
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
  /** With the moment each arrived, where that was noted. */
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

/** What one side tells at one moment; each side has queues whose order is kept. */
export interface Telling {
  readonly queue: string
  readonly ts: number
  readonly tell: (stage: Stage) => readonly NewEvent[]
}

/** A process that hears hooks and reads transcripts. */
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
  /** The call that made the agent. */
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

/** The transcript of a recording, a line each; after the first of an agent's own, what its note says of its maker. */
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

/** The same session as its hooks told it, a little after each thing happened; where they were left out from the end on, without that. */
export function told(name: SessionName, ends = true): readonly Telling[] {
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

/** When each call, and each agent, was last written of. */
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

/** Stores what is told in this order, each key once; `restarts` are the moments at which the process begins anew. */
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
  const shown = rows.entries().flatMap(([, row]) => shownAgent(row) ?? [])
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
