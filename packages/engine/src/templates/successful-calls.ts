import type { Call } from './calls.ts'
import { type Fields, namedArguments } from './fields.ts'
import { hasFailed } from './success/index.ts'
import { type OwnTools, toolKind } from './tool-kinds.ts'

/** A successful call that can be shown. */
export interface Worked {
  readonly tool: string
  readonly input: Fields
  readonly result: NonNullable<Call['result']>
}

export interface Judged {
  readonly failed: readonly Call[]
  readonly worked: readonly Worked[]
}

/** These agents report the exit code of commands. */
const SURE: ReadonlySet<string> = new Set(['codex', 'opencode'])

/**
 * Judges calls. A call without named input, such as a bare number, shows nobody how to call the
 * tool.
 */
export function judgedCalls(calls: readonly Call[], source: string, own: OwnTools | undefined): Judged {
  const failed: Call[] = []
  const worked: Worked[] = []
  for (const call of calls) {
    const { tool, result } = call
    if (result === undefined) continue
    if (hasFailed(result, { kind: toolKind(tool, own), isSure: SURE.has(source) })) {
      failed.push(call)
      continue
    }
    const input = namedArguments(call.input)
    if (input) worked.push({ tool, input, result })
  }
  return { failed, worked }
}
