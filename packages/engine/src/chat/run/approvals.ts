import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Approval } from '../runtimes/port.ts'
import type { LiveRun } from './live-run.ts'

interface OpenApproval {
  readonly choices: readonly string[]
  readonly decide: (choice: string | null) => void
}

export interface Approvals {
  readonly ask: (approval: Approval) => Promise<string | null>
  readonly answer: (request: string, choice: string) => Result<null>
}

export const tooLate = failure(
  'not_found',
  'This request is no longer open: it was already answered, or it expired.',
)
export const noSuchChoice = (choices: readonly string[]) =>
  failure('invalid', `The answer must be one of: ${choices.join(', ')}.`)

/** The open approvals of one run. A timeout counts as no. */
export function createApprovals(
  run: LiveRun,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
): Approvals {
  const waiting = new Map<string, OpenApproval>()
  let count = 0
  return {
    ask: ({ label, choices, detail, parent_id }) => {
      count += 1
      const request_id = `${run.identity.run_id}-ask${count}`
      const began = Date.now()
      const reportProgress = (status: 'started' | 'completed' | 'skipped', more: object) =>
        run.put('progress', {
          node_id: request_id,
          ...(parent_id === undefined ? {} : { parent_id }),
          kind: 'approval',
          status,
          label,
          request_id,
          choices: [...choices],
          detail: { ...detail, request_id, choices: [...choices], ...more },
        })
      reportProgress('started', { expires_at: began + seconds * 1_000 })
      return new Promise((decided) => {
        const decide = (choice: string | null) => {
          if (!waiting.delete(request_id)) return
          clearTimeout(clock)
          signal.removeEventListener('abort', stop)
          reportProgress(choice === null ? 'skipped' : 'completed', {
            choice,
            ...(choice === null ? { reason: signal.aborted ? 'stopped' : 'timed_out' } : {}),
          })
          decided(choice)
        }
        const stop = () => decide(null)
        const clock = setTimeout(stop, seconds * 1_000)
        waiting.set(request_id, { choices, decide })
        signal.addEventListener('abort', stop, { once: true })
        if (signal.aborted) stop()
      })
    },
    answer: (request, choice) => {
      const pending = waiting.get(request)
      if (pending === undefined) return tooLate
      if (!pending.choices.includes(choice)) return noSuchChoice(pending.choices)
      pending.decide(choice)
      return success(null)
    },
  }
}
