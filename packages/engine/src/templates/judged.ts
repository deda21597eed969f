import type { Call } from './calls.ts'
import { type Fields, namedArguments } from './fields.ts'
import { hasFailed } from './success/index.ts'
import { kindOf, type OwnTools } from './tool-kinds.ts'

/** A call that worked, and can be shown. */
export interface Worked {
  readonly tool: string
  readonly input: Fields
  readonly result: NonNullable<Call['result']>
}

export interface Judged {
  readonly failed: readonly Call[]
  readonly worked: readonly Worked[]
}

/** These say by its exit code whether a command worked. */
const SURE: ReadonlySet<string> = new Set(['codex', 'opencode'])

/** What became of calls. One that was given nothing with a name, a number for example, shows nobody how to call. */
export function judgedCalls(calls: readonly Call[], source: string, own: OwnTools | undefined): Judged {
  const failed: Call[] = []
  const worked: Worked[] = []
  for (const call of calls) {
    const { tool, result } = call
    if (result === undefined) continue
    if (hasFailed(result, { kind: kindOf(tool, own), isSure: SURE.has(source) })) {
      failed.push(call)
      continue
    }
    const input = namedArguments(call.input)
    if (input) worked.push({ tool, input, result })
  }
  return { failed, worked }
}
