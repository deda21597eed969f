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
  for await (const line of linesOf(answer)) {
    const said = JSON.parse(line) as WorkLine
    if (said.type === 'progress') options.onProgress(said.done, said.total)
    else if (said.type === 'result') return said.value as T
    else throw new RequestFailure(answer.status, said.message, null)
  }
  throw new RequestFailure(0, words.errors.brokeOff, words.actions.tryAgain)
}

/** The lines of an answer, as they come. */
export async function* linesOf(answer: Response): AsyncGenerator<string> {
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
