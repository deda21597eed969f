import { z } from 'zod'

/** A call that has not ended, with the part of its input that its end needs. */
export interface OpenCall {
  readonly tool: string
  readonly ts: number
  readonly input?: Readonly<Record<string, string>> | undefined
}

/** The state between two rows of a transcript. It is stored with the position in the file. */
export interface TranscriptState {
  /** The prompt that is being worked on. */
  prompt: string | null
  /** The agents whose beginning was reported. */
  begun: string[]
  calls: Record<string, OpenCall>
  /** The background tasks that still run. */
  tasks: string[]
  /** A slash command that may begin a turn. */
  command: { readonly ts: number; readonly text: string } | null
  /** Agents that ended. The next row of one means that it was resumed. */
  ended: string[]
}

export const newState = (): TranscriptState => ({
  prompt: null,
  begun: [],
  calls: {},
  tasks: [],
  command: null,
  ended: [],
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
  ended: z.array(name).default([]),
})

export const parseState = (value: unknown): TranscriptState => {
  const read = state.safeParse(value)
  return read.success ? read.data : newState()
}

const MOST_CALLS = 256
const MOST_TASKS = 256
const MOST_BEGUN = 512

export function noteCall(transcript: TranscriptState, id: string, call: OpenCall): void {
  if (id === '__proto__') return
  transcript.calls[id] = call
  const [oldest, ...others] = Object.keys(transcript.calls)
  if (oldest !== undefined && others.length >= MOST_CALLS) delete transcript.calls[oldest]
}

/** Removes and returns the open call with that id. */
export function takeCall(transcript: TranscriptState, id: string): OpenCall | undefined {
  const call = Object.hasOwn(transcript.calls, id) ? transcript.calls[id] : undefined
  delete transcript.calls[id]
  return call
}

export function noteTask(transcript: TranscriptState, task: string): void {
  transcript.tasks = [...transcript.tasks.filter((each) => each !== task), task].slice(-MOST_TASKS)
}

export function endTask(transcript: TranscriptState, task: string): void {
  transcript.tasks = transcript.tasks.filter((each) => each !== task)
}

export function noteEnd(transcript: TranscriptState, agent: string): void {
  transcript.ended = [...transcript.ended.filter((each) => each !== agent), agent].slice(-MOST_BEGUN)
}

/** Marks an ended agent as resumed and returns whether it had ended. */
export function resume(transcript: TranscriptState, agent: string): boolean {
  if (!transcript.ended.includes(agent)) return false
  transcript.ended = transcript.ended.filter((each) => each !== agent)
  return true
}

/** Records an agent and returns whether it is new. */
export function meet(transcript: TranscriptState, agent: string): boolean {
  if (transcript.begun.includes(agent)) return false
  transcript.begun = [...transcript.begun, agent].slice(-MOST_BEGUN)
  return true
}
