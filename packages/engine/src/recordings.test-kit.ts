import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Account, type Agent, type NewEvent, type StoredEvent, success } from '@panoptes/schema'
import { type Capture, createCapture } from './capture/capture.ts'
import { createAgentFiles } from './capture/claude-code/agent-files.ts'
import { createClaudeCodeHooks } from './capture/claude-code/read.ts'
import { createTranscriptReader } from './capture/claude-code/transcript.ts'
import { newState } from './capture/claude-code/transcript-state.ts'
import { createPrices } from './models/index.ts'
import { judgeFinished } from './outcomes/follow/finished.ts'
import { accountOfEvents, type Making } from './outcomes/make/index.ts'
import { accountOfSession } from './outcomes/make/make.test-kit.ts'
import { copiedRows, Originals, openSources, type SessionRecord } from './sources/index.ts'
import { COUNTERS_KEY, countersProjection } from './store/projections/counters.ts'
import { agentsProjection, MemoryRows, toAgent } from './store/projections/index.ts'
import { toolsProjection } from './store/projections/tools.ts'

/**
 * A recording is a folder with the payloads that a client's hooks sent (`hooks.jsonl`), the transcripts that
 * it wrote (`transcripts`) and what its scripted model did (`truth.json`). This kit reads all three for any
 * recording.
 */
const RECORDINGS = fileURLToPath(new URL('../../../fixtures/recordings', import.meta.url))
export const recordings = (): readonly string[] => readdirSync(RECORDINGS).sort()

const SOURCE = 'claude-code'
const PROJECT = '-home-dev-proj'
const MAKING: Making = {
  source: SOURCE,
  prices: createPrices(),
  dayOf: (ts) => new Date(ts).toISOString().slice(0, 10),
  isSkill: () => false,
}

/** Sums up what one agent did, according to one of the sides. */
export interface Deeds {
  readonly calls: Readonly<Record<string, number>>
  readonly tokens: {
    readonly input: number
    readonly output: number
    readonly cache_read: number
    readonly cache_write: number
  }
  readonly micro_usd: number
}
type ByAgent<T> = Readonly<Record<string, T>>
export type BySession<T> = Readonly<Record<string, ByAgent<T>>>

interface Truth {
  readonly sessions: readonly string[]
  readonly replies_by_agent: readonly Replies[]
}

interface Replies {
  readonly session: string
  readonly mark: string
  readonly client_agent_ids: readonly string[]
  readonly tokens: {
    readonly input: number
    readonly output: number
    readonly cache_read: number
    readonly cache_write_5m: number
    readonly cache_write_1h: number
  }
  readonly calls: Readonly<Record<string, number>>
  readonly micro_usd: number
}

/**
 * Returns what the model gave each agent. An entry without an agent of the client belongs to the session's
 * own agent.
 */
export function truthOf(name: string): BySession<Deeds> {
  const truth = JSON.parse(readFileSync(join(RECORDINGS, name, 'truth.json'), 'utf8')) as Truth
  const sessions: Record<string, Record<string, Deeds>> = {}
  for (const { session, client_agent_ids: ids, calls, tokens, micro_usd } of truth.replies_by_agent) {
    const agents = sessions[session] ?? {}
    sessions[session] = agents
    const id = ids[0] ?? 'main'
    const cache_write = tokens.cache_write_5m + tokens.cache_write_1h
    const { input, output, cache_read } = tokens
    agents[id] = added(agents[id] ?? NOTHING, {
      calls,
      tokens: { input, output, cache_read, cache_write },
      micro_usd,
    })
  }
  return sessions
}

const NOTHING: Deeds = {
  calls: {},
  tokens: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
  micro_usd: 0,
}

const added = (one: Deeds, other: Deeds): Deeds => ({
  calls: sum(one.calls, other.calls),
  tokens: sum(one.tokens, other.tokens),
  micro_usd: one.micro_usd + other.micro_usd,
})

function sum<T extends Readonly<Record<string, number>>>(one: T, other: T): T {
  const total: Record<string, number> = { ...one }
  for (const [name, count] of Object.entries(other)) total[name] = (total[name] ?? 0) + count
  return total as T
}

/** One report of one side at one time. Shuffling keeps the order within a queue. */
export interface Telling {
  readonly queue: string
  readonly ts: number
  readonly tell: (stage: Stage) => readonly NewEvent[]
}

/** Simulates a process that receives hooks and reads transcripts. */
interface Stage {
  readonly capture: Capture
  readonly hooks: ReturnType<typeof createClaudeCodeHooks>
  readonly readers: Map<string, ReturnType<typeof createTranscriptReader>>
}

/** Holds one recording, with its transcripts in the folders where a client puts them. */
export interface Recording {
  readonly hooks: readonly Telling[]
  readonly transcripts: readonly Telling[]
  /** The sessions as their source reads them. */
  readonly sessions: BySession<Told>
  readonly parents: Readonly<Record<string, string | null>>
  readonly accounts: readonly Account[]
}

/** Describes one agent as one module shows it. */
export type Told = Omit<Deeds, 'micro_usd'> & {
  readonly parent: string | null
  readonly errors: number
  readonly outcome: string | null
  readonly micro_usd?: number | null
  readonly state?: string
}

export async function openRecording(name: string): Promise<Recording> {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-recording-'))
  try {
    const folder = join(home, 'projects', PROJECT)
    cpSync(join(RECORDINGS, name, 'transcripts'), folder, { recursive: true })
    const records = await readSessions(home)
    return {
      hooks: hooksOf(name),
      transcripts: await transcriptsOf(folder),
      sessions: Object.fromEntries(records.map(({ id, told }) => [id, deedsOf(told)])),
      parents: Object.fromEntries(records.map(({ id, told }) => [id, parentIn(told)])),
      accounts: records.map(({ account }) => account),
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function hooksOf(name: string): readonly Telling[] {
  return linesOf(join(RECORDINGS, name, 'hooks.jsonl')).map((line) => {
    const { at, payload } = JSON.parse(line) as { at: number; payload: string | object }
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const { session_id: session, agent_id: agent } = JSON.parse(text) as Record<string, string>
    const tell = ({ capture, hooks }: Stage) => capture.hook(hooks, text, at)
    return { queue: `hooks of ${session}/${agent ?? 'main'}`, ts: at, tell }
  })
}

async function transcriptsOf(folder: string): Promise<readonly Telling[]> {
  const originals = new Originals()
  const tellings: Telling[] = []
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.jsonl'))) {
    const session = basename(file, '.jsonl')
    const path = join(folder, file)
    const copied = new Set(await copiedRows(originals, { session, path }))
    const own = { session, path, agent: undefined, agentType: undefined, whole: true }
    tellings.push(...writtenIn(path, { ...own, isCopied: (key) => copied.has(key) }))
    const agents = join(folder, session, 'subagents')
    for (const each of existsSync(agents) ? readdirSync(agents) : []) {
      if (!each.endsWith('.jsonl')) continue
      const agent = each.slice('agent-'.length, -'.jsonl'.length)
      const meta = JSON.parse(readFileSync(join(agents, each.replace(/jsonl$/, 'meta.json')), 'utf8'))
      const lines = writtenIn(join(agents, each), { ...own, agent, agentType: meta.agentType })
      tellings.push(...lines.slice(0, 1), linkTo(session, agent, meta, lines[0]), ...lines.slice(1))
    }
  }
  return tellings
}

type Of = Parameters<typeof createTranscriptReader>[0]

function writtenIn(file: string, of: Of): readonly Telling[] {
  let ts = 0
  return linesOf(file).map((line) => {
    const time = Date.parse((JSON.parse(line) as { timestamp?: string }).timestamp ?? '')
    ts = Number.isNaN(time) ? ts : time
    const tell = ({ capture, readers }: Stage) => {
      const known = readers.get(file)
      const reader = known ?? createTranscriptReader(of, newState(), createAgentFiles(SOURCE), 0)
      readers.set(file, reader)
      return capture.written(reader.read(line))
    }
    return { queue: `written by ${of.session}/${of.agent ?? 'main'}`, ts, tell }
  })
}

/** Builds the link to an agent's parent from the sidecar beside the agent's transcript. */
function linkTo(
  session: string,
  agent: string,
  meta: { readonly toolUseId?: string; readonly parentAgentId?: string },
  first: Telling | undefined,
): Telling {
  const link = {
    event: 'agent_link',
    source: SOURCE,
    session_id: session,
    key: `${SOURCE}:${session}:${agent}:agent_link:sidecar`,
    ts: first?.ts ?? 0,
    id: agent,
    parent_id: meta.parentAgentId ?? 'main',
    ...(meta.toolUseId === undefined ? {} : { tool_use_id: meta.toolUseId }),
  }
  const queue = first?.queue ?? ''
  return { queue, ts: link.ts, tell: ({ capture }) => capture.written([link]) }
}

interface Read {
  readonly id: string
  readonly told: readonly SessionRecord[]
  readonly account: Account
}

async function readSessions(home: string): Promise<readonly Read[]> {
  const source = openSources({ HOME: home, CLAUDE_CONFIG_DIR: home }).find(({ name }) => name === SOURCE)
  if (source === undefined) throw new Error(`there is no source ${SOURCE}`)
  const read: Read[] = []
  for await (const listed of source.list()) {
    if (listed.kind === 'failed') throw new Error(listed.failure.message)
    const told: SessionRecord[] = []
    for await (const record of source.read(listed)) told.push(record)
    const records = (async function* () {
      yield* told
    })()
    read.push({ id: listed.id, told, account: await accountOfSession(listed, records, MAKING) })
  }
  return read
}

const parentIn = (told: readonly SessionRecord[]): string | null =>
  told.flatMap((record) => (record.kind === 'session' ? [record.session.parent_id] : []))[0] ?? null

/** Counts the calls, failures and tokens of each agent, message by message. */
function deedsOf(told: readonly SessionRecord[]): ByAgent<Told> {
  const agents: Record<string, Told> = {}
  for (const record of told) {
    if (record.kind === 'agent') {
      const { id, parent_id: parent, outcome = null } = record.agent
      agents[id] = { ...(agents[id] ?? { ...NOTHING, errors: 0 }), parent, outcome }
    } else if (record.kind === 'message') {
      const { agent_id: id, content, usage } = record.message
      const agent = agents[id] ?? { ...NOTHING, errors: 0, parent: null, outcome: null }
      const { input, output, cache_read, cache_write } = usage ?? {}
      const took = { input: input ?? 0, output: output ?? 0 }
      const cached = { cache_read: cache_read ?? 0, cache_write: cache_write ?? 0 }
      let calls = agent.calls
      let { errors } = agent
      for (const block of content) {
        if (block.type === 'tool_call') calls = sum(calls, { [block.tool]: 1 })
        if (block.type === 'tool_result' && block.ok === false) errors += 1
      }
      agents[id] = { ...agent, calls, errors, tokens: sum(agent.tokens, { ...took, ...cached }) }
    }
  }
  return agents
}

/** Holds what every module shows after the events arrived in one order, with each key stored once. */
export interface Played {
  readonly live: BySession<Told>
  readonly states: BySession<string>
  /** The accounts of the Ledger, computed from the log alone. */
  readonly log: BySession<Told>
  /** Counts calls and failures by tool, over all sessions. */
  readonly tools: Readonly<Record<string, { readonly calls: number; readonly errors: number }>>
  readonly counters: { readonly calls: number; readonly errors: number }
  readonly agents: readonly Agent[]
}

/**
 * Plays the reports in this order. `step` is called after each report with the state of every agent at that
 * time.
 */
export function play(
  tellings: readonly Telling[],
  step?: (states: BySession<string>, told: number) => void,
): Played {
  const agents = new MemoryRows(agentsProjection)
  const tools = new MemoryRows(toolsProjection)
  const counters = new MemoryRows(countersProjection)
  const events: StoredEvent[] = []
  const known = new Set<string>()
  const store = (told: readonly NewEvent[]) => {
    for (const each of told) {
      if (known.has(each.key)) continue
      known.add(each.key)
      const event = { ...each, seq: events.length + 1 } as StoredEvent
      events.push(event)
      agentsProjection.apply(agents, event)
      toolsProjection.apply(tools, event)
      countersProjection.apply(counters, event)
    }
  }
  const stage: Stage = {
    capture: createCapture({
      host: 'here',
      findAgents: async () => success(new Map()),
      prices: MAKING.prices,
    }),
    hooks: createClaudeCodeHooks({ looks: false }),
    readers: new Map(),
  }
  const shownNow = () => agents.entries().flatMap(([, row]) => toAgent(row) ?? [])
  tellings.forEach(({ tell }, at) => {
    store(tell(stage))
    step?.(
      bySession(shownNow(), ({ state }) => state),
      at + 1,
    )
  })
  const shown = shownNow()
  const counted = counters.get(COUNTERS_KEY)
  return {
    live: bySession(shown, (agent) => ({
      parent: agent.parent_id,
      calls: { ...agent.tool_counts },
      errors: agent.errors,
      tokens: {
        input: agent.usage?.input ?? 0,
        output: agent.usage?.output ?? 0,
        cache_read: agent.usage?.cache_read ?? 0,
        cache_write: agent.usage?.cache_write ?? 0,
      },
      micro_usd: agent.usage?.cost_micro_usd ?? null,
      outcome: agent.outcome,
    })),
    states: bySession(shown, ({ state }) => state),
    log: Object.fromEntries(
      Object.entries(Object.groupBy(events, ({ session_id }) => session_id)).map(([session_id, own = []]) => {
        const of = { source: SOURCE, session_id, events: own, fingerprint: 'f' }
        return [session_id, accounted(accountOfEvents({ ...of, making: MAKING }))]
      }),
    ),
    tools: Object.fromEntries(
      tools.entries().map(([, { tool, calls, errors }]) => [tool, { calls, errors }]),
    ),
    counters: { calls: counted?.tool_calls ?? 0, errors: counted?.tool_errors ?? 0 },
    agents: shown,
  }
}

/**
 * Returns what an account contains about each agent, after the agents that Live knows to have finished were
 * judged.
 */
export const accounted = (account: Account, live: readonly Agent[] = [], now = Date.now()): ByAgent<Told> =>
  Object.fromEntries(
    judgeFinished(account, { live, now, judged: false }).account.agents.map((agent) => [
      agent.agent_id,
      {
        parent: agent.parent_id,
        calls: agent.tool_stats,
        errors: agent.errors,
        tokens: {
          input: agent.tokens_in ?? 0,
          output: agent.tokens_out ?? 0,
          cache_read: agent.cache_read ?? 0,
          cache_write: agent.cache_write ?? 0,
        },
        micro_usd: agent.cost_micro_usd,
        outcome: agent.outcome,
      },
    ]),
  )

function bySession<T>(agents: readonly Agent[], tell: (agent: Agent) => T): BySession<T> {
  const sessions: Record<string, Record<string, T>> = {}
  for (const agent of agents) {
    const own = sessions[agent.session_id] ?? {}
    own[agent.id] = tell(agent)
    sessions[agent.session_id] = own
  }
  return sessions
}

const linesOf = (path: string): readonly string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean)

/**
 * Returns orders in which the reports of both sides may arrive. Each order keeps the order within every
 * queue.
 */
export function ordersOf(
  { hooks, transcripts }: Pick<Recording, 'hooks' | 'transcripts'>,
  seeds: number,
): Readonly<Record<string, readonly Telling[]>> {
  const orders: Record<string, readonly Telling[]> = {
    'hooks alone': hooks,
    'transcripts alone': transcripts,
    'hooks first': [...hooks, ...transcripts],
    'transcripts first': [...transcripts, ...hooks],
    'as it happened': [...hooks, ...transcripts].toSorted((a, b) => a.ts - b.ts),
  }
  for (let seed = 1; seed <= seeds; seed += 1) {
    orders[`hooks shuffled, seed ${seed}`] = shuffled(hooks, seed)
    orders[`transcripts shuffled, seed ${seed}`] = shuffled(transcripts, seed)
    orders[`both shuffled, seed ${seed}`] = shuffled([...hooks, ...transcripts], seed)
  }
  for (const [name, order] of Object.entries(orders))
    orders[`${name}, doubled`] = order.flatMap((each) => [each, each])
  return orders
}

function shuffled(tellings: readonly Telling[], seed: number): readonly Telling[] {
  const queues = new Map<string, Telling[]>()
  for (const each of tellings) queues.set(each.queue, [...(queues.get(each.queue) ?? []), each])
  let state = seed
  const roll = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const order: Telling[] = []
  while (queues.size > 0) {
    const names = [...queues.keys()]
    const name = names[Math.floor(roll() * names.length)] as string
    const queue = queues.get(name) as Telling[]
    order.push(queue.shift() as Telling)
    if (queue.length === 0) queues.delete(name)
  }
  return order
}
