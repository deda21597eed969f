import type { ContentBlock, PastAgent, PastMessage } from '@panoptes/schema'
import { nothingSpent } from '@panoptes/schema/spent'

export const MAIN = 'main'

type Block<T extends ContentBlock['type']> = Extract<ContentBlock, { readonly type: T }>
export type Picture = Block<'image'>

/** A block, and where the whole of it is: in which message, and at which place there. */
export interface Stored<B extends ContentBlock = ContentBlock> {
  readonly block: B
  readonly n: number
  readonly at: number
}

/** A tool call with all that came of it: its result and the agents that it made. */
export interface Call extends Stored<Block<'tool_call'>> {
  readonly kind: 'call'
  readonly asked: number | null
  result: Stored<Block<'tool_result'>> | null
  answered: number | null
  readonly pictures: Stored<Picture>[]
  readonly made: Thread[]
}

export type Part = ({ readonly kind: 'block' } & Stored) | Call

export interface Entry {
  /** The place of its message in the session. */
  readonly n: number
  readonly message: PastMessage
  readonly parts: readonly Part[]
  /** Whether it goes on with what the entry before it began: the same one speaks, and nobody came between. */
  readonly goesOn: boolean
}

/** What one agent said and did, as far as it was read. */
export interface Thread {
  readonly agent: PastAgent
  readonly entries: Entry[]
}

export interface Arranged {
  readonly threads: ReadonlyMap<string, Thread>
  readonly main: Thread
  /** Agents whose call is not among what was read. */
  readonly loose: readonly Thread[]
  /** Where a message shows: a result shows with the call it answers. */
  readonly shownAt: ReadonlyMap<number, Shown>
}

interface Shown {
  readonly n: number
  readonly agent: string
}

/** Messages in the order of their source, as people read them: results with their calls, agents under the call that made them. */
export function arrange(messages: readonly PastMessage[], agents: readonly PastAgent[]): Arranged {
  const threads = new Map(agents.map((agent) => [agent.id, threadOf(agent)]))
  const threadFor = (id: string): Thread => {
    const known = threads.get(id) ?? threadOf(unknownAgent(id))
    threads.set(id, known)
    return known
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
        const call = callOf({ block, n, at }, message.ts)
        calls.set(block.id, { call, owner })
        parts.push(call)
        continue
      }
      const asked = block.type === 'tool_result' ? calls.get(block.id) : undefined
      if (block.type === 'tool_result' && asked?.call.result === null) {
        answered = asked.call
        answered.result = { block, n, at }
        answered.answered = message.ts
        shownAt.set(n, { n: answered.n, agent: asked.owner })
      } else if (block.type === 'image' && answered) answered.pictures.push({ block, n, at })
      else parts.push({ kind: 'block', block, n, at })
    }
    if (parts.length === 0) continue
    shownAt.set(n, { n, agent: owner })
    const { entries } = threadFor(owner)
    entries.push({ n, message, parts, goesOn: follows(entries.at(-1)?.message, message) })
  }
  return { threads, main, loose: hang(threads, main, calls), shownAt }
}

/** One turn of an agent is one block, however many replies it took. */
const follows = (before: PastMessage | undefined, message: PastMessage): boolean =>
  before !== undefined &&
  [before, message].every(
    ({ role, state, hidden }) => role === 'assistant' && state === 'active' && !hidden,
  ) &&
  before.model === message.model

/** Puts each agent under the call that made it; whoever would be under itself is under nobody. */
function hang(
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

const threadOf = (agent: PastAgent): Thread => ({ agent, entries: [] })

const callOf = (stored: Stored<Block<'tool_call'>>, asked: number | null): Call => ({
  kind: 'call',
  ...stored,
  asked,
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
  spent: nothingSpent(),
})

export const isFailed = ({ result }: Call): boolean => result?.block.ok === false

/** How long a call took, as its source says, or from question to answer. */
export function tookOf({ result, asked, answered }: Call): number | null {
  if (result === null) return null
  if (result.block.duration_ms !== null) return result.block.duration_ms
  return asked === null || answered === null ? null : Math.max(0, answered - asked)
}
