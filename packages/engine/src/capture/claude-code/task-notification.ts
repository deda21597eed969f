/** What the client tells itself when a background agent reports. */
export interface TaskNotification {
  readonly agent: string
  readonly call: string | undefined
  readonly status: string
  readonly result: string | undefined
}

const OPENING = '<task-notification>'

export function readTaskNotification(prompt: string): TaskNotification | undefined {
  if (!prompt.trimStart().startsWith(OPENING)) return undefined
  const agent = between(prompt, 'task-id')
  if (agent === undefined) return undefined
  return {
    agent,
    call: between(prompt, 'tool-use-id'),
    status: between(prompt, 'status') ?? 'completed',
    result: between(prompt, 'result'),
  }
}

function between(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`)
  const end = text.indexOf(`</${tag}>`, start)
  return start < 0 || end < 0 ? undefined : text.slice(start + tag.length + 2, end).trim()
}
