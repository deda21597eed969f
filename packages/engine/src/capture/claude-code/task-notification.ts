import { isName } from '@panoptes/schema'

/** What the client tells itself when something in the background reports. */
export interface TaskNotification {
  /** The agent that reports; a command in the background is none. */
  readonly agent: string | undefined
  readonly call: string | undefined
  /** How the agent ended; nothing where it did not. */
  readonly status: 'completed' | 'failed' | undefined
  /** A person or another agent ended it. */
  readonly stopped: boolean
  readonly result: string | undefined
}

const OPENING = '<task-notification>'
const OF_AGENT = 'Agent "'
const STOPPED: ReadonlySet<string> = new Set(['killed', 'stopped', 'cancelled'])

export function readTaskNotification(prompt: string): TaskNotification | undefined {
  if (!prompt.trimStart().startsWith(OPENING)) return undefined
  const task = between(prompt, 'task-id')
  const call = between(prompt, 'tool-use-id')
  const status = between(prompt, 'status') ?? ''
  const stopped = STOPPED.has(status)
  const isAgent = between(prompt, 'summary')?.startsWith(OF_AGENT) === true
  return {
    agent: isAgent && isName(task) ? task : undefined,
    call: isName(call) ? call : undefined,
    status: status === 'failed' ? 'failed' : status === 'completed' || stopped ? 'completed' : undefined,
    stopped,
    result: between(prompt, 'result'),
  }
}

function between(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`)
  const end = text.indexOf(`</${tag}>`, start)
  return start < 0 || end < 0 ? undefined : text.slice(start + tag.length + 2, end).trim()
}
