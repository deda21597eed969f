import type { WorkLine } from '@panoptes/schema'
import { words } from '../words.ts'
import { post, RequestFailure } from './request.ts'

export interface WorkOptions {
  readonly onProgress: (done: number, total: number) => void
  readonly signal: AbortSignal
}

/** Starts long work and follows it to its result. Aborting stops the work on the server too. */
export async function runWork<T>(path: string, body: unknown, options: WorkOptions): Promise<T> {
  const answer = await post(path, body, options.signal)
  for await (const line of readLines(answer)) {
    const update = JSON.parse(line) as WorkLine
    if (update.type === 'progress') options.onProgress(update.done, update.total)
    else if (update.type === 'result') return update.value as T
    else throw new RequestFailure(answer.status, update.message, null)
  }
  throw new RequestFailure(0, words.errors.brokeOff, words.actions.tryAgain)
}

/** Yields the lines of a response as they arrive. */
export async function* readLines(answer: Response): AsyncGenerator<string> {
  if (!answer.body) return
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  while (true) {
    const { done, value } = await reader.read()
    if (done) break
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield line
  }
  if (rest !== '') yield rest
}
