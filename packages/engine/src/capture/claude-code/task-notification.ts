import { isName } from '@panoptes/schema'

/** The message that the client inserts when background work reports. */
export interface TaskNotification {
  /** The reporting agent; undefined for a background command. */
  readonly agent: string | undefined
  readonly call: string | undefined
  /** Tells how the agent ended. It is undefined while the agent runs. */
  readonly status: 'completed' | 'failed' | undefined
  /** This is true when a person or another agent ended it. */
  readonly stopped: boolean
  readonly result: string | undefined
  /** The total duration of the agent as the client measured it. */
  readonly durationMs: number | undefined
}

const OPENING = '<task-notification>'
const OF_AGENT = 'Agent "'
const STOPPED: ReadonlySet<string> = new Set(['killed', 'stopped', 'cancelled'])

export function readTaskNotification(prompt: string): TaskNotification | undefined {
  if (!prompt.trimStart().startsWith(OPENING)) return undefined
  const task = readTag(prompt, 'task-id')
  const call = readTag(prompt, 'tool-use-id')
  const status = readTag(prompt, 'status') ?? ''
  const stopped = STOPPED.has(status)
  const isAgent = readTag(prompt, 'summary')?.startsWith(OF_AGENT) === true
  return {
    agent: isAgent && isName(task) ? task : undefined,
    call: isName(call) ? call : undefined,
    status: status === 'failed' ? 'failed' : status === 'completed' || stopped ? 'completed' : undefined,
    stopped,
    result: readTag(prompt, 'result'),
    durationMs: durationIn(prompt),
  }
}

/** The duration stands after the agent's answer, which may contain anything. */
function durationIn(prompt: string): number | undefined {
  const duration = Number(
    readTag(prompt.slice(Math.max(0, prompt.lastIndexOf('<usage>'))), 'duration_ms') ?? Number.NaN,
  )
  return Number.isSafeInteger(duration) && duration >= 0 ? duration : undefined
}

function readTag(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`)
  const end = text.indexOf(`</${tag}>`, start)
  return start < 0 || end < 0 ? undefined : text.slice(start + tag.length + 2, end).trim()
}
