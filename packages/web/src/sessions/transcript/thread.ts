import type { ContentBlock, OutlinedAgent, PastAgent, PastMessage } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'

export const MAIN = 'main'

type Block<T extends ContentBlock['type']> = Extract<ContentBlock, { readonly type: T }>
export type Picture = Block<'image'>

/** A block with its place: the message and the index in it. */
export interface StoredBlock<B extends ContentBlock = ContentBlock> {
  readonly block: B
  readonly n: number
  readonly at: number
}

/** A tool call with its result, images and the agents it created. */
export interface Call extends StoredBlock<Block<'tool_call'>> {
  readonly kind: 'call'
  readonly calledAt: number | null
  result: StoredBlock<Block<'tool_result'>> | null
  answered: number | null
  readonly pictures: StoredBlock<Picture>[]
  readonly made: Thread[]
}

export type Part = ({ readonly kind: 'block' } & StoredBlock) | Call

export interface Entry {
  /** The number of its message in the session. */
  readonly n: number
  readonly message: PastMessage
  readonly parts: readonly Part[]
  /**
   * Whether it continues the turn of the previous entry: the same agent and model, with nobody in between.
   */
  readonly goesOn: boolean
}

/** The loaded messages of one agent. */
export interface Thread {
  readonly agent: PastAgent
  readonly entries: Entry[]
}

export interface ThreadTree {
  readonly threads: ReadonlyMap<string, Thread>
  readonly main: Thread
  /** Agents whose call is not among the loaded messages. */
  readonly loose: readonly Thread[]
  /** Where each message is shown; a result is shown with the call it answers. */
  readonly shownAt: ReadonlyMap<number, Shown>
}

interface Shown {
  readonly n: number
  readonly agent: string
}

/** Arranges messages for reading: results with their calls, and agents under the calls that created them. */
export function buildThreads(messages: readonly PastMessage[], agents: readonly PastAgent[]): ThreadTree {
  const threads = new Map(agents.map((agent) => [agent.id, createThread(agent)]))
  const threadFor = (id: string): Thread => {
    const thread = threads.get(id) ?? createThread(unknownAgent(id))
    threads.set(id, thread)
    return thread
  }
  const main = threadFor(MAIN)
  const calls = new Map<string, { readonly call: Call; readonly owner: string }>()
  const shownAt = new Map<number, Shown>()
  for (const message of messages) {
    const { n, agent_id: owner } = message
    const parts: Part[] = []
    let answered: Call | undefined
    for (const [at, block] of message.content.entries()) {
      if (block.type === 'tool_call') {
        const call = toCall({ block, n, at }, message.ts)
        calls.set(block.id, { call, owner })
        parts.push(call)
        continue
      }
      const match = block.type === 'tool_result' ? calls.get(block.id) : undefined
      if (block.type === 'tool_result' && match?.call.result === null) {
        answered = match.call
        answered.result = { block, n, at }
        answered.answered = message.ts
        shownAt.set(n, { n: answered.n, agent: match.owner })
      } else if (block.type === 'image' && answered) answered.pictures.push({ block, n, at })
      else parts.push({ kind: 'block', block, n, at })
    }
    if (parts.length === 0) continue
    shownAt.set(n, { n, agent: owner })
    const { entries } = threadFor(owner)
    entries.push({ n, message, parts, goesOn: isSameTurn(entries.at(-1)?.message, message) })
  }
  return { threads, main, loose: attachAgents(threads, main, calls), shownAt }
}

/** Consecutive replies of one agent form one turn. */
const isSameTurn = (before: PastMessage | undefined, message: PastMessage): boolean =>
  before !== undefined &&
  [before, message].every(
    ({ role, state, hidden }) => role === 'assistant' && state === 'active' && !hidden,
  ) &&
  before.model === message.model

/**
 * Puts each agent under the call that created it. An agent that would end up under itself stays on its own.
 */
function attachAgents(
  threads: ReadonlyMap<string, Thread>,
  main: Thread,
  calls: ReadonlyMap<string, { readonly call: Call; readonly owner: string }>,
): readonly Thread[] {
  const owners = new Map<string, string>()
  const isUnder = (id: string, above: string): boolean => {
    for (let at: string | undefined = id; at !== undefined; at = owners.get(at)) if (at === above) return true
    return false
  }
  const loose: Thread[] = []
  for (const thread of threads.values()) {
    const { id, tool_use_id } = thread.agent
    if (thread === main) continue
    const made = tool_use_id === null ? undefined : calls.get(tool_use_id)
    if (made && !isUnder(made.owner, id)) {
      owners.set(id, made.owner)
      made.call.made.push(thread)
    } else if (thread.entries.length > 0 || thread.agent.messages > 0) loose.push(thread)
  }
  return loose
}

const createThread = (agent: PastAgent): Thread => ({ agent, entries: [] })

const toCall = (stored: StoredBlock<Block<'tool_call'>>, calledAt: number | null): Call => ({
  kind: 'call',
  ...stored,
  calledAt,
  result: null,
  answered: null,
  pictures: [],
  made: [],
})

const unknownAgent = (id: string): PastAgent => ({
  id,
  parent_id: id === MAIN ? null : MAIN,
  subagent_type: null,
  description: null,
  tool_use_id: null,
  messages: 0,
  spent: createZeroSpent(),
})

export const isFailed = ({ result }: Call): boolean => result?.block.ok === false

/** Returns the duration of a call as reported, or the time between call and result. */
export function callDuration({ result, calledAt: asked, answered }: Call): number | null {
  if (result === null) return null
  if (result.block.duration_ms !== null) return result.block.duration_ms
  return asked === null || answered === null ? null : Math.max(0, answered - asked)
}

/**
 * Groups agents without a known call by their parent, or by the main agent if the parents do not lead to it.
 */
export function groupUnattachedAgents(
  agents: readonly OutlinedAgent[],
): ReadonlyMap<string, readonly OutlinedAgent[]> {
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const loose = new Map<string, OutlinedAgent[]>()
  for (const agent of agents) {
    if (agent.id === MAIN || agent.made_at !== null || agent.first === null) continue
    const above = isUnderMain(agent, byId) ? (agent.parent_id ?? MAIN) : MAIN
    loose.set(above, [...(loose.get(above) ?? []), agent])
  }
  return loose
}

function isUnderMain(agent: OutlinedAgent, byId: ReadonlyMap<string, OutlinedAgent>): boolean {
  const seen = new Set([agent.id])
  for (let id = agent.parent_id; id !== MAIN; id = byId.get(id)?.parent_id ?? null) {
    if (id === null || seen.has(id) || !byId.has(id)) return false
    seen.add(id)
  }
  return true
}

/** Returns an agent and its ancestors; nothing for the main agent. */
export function findAncestors(id: string, agents: ReadonlyMap<string, OutlinedAgent>): readonly string[] {
  const above: string[] = []
  let at: string | null = id
  while (at !== null && at !== MAIN && !above.includes(at)) {
    above.push(at)
    at = agents.get(at)?.parent_id ?? null
  }
  return above
}
