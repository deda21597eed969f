import { check, type WorkLine, workLine } from '@panoptes/schema'
import { CommandFailure } from '../failure.ts'
import type { Progress } from '../terminal/progress.ts'
import { type Client, stopped } from './client.ts'

/** Runs a long job in the daemon, reports its progress and returns its result. */
export async function remoteWork<T>(
  client: Client,
  path: string,
  body: object,
  progress: Progress,
  signal: AbortSignal,
): Promise<T> {
  const reply = await client.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  try {
    for await (const line of linesOf(reply)) {
      if (line.type === 'progress') progress.update(line.done, line.total)
      else if (line.type === 'result') return line.value as T
      else throw new CommandFailure(line.message, { code: line.code })
    }
  } catch (error) {
    if (signal.aborted) throw stopped()
    if (error instanceof CommandFailure) throw error
  }
  throw new CommandFailure('Panoptes stopped before the work finished', {
    code: 'unreachable',
    next: 'Find out why with: panoptes doctor',
  })
}

async function* linesOf(reply: Response): AsyncGenerator<WorkLine> {
  let rest = ''
  for await (const part of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield* parsed(line)
  }
  yield* parsed(rest)
}

function* parsed(line: string): Generator<WorkLine> {
  if (line.trim() === '') return
  const checked = check(workLine, JSON.parse(line))
  if (checked.ok) yield checked.value
}
