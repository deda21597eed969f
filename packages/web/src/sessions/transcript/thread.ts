import type { ContentBlock, Message, SessionAgent } from '@panoptes/schema'

export const MAIN = 'main'

type Block<T extends ContentBlock['type']> = Extract<ContentBlock, { readonly type: T }>
export type Picture = Block<'image'>

/** A tool call with all that came of it: its result and the agents that it made. */
export interface Call {
  readonly kind: 'call'
  readonly call: Block<'tool_call'>
  readonly asked: number | null
  result: Block<'tool_result'> | null
  answered: number | null
  readonly pictures: Picture[]
  readonly made: Thread[]
}

export type Part = { readonly kind: 'block'; readonly block: ContentBlock } | Call

export interface Entry {
  /** The place of its message in the session. */
  readonly n: number
  readonly message: Message
  readonly parts: readonly Part[]
}

/** What one agent said and did. */
export interface Thread {
  readonly agent: SessionAgent
  readonly entries: Entry[]
  /** Agents it made by a call that is not known. */
  readonly loose: Thread[]
}

export interface Arranged {
  readonly main: Thread
  /** Where a message shows: a result shows with the call it answers. */
  readonly shownAt: ReadonlyMap<number, number>
}

export interface Placed {
  readonly n: number
  readonly message: Message
}

/** Messages in the order of their source, as people read them: results with their calls, agents under the call that made them. */
export function arrange(messages: readonly Placed[], agents: readonly SessionAgent[]): Arranged {
  const threads = new Map(agents.map((agent) => [agent.id, threadOf(agent)]))
  const threadFor = (id: string): Thread => {
    const known = threads.get(id) ?? threadOf(unknownAgent(id))
    threads.set(id, known)
    return known
  }
  const main = threadFor(MAIN)
  const calls = new Map<string, { readonly call: Call; readonly n: number; readonly owner: string }>()
  const shownAt = new Map<number, number>()
  for (const { n, message } of messages) {
    const parts: Part[] = []
    let answered: Call | undefined
    for (const block of message.content) {
      if (block.type === 'tool_call') {
        const call = callOf(block, message.ts)
        calls.set(block.id, { call, n, owner: message.agent_id })
        parts.push(call)
        continue
      }
      const asked = block.type === 'tool_result' ? calls.get(block.id) : undefined
      if (block.type === 'tool_result' && asked?.call.result === null) {
        answered = asked.call
        answered.result = block
        answered.answered = message.ts
        shownAt.set(n, asked.n)
      } else if (block.type === 'image' && answered) answered.pictures.push(block)
      else parts.push({ kind: 'block', block })
    }
    if (parts.length === 0) continue
    shownAt.set(n, n)
    threadFor(message.agent_id).entries.push({ n, message, parts })
  }
  hang(threads, main, calls)
  return { main, shownAt }
}

/** Puts each agent under the one that made it; whoever would be under itself is main's. */
function hang(
  threads: ReadonlyMap<string, Thread>,
  main: Thread,
  calls: ReadonlyMap<string, { readonly call: Call; readonly owner: string }>,
): void {
  const owners = new Map<string, string>()
  const isUnder = (id: string, above: string): boolean => {
    for (let at: string | undefined = id; at !== undefined; at = owners.get(at)) if (at === above) return true
    return false
  }
  for (const thread of threads.values()) {
    const { id, parent_id, tool_use_id } = thread.agent
    if (thread === main) continue
    const made = tool_use_id === null ? undefined : calls.get(tool_use_id)
    const owner = made?.owner ?? parent_id ?? MAIN
    const fits = threads.has(owner) && !isUnder(owner, id)
    owners.set(id, fits ? owner : MAIN)
    if (made && fits) made.call.made.push(thread)
    else if (thread.entries.length > 0) (fits ? (threads.get(owner) ?? main) : main).loose.push(thread)
  }
}

const threadOf = (agent: SessionAgent): Thread => ({ agent, entries: [], loose: [] })

const callOf = (call: Block<'tool_call'>, asked: number | null): Call => ({
  kind: 'call',
  call,
  asked,
  result: null,
  answered: null,
  pictures: [],
  made: [],
})

const unknownAgent = (id: string): SessionAgent => ({
  id,
  parent_id: id === MAIN ? null : MAIN,
  subagent_type: null,
  description: null,
  tool_use_id: null,
})

/** Everything a thread holds, with what is under it. */
export function* entriesOf(thread: Thread): Generator<Entry> {
  for (const entry of thread.entries) {
    yield entry
    for (const part of entry.parts)
      if (part.kind === 'call') for (const made of part.made) yield* entriesOf(made)
  }
  for (const loose of thread.loose) yield* entriesOf(loose)
}

export const callsOf = (thread: Thread): readonly Call[] =>
  thread.entries.flatMap((entry) => entry.parts.filter((part) => part.kind === 'call'))

/** How long a call took, as its source says, or from question to answer. */
export function tookOf({ result, asked, answered }: Call): number | null {
  if (result === null) return null
  if (result.duration_ms !== null) return result.duration_ms
  return asked === null || answered === null ? null : Math.max(0, answered - asked)
}
