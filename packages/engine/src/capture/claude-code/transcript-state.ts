import { z } from 'zod'

/** A call that was made and has not ended; of its input, what is needed when it does. */
export interface KnownCall {
  readonly tool: string
  readonly ts: number
  readonly input?: Readonly<Record<string, string>> | undefined
}

/** What has to be remembered of a transcript from one row to the next: it is kept with the place up to which it was read. */
export interface TranscriptState {
  /** The prompt that is being worked on. */
  prompt: string | null
  /** Whose beginning was told. */
  begun: string[]
  calls: Record<string, KnownCall>
  /** What works on in the background. */
  tasks: string[]
  /** A command that was given and may begin a turn. */
  command: { readonly ts: number; readonly text: string } | null
}

export const newState = (): TranscriptState => ({
  prompt: null,
  begun: [],
  calls: {},
  tasks: [],
  command: null,
})

const name = z.string().max(512)
const state = z.object({
  prompt: name.nullable(),
  begun: z.array(name),
  calls: z.record(
    name,
    z.object({ tool: name, ts: z.number(), input: z.record(name, z.string()).optional() }),
  ),
  tasks: z.array(name),
  command: z.object({ ts: z.number(), text: z.string() }).nullable(),
})

export const parseState = (value: unknown): TranscriptState => {
  const read = state.safeParse(value)
  return read.success ? read.data : newState()
}

const MOST_CALLS = 256
const MOST_TASKS = 256
const MOST_BEGUN = 512

export function noteCall(known: TranscriptState, id: string, call: KnownCall): void {
  if (id === '__proto__') return
  known.calls[id] = call
  const [oldest, ...others] = Object.keys(known.calls)
  if (oldest !== undefined && others.length >= MOST_CALLS) delete known.calls[oldest]
}

/** The call of that id, which has now ended. */
export function takeCall(known: TranscriptState, id: string): KnownCall | undefined {
  const call = Object.hasOwn(known.calls, id) ? known.calls[id] : undefined
  delete known.calls[id]
  return call
}

export function noteTask(known: TranscriptState, task: string): void {
  known.tasks = [...known.tasks.filter((each) => each !== task), task].slice(-MOST_TASKS)
}

export function endTask(known: TranscriptState, task: string): void {
  known.tasks = known.tasks.filter((each) => each !== task)
}

/** Whether it is the first time that this agent is met. */
export function meet(known: TranscriptState, agent: string): boolean {
  if (known.begun.includes(agent)) return false
  known.begun = [...known.begun, agent].slice(-MOST_BEGUN)
  return true
}
