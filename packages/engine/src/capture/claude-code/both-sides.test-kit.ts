import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NewEvent, type StoredEvent, success } from '@panoptes/schema'
import { agentsProjection, MemoryRows, shownAgent } from '../../ledger/projections/index.ts'
import { type Capture, createCapture } from '../capture.ts'
import { createAgentFiles } from './agent-files.ts'
import { createClaudeCodeHooks } from './read.ts'
import { type Payload, type Recording, recording } from './recordings.test-kit.ts'
import { createTranscriptReader } from './transcript.ts'
import { newState } from './transcript-state.ts'

const PROJECT = fileURLToPath(
  new URL('../../../../../fixtures/claude-code/transcripts/-home-dev-notes', import.meta.url),
)

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

/** The transcript of a recording, a line each. */
export function written(name: Recording): readonly Telling[] {
  const session = recording(name)[0]?.session_id ?? ''
  const path = join(PROJECT, `${session}.jsonl`)
  const folder = join(PROJECT, session, 'subagents')
  const agents = namesIn(folder).filter((file) => file.endsWith('.jsonl'))
  const files = [
    { path, agent: undefined, type: undefined },
    ...agents.map((file) => {
      const meta = JSON.parse(readFileSync(join(folder, file.replace(/\.jsonl$/, '.meta.json')), 'utf8'))
      return {
        path: join(folder, file),
        agent: file.slice('agent-'.length, -'.jsonl'.length),
        type: meta.agentType,
      }
    }),
  ]
  return files.flatMap((file) => {
    let last = 0
    return linesOf(file.path).map((line) => {
      last = Number.isNaN(timeIn(line)) ? last : timeIn(line)
      const of = { session, agent: file.agent, agentType: file.type, path, whole: true }
      const tell = ({ capture, readers }: Stage) => {
        const known = readers.get(file.path)
        const reader = known ?? createTranscriptReader(of, newState(), createAgentFiles('claude-code'), 0)
        readers.set(file.path, reader)
        return capture.written(reader.read(line))
      }
      return { queue: `written by ${file.agent ?? 'main'}`, ts: last, tell }
    })
  })
}

/** The same session as its hooks told it, a little after each thing happened. */
export function told(name: Recording, lateMs = 400): readonly Telling[] {
  const rows = written(name)
  const times = new Map<string, number>()
  for (const { path, line } of rawLines(name)) {
    const ts = timeIn(line)
    if (Number.isNaN(ts)) continue
    for (const [id] of line.matchAll(/toolu_\w+/g)) times.set(id, ts)
    times.set(path, ts)
  }
  let clock = Math.min(...rows.map(({ ts }) => ts).filter((ts) => ts > 0))
  return recording(name).map((payload: Payload) => {
    const ended = payload.hook_event_name === 'SubagentStop' ? times.get(payload.agent_id ?? '') : undefined
    clock = Math.max(clock, ended ?? times.get(payload.tool_use_id ?? '') ?? clock)
    const ts = clock + lateMs
    return {
      queue: `hooks of ${payload.agent_id ?? 'main'}`,
      ts,
      tell: ({ capture, hooks }) => capture.hook(hooks, JSON.stringify(payload), ts),
    }
  })
}

function rawLines(name: Recording): readonly { readonly path: string; readonly line: string }[] {
  const session = recording(name)[0]?.session_id ?? ''
  const folder = join(PROJECT, session, 'subagents')
  const main = linesOf(join(PROJECT, `${session}.jsonl`)).map((line) => ({ path: 'main', line }))
  const agents = namesIn(folder).filter((file) => file.endsWith('.jsonl'))
  return [
    ...main,
    ...agents.flatMap((file) =>
      linesOf(join(folder, file)).map((line) => ({
        path: file.slice('agent-'.length, -'.jsonl'.length),
        line,
      })),
    ),
  ]
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
